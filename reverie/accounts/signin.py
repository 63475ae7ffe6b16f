"""The first way in: a link that works once, for whoever can read the machine's console."""

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation

from reverie.accounts.models import User


class OneTimeLink(PasswordResetTokenGenerator):
    """A token that dies with the sign-in it allows, since it is made from `last_login`."""

    key_salt = "reverie.accounts.signin"


link = OneTimeLink()


def first_owner() -> User:
    """The owner of this machine: the oldest superuser, made now if there is none."""
    owner = User.objects.filter(is_superuser=True, is_active=True).order_by("date_joined").first()
    return owner or User.objects.create_superuser("owner")


def link_path(user: User) -> str:
    """Path of a link that signs `user` in once, within PASSWORD_RESET_TIMEOUT."""
    return reverse("sign-in-link", args=[user.pk, link.make_token(user)])


def bearer(link_user: str, token: str) -> User | None:
    """Whom this link lets in; None when it was used, is too old or never was."""
    user = User.objects.filter(pk=link_user, is_active=True).first()
    return user if user and link.check_token(user, token) else None


def settle_language(user: User, request: HttpRequest) -> None:
    """Remember the language a person came with, once; they may change it in their settings."""
    if not user.language:
        user.language = translation.get_language_from_request(request) or settings.LANGUAGE_CODE
        user.save(update_fields=["language"])
