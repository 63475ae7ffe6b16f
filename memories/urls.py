from django.urls import path

from memories import views

urlpatterns = [
    path("characters/<uuid:pk>/delete/", views.delete_character, name="character-delete"),
]
