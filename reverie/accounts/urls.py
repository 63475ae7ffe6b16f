from django.contrib.auth.views import LogoutView
from django.urls import path
from django.views.i18n import set_language

from reverie.accounts import views

urlpatterns = [
    path("sign-in/", views.SignIn.as_view(), name="sign-in"),
    path("sign-in/<uuid:pk>/<str:token>/", views.sign_in_link, name="sign-in-link"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("settings/", views.settings, name="settings"),
    path("language/", set_language, name="language"),
]
