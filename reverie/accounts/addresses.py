"""A person's one email address, and how another one takes its place."""

from allauth.account.models import EmailAddress
from allauth.core import ratelimit
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _

from reverie.accounts.models import User


def change(request: HttpRequest, user: User, email: str) -> EmailAddress | None:
    """Take a new address, or none. Returns the one that waits to be confirmed by its email.

    Where no mail is sent it is taken as it is. Raises `ValidationError` with the codes
    `too_many_emails` and `mail_failed`.
    """
    email = email.lower()
    if email == user.email.lower():
        return None
    if not email or not settings.SENDS_MAIL:
        _replace(user, email)
        return None
    if not ratelimit.consume(request, action="manage_email", user=user):
        said = _("You asked for many emails. Wait a quarter of an hour, then try again.")
        raise ValidationError(said, code="too_many_emails")
    return _ask(request, user, email)


@transaction.atomic
def _replace(user: User, email: str) -> None:
    EmailAddress.objects.filter(user=user).delete()
    if email:
        EmailAddress.objects.create(user=user, email=email, primary=True)
    user.email = email
    user.save(update_fields=["email"])


def _ask(request: HttpRequest, user: User, email: str) -> EmailAddress:
    waiting = EmailAddress.objects.add_new_email(request, user, email, send_verification=False)
    try:
        waiting.send_confirmation(request)
    except OSError as problem:
        said = _("The email could not be sent. Try again later, or ask this site's owner.")
        raise ValidationError(said, code="mail_failed") from problem
    return waiting


def waiting(user: User) -> str:
    """The address whose email has not been answered yet, or an empty text."""
    rows = EmailAddress.objects.filter(user=user, verified=False, primary=False)
    row = rows.order_by("pk").last()
    return row.email if row else ""
