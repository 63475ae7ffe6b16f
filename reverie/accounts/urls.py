from django.contrib.auth.views import LogoutView
from django.urls import path, re_path
from django.views.i18n import set_language

from reverie.accounts import entry, views

sign_in, settings = entry.SignIn.as_view(), views.settings

# Names with an underscore are those by which allauth finds our pages.
urlpatterns = [
    path("sign-in/", sign_in, name="sign-in"),
    path("sign-in/", sign_in, name="account_login"),
    path("sign-in/code/", entry.Code.as_view(), name="mfa_authenticate"),
    path("sign-in/<uuid:pk>/<str:token>/", entry.sign_in_link, name="sign-in-link"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("join/", entry.Join.as_view(), name="account_signup"),
    path("join/<str:token>/", entry.Join.as_view(), name="join"),
    path("forgotten/", entry.Forgotten.as_view(), name="account_reset_password"),
    path("forgotten/sent/", entry.ForgottenSent.as_view(), name="account_reset_password_done"),
    re_path(
        r"^forgotten/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[-\w]+)/$",
        entry.NewPassword.as_view(),
        name="account_reset_password_from_key",
    ),
    path("email/<str:key>/", entry.ConfirmAddress.as_view(), name="account_confirm_email"),
    path("settings/", settings, name="settings"),
    path("settings/", settings, name="mfa_index"),
    path("settings/confirm/", entry.Confirm.as_view(), name="account_reauthenticate"),
    path("settings/confirm/code/", entry.ConfirmByCode.as_view(), name="mfa_reauthenticate"),
    path("settings/two-factor/", entry.TwoFactor.as_view(), name="mfa_activate_totp"),
    path("settings/two-factor/off/", entry.TwoFactorOff.as_view(), name="mfa_deactivate_totp"),
    path("settings/codes/", entry.RecoveryCodes.as_view(), name="mfa_view_recovery_codes"),
    path(
        "settings/codes/new/", entry.NewRecoveryCodes.as_view(), name="mfa_generate_recovery_codes"
    ),
    path("settings/sessions/end/", views.end_sessions, name="sessions-end"),
    path("settings/tokens/<int:pk>/delete/", views.delete_token, name="token-delete"),
    path("settings/invitations/", views.invitations, name="invitation-list"),
    path(
        "settings/invitations/<uuid:pk>/withdraw/",
        views.withdraw_invitation,
        name="invitation-withdraw",
    ),
    path("language/", set_language, name="language"),
]
