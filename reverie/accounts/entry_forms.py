"""Forms of the ways in: allauth's, in our words."""

from typing import Any

from allauth.account.forms import (
    LoginForm,
    ReauthenticateForm,
    ResetPasswordForm,
    ResetPasswordKeyForm,
    SignupForm,
)
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.base.forms import ReauthenticateForm as CodeAgainForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from reverie.accounts import invitations
from reverie.accounts.forms import zones
from reverie.accounts.models import Invitation, User
from reverie.text.clean import clean

CODE = _("Code from your app, or a recovery code")
AGAIN = _("The password again")
NEW = _("New password")


class Words:
    """Mixin: our labels, and no placeholders that say them again."""

    labels: dict[str, Any] = {}
    helps: dict[str, Any] = {}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, field in self.fields.items():  # type: ignore[attr-defined]  # of the form
            field.widget.attrs.pop("placeholder", None)
            field.label = self.labels.get(name, field.label)
            field.help_text = self.helps.get(name, "")


def as_typed(name: str) -> str:
    """A name as it is stored, whatever way this keyboard composes its letters."""
    return User.normalize_username(clean(name).strip())


class SignInForm(Words, LoginForm):
    labels = {"login": _("Username or email address"), "password": _("Password")}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["login"].widget.attrs |= {"autocomplete": "username", "autofocus": True}

    def clean_login(self) -> str:
        return as_typed(self.cleaned_data["login"])


class JoinForm(Words, SignupForm):
    labels = {
        "username": _("Username"),
        "email": _("Email address (optional)"),
        "password1": _("Password"),
        "password2": AGAIN,
    }
    helps = {
        "username": _("You sign in with it. What characters call you is set later."),
        "email": _("Only for a forgotten password."),
        "password1": password_validators_help_text_html(),
    }
    field_order = ["username", "email", "password1", "password2"]
    time_zone = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, invitation: Invitation | None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.invitation = invitation

    def clean_username(self) -> str:
        self.cleaned_data["username"] = as_typed(self.cleaned_data["username"])
        name: str = super().clean_username()
        return name

    def clean_time_zone(self) -> str:
        zone: str = self.cleaned_data["time_zone"]
        return zone if zone in dict(zones()) else "UTC"

    def try_save(self, request: HttpRequest) -> tuple[User, None]:
        """Raises `ValidationError` when somebody else came by the same invitation."""
        with transaction.atomic():
            user, refused = super().try_save(request)
            if self.invitation:
                invitations.take(self.invitation, user)
        return user, refused

    def custom_signup(self, request: HttpRequest, user: User) -> None:
        user.time_zone = self.cleaned_data["time_zone"]
        user.save(update_fields=["time_zone"])


class ForgottenForm(Words, ResetPasswordForm):
    labels = {"email": _("Email address")}


class NewPasswordForm(Words, ResetPasswordKeyForm):
    labels = {"password1": NEW, "password2": AGAIN}
    helps = {"password1": password_validators_help_text_html()}


class CodeForm(Words, AuthenticateForm):
    labels = {"code": CODE}


class ConfirmForm(Words, ReauthenticateForm):
    labels = {"password": _("Your password")}


class ConfirmCodeForm(Words, CodeAgainForm):
    labels = {"code": CODE}


class TwoFactorForm(Words, ActivateTOTPForm):
    labels = {"code": _("The code that your app shows now")}
