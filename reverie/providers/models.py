"""The models that the site's operator has connected. They are nobody's, so they have no owner."""

from decimal import Decimal
from typing import Any, Self

import httpx2
from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from reverie.text.ids import new_id
from reverie.text.sealing import Unreadable, seal, unseal

from .base import Price
from .compatible import DEFAULT_CONTEXT_TOKENS
from .presets import PRESETS

FEWEST_CONTEXT_TOKENS, MOST_CONTEXT_TOKENS = 1_024, 20_000_000
SHOWN_OF_KEY = 4  # its last characters, and only of a key that is long enough to keep the rest
LONG_KEY = 16


def _price(label: Any) -> "models.DecimalField[Any, Any]":
    """US dollars for a million tokens; null where nobody said."""
    least = [MinValueValidator(Decimal(0))]
    return models.DecimalField(
        label, max_digits=12, decimal_places=6, null=True, blank=True, validators=least
    )


class ConnectedModelQuerySet(models.QuerySet["ConnectedModel"]):
    def enabled(self) -> Self:
        return self.filter(enabled=True)

    def default(self) -> "ConnectedModel | None":
        """What chats use that choose nothing; None: the environment's, or the demo."""
        return self.enabled().filter(is_default=True).first()


class ConnectedModel(models.Model):
    """One model at one address, with its key sealed (A9)."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(
        _("kind"), max_length=16, choices=[(p.kind, p.name) for p in PRESETS], default="other"
    )
    label = models.CharField(_("name for people"), max_length=80, blank=True, default="")
    base_url = models.CharField(_("address"), max_length=500)
    model = models.CharField(_("model"), max_length=200)
    sealed_key = models.TextField(blank=True, default="", editable=False)
    key_end = models.CharField(max_length=SHOWN_OF_KEY, blank=True, default="", editable=False)
    context_tokens = models.PositiveIntegerField(
        _("context in tokens"),
        default=DEFAULT_CONTEXT_TOKENS,
        validators=[
            MinValueValidator(FEWEST_CONTEXT_TOKENS),
            MaxValueValidator(MOST_CONTEXT_TOKENS),
        ],
    )
    price_sent = _price(_("sent"))
    price_cached = _price(_("sent, from the cache"))
    price_written = _price(_("written"))
    enabled = models.BooleanField(_("people may choose it"), default=True)
    is_default = models.BooleanField(_("default"), default=False)
    takes_tools = models.BooleanField(null=True, editable=False)  # null: never tested
    tested_at = models.DateTimeField(null=True, editable=False)
    trouble = models.CharField(max_length=32, blank=True, default="", editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ConnectedModelQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name = _("connected model")
        verbose_name_plural = _("connected models")
        constraints = [
            models.UniqueConstraint(
                fields=["is_default"], condition=Q(is_default=True), name="one_default_model"
            ),
            models.CheckConstraint(
                condition=Q(is_default=False) | Q(enabled=True), name="the_default_is_enabled"
            ),
            models.CheckConstraint(
                condition=Q(context_tokens__gte=FEWEST_CONTEXT_TOKENS),
                name="context_has_room_to_talk",
            ),
            models.CheckConstraint(
                condition=Q(key_end="") | ~Q(sealed_key=""), name="an_end_belongs_to_a_key"
            ),
        ]

    def __str__(self) -> str:
        return self.label or self.model

    def uses(self) -> int:
        """How many chats chose it."""
        return self.conversations.count()

    @property
    def price(self) -> Price | None:
        if self.price_sent is None or self.price_written is None:
            return None
        cached = self.price_sent if self.price_cached is None else self.price_cached
        return Price(self.price_sent, cached, self.price_written)

    @property
    def host(self) -> str:
        return httpx2.URL(self.base_url).netloc.decode("ascii")

    def key(self) -> str:
        """The key, for calls and nothing else. Raises `Unreadable`."""
        return unseal(self.sealed_key, settings.FIELD_KEYS) if self.sealed_key else ""

    @property
    def key_is_lost(self) -> bool:
        """There is a key, but it was sealed under one of FIELD_KEYS that is gone."""
        try:
            self.key()
        except Unreadable:
            return True
        return False

    def take_key(self, key: str) -> None:
        """Keep this key from now on; an empty one forgets it."""
        self.sealed_key = seal(key, settings.FIELD_KEYS) if key else ""
        self.key_end = key[-SHOWN_OF_KEY:] if len(key) >= LONG_KEY else ""
