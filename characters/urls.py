from django.urls import path

from characters import views

urlpatterns = [
    path("characters/", views.characters, name="character-list"),
    path("characters/new/", views.new_character, name="character-new"),
    path("characters/<uuid:pk>/", views.character, name="character"),
    path("characters/<uuid:pk>/avatar/", views.avatar, name="character-avatar"),
    path("personas/", views.personas, name="persona-list"),
    path("personas/new/", views.new_persona, name="persona-new"),
    path("personas/<uuid:pk>/", views.persona, name="persona"),
    path("personas/<uuid:pk>/delete/", views.delete_persona, name="persona-delete"),
]
