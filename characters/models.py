"""Who talks, who they talk to, and what is between them."""

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Self, cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from characters.cards.values import Rest
from reverie.accounts.models import User
from reverie.text.clean import clean, length, scrub
from reverie.text.ids import new_id

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

LONG_TEXT = 40_000  # code points of one field of a character
MOST_TAGS, TAG_LENGTH = 60, 80
MOST_GREETINGS = 40
NOTE_LENGTH = 4_000


def _text(label: "StrOrPromise", limit: int = LONG_TEXT) -> "models.TextField[str, str]":
    return models.TextField(label, blank=True, default="", validators=[MaxLengthValidator(limit)])


class Tidy(models.Model):
    """Texts are cleaned before they are measured, whichever way they came in (A12, D2)."""

    class Meta:
        abstract = True

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        for field in self._meta.fields:
            value = getattr(self, field.attname)
            if isinstance(field, models.CharField | models.TextField) and isinstance(value, str):
                setattr(self, field.attname, clean(value))
            elif isinstance(field, models.JSONField):
                setattr(self, field.attname, _tidied(scrub(value)))
        super().clean_fields(exclude)


def _tidied(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [clean(item) if isinstance(item, str) else item for item in value]


def at_most_tags(tags: list[str]) -> None:
    """Validator of `tags`."""
    if len(tags) > MOST_TAGS or any(length(tag) > TAG_LENGTH for tag in tags):
        raise ValidationError(
            _("At most %(count)s tags, each of at most %(length)s characters."),
            params={"count": MOST_TAGS, "length": TAG_LENGTH},
        )


def at_most_greetings(greetings: list[str]) -> None:
    """Validator of `alternate_greetings`."""
    if len(greetings) > MOST_GREETINGS or any(length(text) > LONG_TEXT for text in greetings):
        raise ValidationError(
            _("At most %(count)s greetings, each of at most %(length)s characters."),
            params={"count": MOST_GREETINGS, "length": LONG_TEXT},
        )


class CharacterQuerySet(models.QuerySet["Character"]):
    def of(self, user: User) -> Self:
        return self.filter(owner=user)

    def latest_first(self) -> Self:
        """Those that were talked with last, then the newest. `talked_at` is None for the others."""
        talked = models.Max("participations__conversation__talked_at")
        order = (models.F("talked_at").desc(nulls_last=True), "-pk")
        return self.annotate(talked_at=talked).order_by(*order)


_Characters = models.Manager.from_queryset(CharacterQuerySet)


class CharacterManager(_Characters):
    """Characters without the rest of their cards, which may be megabytes: whoever asks gets it."""

    def get_queryset(self) -> CharacterQuerySet:  # type: ignore[override]  # of any model, above
        return cast(CharacterQuerySet, super().get_queryset().defer("rest"))


class Character(Tidy):
    """The AI persona that talks, with every field that the field's cards know."""

    NAME_LENGTH = 80

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="characters")
    name = models.CharField(_("name"), max_length=NAME_LENGTH)
    nickname = models.CharField(_("nickname"), max_length=80, blank=True, default="")
    tagline = models.CharField(_("tagline"), max_length=200, blank=True, default="")
    description = _text(_("description"))
    personality = _text(_("personality"))
    scenario = _text(_("scenario"))
    greeting = _text(_("greeting"))
    alternate_greetings = models.JSONField(
        _("other greetings"), default=list, blank=True, validators=[at_most_greetings]
    )
    example_dialogue = _text(_("example dialogue"))
    system_prompt = _text(_("system prompt"))
    post_history_instructions = _text(_("instructions after the talk"))
    tags = models.JSONField(_("tags"), default=list, blank=True, validators=[at_most_tags])
    language = models.CharField(
        _("language"), max_length=8, choices=User.Language.choices, default=User.Language.ENGLISH
    )
    avatar = models.ImageField(_("picture"), upload_to="avatars/", blank=True)
    creator = models.CharField(_("creator"), max_length=200, blank=True, default="")
    creator_notes = _text(_("creator's notes"))
    character_version = models.CharField(_("version"), max_length=80, blank=True, default="")
    # JSON text in ASCII: it keeps the card's own order, and nothing in it is tidied (C82).
    rest = models.TextField(blank=True, default="", editable=False)
    assets = models.FileField(upload_to="assets/", blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = CharacterManager()

    class Meta:
        ordering = ["-id"]
        base_manager_name = "objects"  # also when it is reached from something else
        verbose_name = _("character")
        verbose_name_plural = _("characters")

    def __str__(self) -> str:
        return self.name

    @property
    def called(self) -> str:
        """What `{{char}}` becomes."""
        return self.nickname or self.name

    @property
    def kept_rest(self) -> Rest:
        """What its card had that has no column."""
        return Rest(**json.loads(self.rest)) if self.rest else Rest()

    @property
    def extensions(self) -> dict[str, Any]:
        return self.kept_rest.extensions

    @property
    def greetings(self) -> list[str]:
        """The greeting and its alternates, the empty ones left out."""
        return [text for text in [self.greeting, *self.alternate_greetings] if text.strip()]


class CardDraftQuerySet(models.QuerySet["CardDraft"]):
    def of(self, user: User) -> Self:
        return self.filter(owner=user)


class CardDraft(models.Model):
    """A card between its upload and the decision to keep it. It is deleted after a day."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="card_drafts")
    file_name = models.CharField(max_length=80, blank=True)
    card = models.TextField()  # JSON in ASCII, as it came
    notes = models.JSONField(default=list)  # codes of what happened to the file itself
    picture = models.FileField(upload_to="drafts/", blank=True)
    assets = models.FileField(upload_to="drafts/", blank=True)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    objects = CardDraftQuerySet.as_manager()

    def __str__(self) -> str:
        return f"draft {self.pk}"


class PersonaQuerySet(models.QuerySet["Persona"]):
    def of(self, user: User) -> Self:
        return self.filter(owner=user)


class Persona(Tidy):
    """Who the person is in a talk. It isolates nothing: memories are shared by all (R55)."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="personas")
    name = models.CharField(_("name"), max_length=80)
    description = _text(_("description"), 8_000)
    is_default = models.BooleanField(_("use in new chats"), default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = PersonaQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name = _("persona")
        verbose_name_plural = _("personas")
        constraints = [
            models.UniqueConstraint(
                fields=["owner"], condition=Q(is_default=True), name="one_default_persona"
            )
        ]

    def __str__(self) -> str:
        return self.name


class BondQuerySet(models.QuerySet["Bond"]):
    def of(self, user: User) -> Self:
        return self.filter(user=user)

    def between(self, user: User, character: Character) -> "Bond":
        """The bond of these two, made with its defaults when they first meet (D36)."""
        return self.get_or_create(user=user, character=character)[0]

    def known(self, user: User, character: Character) -> "Bond":
        """As `between`, for reading: one that was never written is not written now."""
        found = self.of(user).filter(character=character).first()
        return found or Bond(user=user, character=character)


class Bond(Tidy):
    """What is between one person and one character (D36)."""

    class Detail(models.TextChoices):
        KEY_EVENTS = "key_events", _("Key events only")
        BALANCED = "balanced", _("Balanced")
        DETAILED = "detailed", _("Detailed")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="bonds")
    character = models.ForeignKey(Character, models.CASCADE, related_name="bonds")
    note = _text(_("your relationship"), NOTE_LENGTH)
    learns = models.BooleanField(_("learn from chat"), default=True)
    memory_detail = models.CharField(
        _("memory detail"), max_length=16, choices=Detail.choices, default=Detail.BALANCED
    )
    persona = models.ForeignKey(
        Persona, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("persona")
    )
    updated_at = models.DateTimeField(auto_now=True)

    objects = BondQuerySet.as_manager()

    class Meta:
        verbose_name = _("bond")
        verbose_name_plural = _("bonds")
        constraints = [
            models.UniqueConstraint(fields=["user", "character"], name="one_bond_per_pair")
        ]

    def __str__(self) -> str:
        return f"{self.user} – {self.character}"
