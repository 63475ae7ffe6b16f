from django.urls import path

from . import views

urlpatterns = [
    path("models/", views.models, name="model-list"),
    path("models/new/", views.new_model, name="model-new"),
    path("models/default/", views.default, name="model-default"),
    path("models/test/", views.test, name="model-test"),
    path("models/<uuid:pk>/", views.model, name="model"),
    path("models/<uuid:pk>/delete/", views.delete_model, name="model-delete"),
]
