"""The ways in, and what guards them: allauth's views on our pages."""

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any
from uuid import UUID

from allauth.account.adapter import get_adapter
from allauth.account.utils import perform_login
from allauth.account.views import (
    ConfirmEmailView,
    LoginView,
    PasswordResetDoneView,
    PasswordResetFromKeyView,
    PasswordResetView,
    ReauthenticateView,
    SignupView,
)
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.base.views import ReauthenticateView as CodeAgainView
from allauth.mfa.recovery_codes.views import GenerateRecoveryCodesView, ViewRecoveryCodesView
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse_lazy
from django.utils import translation
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from reverie.accounts import entry_forms as forms
from reverie.accounts import signin
from reverie.accounts.models import Invitation, User

View = Callable[..., HttpResponseBase]


class SignIn(LoginView):
    form_class = forms.SignInForm
    template_name = "accounts/sign_in.html"

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        may_join = settings.REGISTRATION == "open"
        return {**super().get_context_data(**context), "may_join": may_join}


class Code(AuthenticateView):
    """The second factor, asked between the password and the page."""

    form_class = forms.CodeForm
    template_name = "accounts/code.html"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_link(request: HttpRequest, pk: UUID, token: str) -> HttpResponse:
    """Let the bearer of a link in. Opening it only asks: a link preview must not use it up."""
    user = signin.bearer(str(pk), token)
    if user is None:
        return render(request, "accounts/link_used.html", status=404)
    if request.method != "POST":
        return render(request, "accounts/sign_in_link.html", {"person": user})
    if request.user.is_authenticated and request.user.pk != user.pk:
        logout(request)
    signin.settle_language(user, request)
    where = None if user.has_usable_password() else _ask_for_password(request, user)
    response: HttpResponse = perform_login(request, user, redirect_url=where)
    return response


def _ask_for_password(request: HttpRequest, user: User) -> str:
    with translation.override(user.language):
        messages.info(
            request,
            _("You are in. That link is used up now: set a password, so that you can come back."),
        )
    return resolve_url("settings") + "#password"


class Join(SignupView):
    """Becoming one of the people here: by invitation, or freely where the owner allows it."""

    form_class = forms.JoinForm
    template_name = "accounts/join.html"

    @cached_property
    def invitation(self) -> Invitation | None:
        return Invitation.objects.matching(self.kwargs.get("token", "")).first()

    def is_open(self) -> bool:
        free = settings.REGISTRATION == "open" and "token" not in self.kwargs
        return free or self.invitation is not None

    def closed(self) -> HttpResponse:
        status = 404 if "token" in self.kwargs else 200
        return render(self.request, "accounts/join_closed.html", self.kwargs, status=status)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "invitation": self.invitation}

    def get_initial(self) -> dict[str, Any]:
        return {"email": self.invitation.email if self.invitation else ""}

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        return {**super().get_context_data(**context), "invitation": self.invitation}

    def form_valid(self, form: BaseForm) -> HttpResponse:
        try:
            response: HttpResponse = super().form_valid(form)
        except ValidationError as problem:
            form.add_error(None, problem)
        except IntegrityError:  # Somebody took the name in this very moment.
            form.add_error("username", get_adapter().validation_error("username_taken"))
        else:
            return response
        refused: HttpResponse = self.form_invalid(form)
        return refused


class Forgotten(PasswordResetView):
    """An email with a link to set a new password; plain words where no mail is sent."""

    form_class = forms.ForgottenForm
    template_name = "accounts/forgotten.html"

    def dispatch(self, request: HttpRequest, *args: Any, **told: Any) -> HttpResponseBase:
        if not settings.SENDS_MAIL:
            return render(request, "accounts/forgotten_no_mail.html")
        response: HttpResponseBase = super().dispatch(request, *args, **told)
        return response

    def form_valid(self, form: BaseForm) -> HttpResponse:
        try:
            response: HttpResponse = super().form_valid(form)
        except OSError:
            said = _("The email could not be sent. Try again later, or ask this site's owner.")
            form.add_error(None, ValidationError(said, code="mail_failed"))
            response = self.form_invalid(form)
        return response


class ForgottenSent(PasswordResetDoneView):
    template_name = "accounts/forgotten_sent.html"


class NewPassword(PasswordResetFromKeyView):
    form_class = forms.NewPasswordForm
    template_name = "accounts/new_password.html"
    success_url = reverse_lazy("sign-in")


class ConfirmAddress(ConfirmEmailView):
    template_name = "accounts/confirm_address.html"


def password_first(view: View) -> View:
    """A second factor is for those who have a first one."""

    @login_required
    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **told: Any) -> HttpResponseBase:
        if get_adapter().get_reauthentication_methods(request.user):
            return view(request, *args, **told)
        messages.info(request, _("Set a password first: the code is asked after it."))
        return redirect(resolve_url("settings") + "#password")

    return guarded


@method_decorator(password_first, name="dispatch")
class Confirm(ReauthenticateView):
    """The password once more, before what could lock its owner out."""

    form_class = forms.ConfirmForm
    template_name = "accounts/confirm.html"


@method_decorator(password_first, name="dispatch")
class ConfirmByCode(CodeAgainView):
    form_class = forms.ConfirmCodeForm
    template_name = "accounts/confirm.html"


@method_decorator(password_first, name="dispatch")
class TwoFactor(ActivateTOTPView):
    form_class = forms.TwoFactorForm
    template_name = "accounts/two_factor.html"


@method_decorator(password_first, name="dispatch")
class TwoFactorOff(DeactivateTOTPView):
    template_name = "accounts/two_factor_off.html"

    def get_success_url(self) -> str:
        return resolve_url("settings") + "#two-factor"


@method_decorator(password_first, name="dispatch")
class RecoveryCodes(ViewRecoveryCodesView):
    template_name = "accounts/recovery_codes.html"


@method_decorator(password_first, name="dispatch")
class NewRecoveryCodes(GenerateRecoveryCodesView):
    template_name = "accounts/recovery_codes_new.html"
