"""People, and the tokens with which their programs speak for them."""

import hashlib
import secrets
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from reverie.text.ids import new_id


class User(AbstractUser):
    """One person. `language` and `time_zone` follow them into sockets and background work."""

    class Language(models.TextChoices):
        ENGLISH = "en", _("English")
        JAPANESE = "ja", _("Japanese")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    language = models.CharField(
        _("language"), max_length=8, choices=Language.choices, blank=True, default=""
    )
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    welcomed = models.BooleanField(default=False, editable=False)
    shown_name = models.CharField(_("name that characters use"), max_length=80, blank=True)

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
