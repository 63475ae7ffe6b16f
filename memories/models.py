"""What is remembered: scopes, the memories in them, and the journal of every change."""

from functools import lru_cache
from typing import Any, Self

from django.conf import settings
from django.db import connection, models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from characters.models import Character
from memories.engine import decay
from memories.engine.limits import Limits
from memories.engine.values import Note, State
from reverie.accounts.models import User
from reverie.text.ids import new_id


def limits() -> Limits:
    """The limits of every scope, from the settings (D2)."""
    return Limits(settings.MEMORY_LIMIT, settings.PIN_LIMIT, settings.MEMORY_MAX_LENGTH)


def decaying() -> bool:
    """Whether memories sleep at all. Without a search nothing could wake them (S8, S75, D39)."""
    searched = settings.EMBEDDING_MODEL != "none" and has_vectors()
    return settings.MEMORY_DECAY_ENABLED and searched


@lru_cache(maxsize=1)
def has_vectors() -> bool:
    """Whether PostgreSQL had pgvector when the tables were made (S79)."""
    return MemoryVector._meta.db_table in connection.introspection.table_names()


class MemoryScopeQuerySet(models.QuerySet["MemoryScope"]):
    def of(self, user: User) -> Self:
        return self.filter(owner=user)

    def with_characters(self) -> Self:
        return self.select_related("character").defer("character__rest")

    def in_force(self, character: Character | None) -> Self:
        """What is read when this character talks: its own scope and the global one (R52, R53)."""
        return self.filter(Q(character=character) | Q(character=None))

    def within(self, user: User, character: Character | None) -> "MemoryScope":
        """The scope of this character, or the global one, made when it is first written to.

        Raises `Character.DoesNotExist` when the character is being deleted just now.
        """
        if character and not self.filter(owner=user, character=character).exists():
            Character.objects.select_for_update(no_key=True).get(pk=character.pk)
        return self.get_or_create(owner=user, character=character)[0]


class MemoryScope(models.Model):
    """Where a memory lives: with one character, or with all of them (D1).

    Its row holds the counts, and with them the lock and the limits: whoever writes takes a place
    by a conditional UPDATE of the count. `revision` grows with every change in it.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="scopes")
    # Whoever deletes a character moves its memories first (D12); forgetting that is refused.
    character = models.ForeignKey(
        Character, models.RESTRICT, null=True, blank=True, related_name="scopes"
    )
    unpinned_count = models.PositiveIntegerField(default=0)
    pinned_count = models.PositiveIntegerField(default=0)
    revision = models.PositiveBigIntegerField(default=0)

    objects = MemoryScopeQuerySet.as_manager()

    class Meta:
        verbose_name = _("memory scope")
        verbose_name_plural = _("memory scopes")
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "character"], nulls_distinct=False, name="one_row_per_scope"
            )
        ]

    def __str__(self) -> str:
        return str(self.character or _("Global"))

    @property
    def is_global(self) -> bool:
        return self.character_id is None


class MemoryQuerySet(models.QuerySet["Memory"]):
    def of(self, user: User) -> Self:
        return self.filter(scope__owner=user)

    def within(self, character: Character | None) -> Self:
        """Those of one scope: of this character, or the global ones."""
        return self.filter(scope__character=character)

    def in_force(self, character: Character) -> Self:
        """Those that are read when this character talks (R53, R58)."""
        return self.filter(Q(scope__character=character) | Q(scope__character=None))

    def pinned(self) -> Self:
        return self.filter(strength=Memory.Strength.PINNED)

    def unpinned(self) -> Self:
        return self.exclude(strength=Memory.Strength.PINNED)

    def held(self) -> Self:
        return self.filter(held=True)

    def active(self) -> Self:
        awake = self.unpinned().filter(held=False)
        return awake.filter(unused_days__lt=decay.DORMANT_AFTER) if decaying() else awake

    def dormant(self) -> Self:
        asleep = self.unpinned().filter(held=False, unused_days__gte=decay.DORMANT_AFTER)
        return asleep if decaying() else self.none()

    def in_state(self, state: State) -> Self:
        match state:
            case State.PINNED:
                return self.pinned().filter(held=False)
            case State.HELD:
                return self.held()
            case State.ACTIVE:
                return self.active()
        return self.dormant()


class Memory(models.Model):
    """A lasting fact. `unused_days` counts days of talk that did not touch it (S9)."""

    class Strength(models.TextChoices):
        PLAIN = "plain", _("written by the AI")
        PROTECTED = "protected", _("protected")
        PINNED = "pinned", _("pinned")

    class Origin(models.TextChoices):
        ADDED = "added", _("added by you")
        CHAT = "chat", _("saved in a reply")
        GENERATED = "generated", _("made from your description")
        EXTRACTED = "extracted", _("saved from a talk")
        DEEPER = "deeper", _("found in older talk")
        IMPORTED = "imported", _("imported")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    scope = models.ForeignKey(MemoryScope, models.CASCADE, related_name="memories")
    text = models.TextField(_("text"))
    strength = models.CharField(max_length=16, choices=Strength.choices, default=Strength.PLAIN)
    held = models.BooleanField(_("held back"), default=False)
    origin = models.CharField(max_length=16, choices=Origin.choices, default=Origin.ADDED)
    unused_days = models.PositiveSmallIntegerField(default=0)
    last_counted_on = models.DateField(null=True, blank=True)  # a UTC day (S18)
    last_matched_at = models.DateTimeField(null=True, blank=True)
    reply_uid = models.UUIDField(null=True, blank=True)  # the reply that wrote it
    from_character = models.CharField(max_length=80, blank=True, default="")  # moved from (D12)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = MemoryQuerySet.as_manager()

    class Meta:
        verbose_name = _("memory")
        verbose_name_plural = _("memories")
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="a_memory_says_something"),
            models.CheckConstraint(
                condition=Q(strength__in=["plain", "protected", "pinned"]),
                name="a_memory_has_a_known_strength",
            ),
            models.CheckConstraint(
                condition=~Q(strength="pinned") | Q(unused_days=0, held=False),
                name="a_pin_never_ages_and_is_never_held_back",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.strength} {self.pk}"

    @property
    def note(self) -> Note:
        """This memory as the rules take it."""
        return Note(
            id=self.pk,
            scope=self.scope_id,
            text=self.text,
            pinned=self.pinned,
            created_at=self.created_at,
            updated_at=self.updated_at,
            unused_days=self.unused_days if decaying() else 0,
            counted_on=self.last_counted_on,
            held=self.held,
            protected=self.strength != self.Strength.PLAIN,
            matched_at=self.last_matched_at,
        )

    @property
    def pinned(self) -> bool:
        return self.strength == self.Strength.PINNED

    @property
    def state(self) -> State:
        return decay.state(self.note)


class Dimensions(models.Func):
    """How many numbers a vector has: a model may change and keep its name."""

    function = "vector_dims"
    output_field = models.IntegerField()


class MemoryVector(models.Model):
    """What an embedding model makes of a memory's text. Vectors of other models are never compared
    with it (D11), so it has no fixed size. Its table is there where PostgreSQL has pgvector (S79),
    which deletes it with its memory.
    """

    memory = models.OneToOneField(
        Memory, models.DO_NOTHING, primary_key=True, related_name="embedded", db_constraint=False
    )
    model = models.CharField(max_length=200)
    vector = VectorField()

    def __str__(self) -> str:
        return f"{self.model} {self.pk}"


class MemoryChangeQuerySet(models.QuerySet["MemoryChange"]):
    def of(self, user: User) -> Self:
        return self.filter(owner=user)

    def latest_first(self) -> Self:
        return self.order_by("-id")


class MemoryChange(models.Model):
    """A line of the journal: what was done to which memory, by whom, and how it was before.

    `before` and `after` are the memory as `journal.picture` gives it; None where there was none.
    """

    class Kind(models.TextChoices):
        ADDED = "added", _("added")
        EDITED = "edited", _("edited")
        DELETED = "deleted", _("deleted")
        PINNED = "pinned", _("pinned")
        UNPINNED = "unpinned", _("unpinned")
        MOVED = "moved", _("made global")
        FORGOTTEN = "forgotten", _("forgotten to make room")
        UNDONE = "undone", _("undone")
        SLEPT = "slept", _("fell asleep")
        WOKE = "woke", _("woke up")

    class By(models.TextChoices):
        PERSON = "person", _("you")
        CHARACTER = "character", _("the character")
        BACKGROUND = "background", _("deeper memory")
        STAFF = "staff", _("staff")
        PRODUCT = "product", _("Reverie")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="memory_changes"
    )
    scope = models.ForeignKey(MemoryScope, models.CASCADE, related_name="changes")
    memory_uid = models.UUIDField()
    kind = models.CharField(max_length=16, choices=Kind.choices)
    by = models.CharField(max_length=16, choices=By.choices, default=By.PERSON)
    reply_uid = models.UUIDField(null=True, blank=True)
    before: "models.JSONField[dict[str, Any] | None]" = models.JSONField(null=True, blank=True)
    after: "models.JSONField[dict[str, Any] | None]" = models.JSONField(null=True, blank=True)
    undoes = models.OneToOneField(
        "self", models.SET_NULL, null=True, blank=True, related_name="undone_by"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = MemoryChangeQuerySet.as_manager()

    class Meta:
        verbose_name = _("change of a memory")
        verbose_name_plural = _("changes of memories")
        indexes = [
            models.Index(fields=["owner", "-id"], name="journal_of_owner"),
            models.Index(fields=["memory_uid", "-id"], name="journal_of_memory"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.memory_uid}"
