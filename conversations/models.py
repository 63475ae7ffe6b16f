"""A talk: its messages, the replies that are alternatives of one, and what was sent for them."""

from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import Prefetch, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from characters.models import Character, Persona
from reverie.accounts.models import User
from reverie.providers.models import ConnectedModel
from reverie.text.ids import new_id

FEWEST_REPLY_TOKENS, MOST_REPLY_TOKENS = 64, 8_192
MOST_TEMPERATURE = 2.0


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def of(self, user: User) -> Self:
        """What is deleted is not there, for anybody; `trashed` has it."""
        return self.filter(owner=user, deleted_at=None)

    def trashed(self, user: User) -> Self:
        """Deleted, and not yet gone for good."""
        return self.filter(owner=user).exclude(deleted_at=None)

    def with_speakers(self) -> Self:
        return self.select_related("persona").prefetch_related("participants__character")

    def latest_first(self) -> Self:
        return self.order_by("-talked_at", "-id")


class Conversation(models.Model):
    """One talk. Every transaction that changes what people see of it takes the next `revision`."""

    class Kind(models.TextChoices):
        CHAT = "chat", _("Chat")
        CHALLENGE = "challenge", _("Challenge")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="conversations"
    )
    title = models.CharField(_("title"), max_length=200, blank=True, default="")
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.CHAT)
    language = models.CharField(max_length=8, choices=User.Language.choices)
    persona = models.ForeignKey(
        Persona, models.SET_NULL, null=True, blank=True, related_name="conversations"
    )
    model_choice = models.ForeignKey(
        ConnectedModel, models.SET_NULL, null=True, blank=True, related_name="conversations"
    )
    # Null: as the model has it.
    temperature = models.FloatField(null=True, blank=True)
    reply_tokens = models.PositiveIntegerField(null=True, blank=True)
    revision = models.PositiveBigIntegerField(default=0, editable=False)
    generation = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    talked_at = models.DateTimeField(default=timezone.now, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        constraints = [
            models.CheckConstraint(
                condition=Q(temperature=None) | Q(temperature__range=(0, MOST_TEMPERATURE)),
                name="temperature_of_a_model",
            ),
            models.CheckConstraint(
                condition=Q(reply_tokens=None)
                | Q(reply_tokens__range=(FEWEST_REPLY_TOKENS, MOST_REPLY_TOKENS)),
                name="a_reply_of_some_length",
            ),
        ]
        indexes = [models.Index(fields=["owner", "-talked_at", "-id"], name="chats_of_owner")]

    def __str__(self) -> str:
        return self.title or str(self.pk)

    def advance(self, **fields: Any) -> int:
        """Take the next revision and save `fields` with it. The caller holds the row's lock."""
        self.revision += 1
        for name, value in fields.items():
            setattr(self, name, value)
        self.save(update_fields=["revision", *fields])
        return self.revision


class ParticipantQuerySet(models.QuerySet["Participant"]):
    def with_characters(self) -> Self:
        return self.select_related("character").defer("character__rest")


class Participant(models.Model):
    """A character that talks here. The name outlives it, so that old talk stays readable."""

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="participants")
    character = models.ForeignKey(
        Character, models.SET_NULL, null=True, blank=True, related_name="participations"
    )
    name = models.CharField(max_length=80)
    place = models.PositiveSmallIntegerField(default=0)

    objects = ParticipantQuerySet.as_manager()

    class Meta:
        ordering = ["place"]
        constraints = [
            models.UniqueConstraint(fields=["conversation", "place"], name="one_per_place"),
            models.UniqueConstraint(fields=["conversation", "character"], name="joins_once"),
        ]

    def __str__(self) -> str:
        return self.name


class MessageQuerySet(models.QuerySet["Message"]):
    def of(self, user: User) -> Self:
        return self.filter(conversation__owner=user, conversation__deleted_at=None)

    def within(self, conversation: Conversation) -> Self:
        """What is said in a talk; what was deleted there is not."""
        return self.filter(conversation=conversation, deleted_in=None).order_by("position")

    def ever(self, conversation: Conversation) -> Self:
        """As `within`, with what was deleted."""
        return self.filter(conversation=conversation).order_by("position")

    def shown(self) -> Self:
        """With everything that showing a message needs, in two statements."""
        replies = Reply.objects.kept().defer("reasoning", "sent")
        said_by = self.select_related("participant", "persona")
        return said_by.prefetch_related(Prefetch("replies", replies))


class Message(models.Model):
    """One place in the talk: what a person said, or the alternatives of what a character said."""

    class Role(models.TextChoices):
        USER = "user", _("You")
        CHARACTER = "character", _("Character")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="messages")
    position = models.PositiveIntegerField()
    role = models.CharField(max_length=16, choices=Role.choices)
    client_id = models.UUIDField(null=True, blank=True, editable=False)
    text = models.TextField(blank=True, default="")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    persona = models.ForeignKey(Persona, models.SET_NULL, null=True, blank=True, related_name="+")
    participant = models.ForeignKey(
        Participant, models.RESTRICT, null=True, blank=True, related_name="messages"
    )
    answers = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="answered_by"
    )
    chosen_reply = models.ForeignKey(
        "Reply", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    revision = models.PositiveBigIntegerField(editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    edited_at = models.DateTimeField(null=True, blank=True, editable=False)
    # The revision of the act that deleted it: what one act deleted, one undo brings back (D37).
    deleted_in = models.PositiveBigIntegerField(null=True, blank=True, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = MessageQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["conversation", "position"], name="one_per_position"),
            # For ever: a late second delivery of an old send is still the same message (P2).
            models.UniqueConstraint(fields=["conversation", "client_id"], name="never_doubled"),
            models.CheckConstraint(
                condition=Q(role="user", participant=None, chosen_reply=None)
                | Q(role="character", participant__isnull=False, text="", client_id=None),
                name="words_of_a_person_or_replies",
            ),
        ]
        indexes = [models.Index(fields=["conversation", "revision"], name="messages_by_revision")]

    def __str__(self) -> str:
        return f"{self.role} {self.position}"


class ReplyQuerySet(models.QuerySet["Reply"]):
    def of(self, user: User) -> Self:
        return self.filter(conversation__owner=user, conversation__deleted_at=None)

    def ever_of(self, user: User) -> Self:
        """As `of`, with those of deleted talks."""
        return self.filter(conversation__owner=user)

    def kept(self) -> Self:
        """Versions that were not deleted, the oldest first."""
        return self.filter(deleted_in=None).order_by("number")

    def active(self) -> Self:
        return self.filter(status__in=Reply.ACTIVE)

    def waiting(self, pk: UUID) -> Self:
        """A queued reply, with everything that laying its prompt needs."""
        return (
            self.filter(pk=pk, status=Reply.Status.QUEUED)
            .select_related(
                "conversation__owner",
                "conversation__persona",
                "conversation__model_choice",
                "message__participant__character",
                "message__answers",
            )
            .defer("message__participant__character__rest")
        )

    def lost(self) -> Self:
        """Active, but its process has said nothing for a whole lease (P7)."""
        return self.active().filter(lease_until__lt=timezone.now())


class Reply(models.Model):
    """One version of what a character said. `attempt` fences off a process that lost its lease."""

    class Status(models.TextChoices):
        QUEUED = "queued", _("queued")
        STREAMING = "streaming", _("streaming")
        DONE = "done", _("done")
        STOPPED = "stopped", _("stopped")
        FAILED = "failed", _("failed")
        INTERRUPTED = "interrupted", _("interrupted")

    ACTIVE = (Status.QUEUED, Status.STREAMING)

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="replies")
    message = models.ForeignKey(Message, models.CASCADE, related_name="replies")
    number = models.PositiveSmallIntegerField(default=0)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED)
    text = models.TextField(blank=True, default="")
    html = models.TextField(blank=True, default="")
    reasoning = models.TextField(blank=True, default="")
    error_code = models.CharField(max_length=32, blank=True, default="")
    error_detail = models.TextField(blank=True, default="")
    retry_after = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    stopping = models.BooleanField(default=False)
    model = models.CharField(max_length=200, blank=True, default="")
    sent: "models.JSONField[dict[str, Any] | None]" = models.JSONField(null=True, blank=True)
    remembered = models.PositiveSmallIntegerField(default=0)  # memories in what was sent
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    cached_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)
    edited_at = models.DateTimeField(null=True, blank=True, editable=False)
    deleted_in = models.PositiveBigIntegerField(null=True, blank=True, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    continues = models.BooleanField(default=False)  # the text so far is its beginning
    cut_by_length = models.BooleanField(default=False)  # it reached the length that was asked for

    objects = ReplyQuerySet.as_manager()

    class Meta:
        verbose_name = _("reply")
        verbose_name_plural = _("replies")
        constraints = [
            models.UniqueConstraint(
                fields=["conversation"],
                condition=Q(status__in=["queued", "streaming"]),
                name="one_active_reply",
            ),
            models.UniqueConstraint(fields=["message", "number"], name="one_reply_per_number"),
            models.CheckConstraint(
                condition=~Q(status__in=["queued", "streaming"]) | Q(lease_until__isnull=False),
                name="active_replies_hold_a_lease",
            ),
        ]
        indexes = [
            models.Index(
                fields=["lease_until"],
                condition=Q(status__in=["queued", "streaming"]),
                name="leases_of_active_replies",
            )
        ]

    def __str__(self) -> str:
        return f"{self.status} {self.number}"

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE


class PromptPiece(models.Model):
    """A text that prompts and folds of one owner refer to by its hash (D42)."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="prompt_pieces"
    )
    hash = models.CharField(max_length=22)
    text = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "hash"], name="one_text_per_hash")]

    def __str__(self) -> str:
        return self.hash


class Fold(models.Model):
    """A prefix as it was laid for one character of a talk, and why it was laid anew (D10)."""

    class Reason(models.TextChoices):
        FIRST = "first", _("first reply")
        DAY = "day", _("first reply of the day")
        CHANGE = "change", _("something in it was changed")
        PIN = "pin", _("a memory was pinned")
        SLEEP = "sleep", _("a memory fell asleep")
        CONTEXT = "context", _("the model's context was full")

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="folds")
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="folds")
    reason = models.CharField(max_length=16, choices=Reason.choices)
    prefix = models.JSONField()
    first_position = models.PositiveIntegerField()
    model = models.CharField(max_length=200)
    context = models.PositiveIntegerField(default=0)  # tokens of the model's context
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        indexes = [models.Index(fields=["conversation", "participant", "-id"], name="last_fold")]

    def __str__(self) -> str:
        return f"{self.reason} {self.created_at:%Y-%m-%d}"
