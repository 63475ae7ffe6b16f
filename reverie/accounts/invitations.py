"""Letting new people in, one invitation each."""

import secrets
from uuid import UUID

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

from reverie.accounts.models import Invitation, User, digest


def make(host: User, *, note: str = "", email: str = "") -> tuple[Invitation, str]:
    """A new invitation and its token: the only time that the token can be read."""
    token = secrets.token_urlsafe(32)
    row = Invitation.objects.create(made_by=host, digest=digest(token), note=note, email=email)
    return row, token


def withdraw(host: User, pk: UUID) -> bool:
    """Let nobody in by this invitation any more; False when it is used or over already."""
    rows = Invitation.objects.of(host).open().filter(pk=pk)
    return bool(rows.update(revoked_at=timezone.now()))


def take(invitation: Invitation, guest: User) -> None:
    """Use an invitation up. Of two people with one link, the second is refused.

    Raises `ValidationError` with code `invitation_used`; roll back what `guest` is then.
    """
    rows = Invitation.objects.open().filter(pk=invitation.pk)
    if not rows.update(used_by=guest, used_at=timezone.now()):
        said = _("This invitation is used up. Ask whoever invited you for another one.")
        raise ValidationError(said, code="invitation_used")
