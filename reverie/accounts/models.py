"""People, the tokens with which their programs speak for them, and invitations of new people."""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from reverie.text.ids import new_id


class User(AbstractUser):
    """One person. `language` and `time_zone` follow them into sockets and background work."""

    class Language(models.TextChoices):
        ENGLISH = "en", _("English")
        JAPANESE = "ja", _("Japanese")

    class Privacy(models.TextChoices):
        """What characters may know of a person in rooms with other people (D15)."""

        OPEN = "open", pgettext_lazy("privacy", "Open")
        MESSAGES = "messages", _("Messages only")
        INVISIBLE = "invisible", _("Invisible")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    language = models.CharField(
        _("language"), max_length=8, choices=Language.choices, blank=True, default=""
    )
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    welcomed = models.BooleanField(default=False, editable=False)
    shown_name = models.CharField(_("name that characters use"), max_length=80, blank=True)
    privacy = models.CharField(
        _("privacy"), max_length=16, choices=Privacy.choices, default=Privacy.OPEN
    )

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="one_person_per_name",
                violation_error_message=_("Somebody here has that name already. Choose another."),
            ),
            models.CheckConstraint(
                condition=models.Q(privacy__in=["open", "messages", "invisible"]),
                name="privacy_is_known",
            ),
        ]

    @property
    def zone(self) -> ZoneInfo:
        """Where the person's clock is; UTC when this machine does not know the zone (any more)."""
        try:
            return ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")

    @property
    def name_for_characters(self) -> str:
        """What `{{user}}` becomes where no persona is worn."""
        return self.shown_name or self.username


def digest(token: str) -> str:
    """SHA-256 of a token of 256 random bits; only this is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def matching(self, token: str) -> "ApiTokenQuerySet":
        """The live token of these letters, if its person may still come in."""
        return self.filter(digest=digest(token), user__is_active=True).select_related("user")


class ApiToken(models.Model):
    """A bearer token. It is shown once, when it is made."""

    user = models.ForeignKey(User, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80, blank=True)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name or f"token {self.pk}"

    @classmethod
    def issue(cls, user: User, **fields: Any) -> str:
        """Make a token for `user` and return it: the only time that it can be read."""
        token = "rv_" + secrets.token_urlsafe(32)
        cls.objects.create(user=user, digest=digest(token), **fields)
        return token


INVITATION_LASTS = timedelta(days=14)


def invitation_end() -> datetime:
    return timezone.now() + INVITATION_LASTS


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def of(self, user: User) -> "InvitationQuerySet":
        return self.filter(made_by=user)

    def open(self) -> "InvitationQuerySet":
        """Those that still let somebody in; of own columns only, so that an UPDATE may ask it."""
        return self.filter(used_at=None, revoked_at=None, expires_at__gt=timezone.now())

    def matching(self, token: str) -> "InvitationQuerySet":
        """The open invitation of these letters, while its host may still invite."""
        hosts = self.open().filter(made_by__is_active=True, made_by__is_staff=True)
        return hosts.filter(digest=digest(token)).select_related("made_by")


class Invitation(models.Model):
    """Lets one new person in, once. Its link is shown once, when it is made."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    made_by = models.ForeignKey(
        User, models.CASCADE, verbose_name=_("invited by"), related_name="invitations"
    )
    digest = models.CharField(max_length=64, unique=True, editable=False)
    note = models.CharField(_("for whom"), max_length=200, blank=True)
    email = models.EmailField(_("their email address"), blank=True)
    created_at = models.DateTimeField(_("made"), default=timezone.now, editable=False)
    expires_at = models.DateTimeField(_("works until"), default=invitation_end, editable=False)
    revoked_at = models.DateTimeField(_("withdrawn"), null=True, editable=False)
    used_at = models.DateTimeField(_("used"), null=True, editable=False)
    used_by = models.ForeignKey(
        User,
        models.SET_NULL,
        verbose_name=_("used by"),
        null=True,
        editable=False,
        related_name="+",
    )

    objects = InvitationQuerySet.as_manager()

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(used_at=None) | models.Q(revoked_at=None),
                name="invitation_used_or_withdrawn",
            ),
            models.CheckConstraint(
                condition=models.Q(used_by=None) | models.Q(used_at__isnull=False),
                name="invitation_used_by_when_used",
            ),
        ]

    def __str__(self) -> str:
        """Without the note, which is its host's alone."""
        return f"{self.created_at:%Y-%m-%d %H:%M}"

    @property
    def name(self) -> str:
        """What its host calls it."""
        return self.note or self.email or str(self)

    @property
    def is_over(self) -> bool:
        """Too old, and nobody came."""
        return not self.used_at and not self.revoked_at and self.expires_at <= timezone.now()

    @property
    def is_open(self) -> bool:
        return not self.used_at and not self.revoked_at and not self.is_over
