"""What allauth asks us: our words, our rules of who may come in, our keys."""

import logging
from collections.abc import Mapping
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reverie.accounts import signin
from reverie.accounts.models import User
from reverie.text.sealing import Unreadable, seal, unseal

logger = logging.getLogger(__name__)

WRONG = gettext_lazy("This name and this password do not belong together.")
WAIT = gettext_lazy("That was wrong too often. Wait five minutes, then try again.")
# What allauth would say about what was done; what is not here is not worth a word.
SAID = {
    "account/messages/email_confirmed.txt": gettext_lazy("Your email address is confirmed."),
    "account/messages/email_confirmation_failed.txt": gettext_lazy(
        "This address is somebody else's already."
    ),
    "account/messages/password_changed.txt": gettext_lazy("Your password is set."),
    "mfa/messages/totp_activated.txt": gettext_lazy("Signing in asks for a code from now on."),
    "mfa/messages/totp_deactivated.txt": gettext_lazy("Signing in asks for no code any more."),
    "mfa/messages/recovery_codes_generated.txt": gettext_lazy(
        "These codes are new. Keep them where you find them without your phone."
    ),
}


class People(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": WRONG,
        "email_password_mismatch": WRONG,
        "too_many_login_attempts": WAIT,
        "rate_limited": WAIT,
        "incorrect_password": gettext_lazy("This is not your password."),
        "username_taken": gettext_lazy("Somebody here has that name already. Choose another."),
    }

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Somebody who is suspended is told what a wrong password is told."""
        user: User | None = super().authenticate(request, **credentials)
        return user if user and user.is_active else None

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        return redirect("sign-in")

    def post_login(self, request: HttpRequest, user: User, **told: Any) -> HttpResponse:
        signin.settle_language(user, request)
        response: HttpResponse = super().post_login(request, user, **told)
        return response

    def is_safe_url(self, url: str | None) -> bool:
        """Signing in leads to the host that was asked, and to none of its friends."""
        return url_has_allowed_host_and_scheme(
            url, {self.request.get_host()}, require_https=self.request.is_secure()
        )

    def is_ajax(self, request: HttpRequest) -> bool:
        return False

    def should_send_confirmation_mail(self, *_args: Any, **_told: Any) -> bool:
        return settings.SENDS_MAIL

    def get_email_verification_redirect_url(self, email_address: Any) -> str:
        return resolve_url("settings" if self.request.user.is_authenticated else "sign-in")

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """In the language of whom it goes to. Raises OSError when no server takes it."""
        language = getattr(context.get("user"), "language", "") or translation.get_language()
        with translation.override(language):
            super().send_mail(template_prefix, email, context)

    def send_confirmation_mail(
        self, request: HttpRequest, emailconfirmation: Any, signup: bool
    ) -> None:
        """A new person is in, whether or not the email could be sent."""
        try:
            super().send_confirmation_mail(request, emailconfirmation, signup)
        except OSError as problem:
            logger.warning("no mail could be sent: %s", type(problem).__name__)
            if not signup:
                raise
            said = _("We could not send an email to your address. You can try again in settings.")
            messages.warning(request, said)

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        message_context: Mapping[str, Any] | None = None,
        extra_tags: str = "",
        message: str | None = None,
    ) -> None:
        if said := message or SAID.get(message_template or ""):
            messages.add_message(request, level, str(said), extra_tags=extra_tags)


class SecondFactor(DefaultMFAAdapter):
    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": gettext_lazy(
            "This code is not right. Codes of an app change every half minute: try the next one."
        ),
    }

    def get_totp_label(self, user: User) -> str:
        return user.username

    def encrypt(self, text: str) -> str:
        return seal(text, settings.FIELD_KEYS)

    def decrypt(self, encrypted_text: str) -> str:
        """Raises `ValidationError` with code `key_lost`, which the form that asks a code shows."""
        try:
            return unseal(encrypted_text, settings.FIELD_KEYS)
        except Unreadable as problem:
            said = _("This site has lost the key of your second factor. Ask its owner for help.")
            raise ValidationError(said, code="key_lost") from problem
