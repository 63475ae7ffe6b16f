"""One turn: open it (store, idempotent), prepare it (what is sent), close it (what came of it)."""

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from characters.models import Bond, Character, Persona
from conversations import faults, laying, leases, speakers, sync
from conversations.models import Conversation, Message, Participant, Reply
from memories import recall
from memories.models import Memory, decaying
from memories.recall import Query
from reverie.accounts.models import User
from reverie.providers.base import ChatModel, Request
from reverie.providers.choosing import chat_model
from reverie.text import clean, markdown
from reverie.text.ids import new_id
from reverie.text.template import fill


@dataclass(frozen=True)
class Opened:
    """A turn as it stands in the database: the person's message and the reply that answers it."""

    message: Message
    answer: Message
    reply: Reply
    conversation: Conversation
    replaced: UUID | None = None


@dataclass(frozen=True)
class Prepared:
    reply_id: UUID
    conversation_id: UUID
    message_id: UUID
    attempt: int
    model: ChatModel
    request: Request
    text: str = ""  # what the reply begins with, when it is continued


@dataclass(frozen=True)
class Outcome:
    """How a generation ended. `text` is what people saw, character for character."""

    status: Reply.Status
    text: str
    reasoning: str = ""
    error_code: str = ""
    error_detail: str = ""
    retry_after: float | None = None  # seconds
    usage: dict[str, int | Decimal | None] = field(default_factory=dict)
    cut_by_length: bool = False


@transaction.atomic
def begin(
    user: User, character: Character, persona: Persona | None = None, *, kind: str = "chat"
) -> Conversation:
    """Start a talk with `character`, who greets first."""
    bond = Bond.objects.between(user, character)
    worn = persona or bond.persona or Persona.objects.of(user).filter(is_default=True).first()
    conversation = Conversation.objects.create(
        owner=user,
        title=character.called,
        kind=kind,
        language=character.language,
        persona=worn,
        revision=1,
    )
    speaker = Participant.objects.create(
        conversation=conversation, character=character, name=character.called
    )
    _greet(conversation, speaker, character)
    return conversation


def _greet(conversation: Conversation, speaker: Participant, character: Character) -> None:
    """The greeting and its alternates are the replies of the first message."""
    if not (greetings := character.greetings):
        return
    name = speakers.mask(conversation).name
    texts = [fill(text, char=character.called, user=name) for text in greetings]
    message = Message(
        conversation=conversation, position=1, role="character", participant=speaker, revision=1
    )
    replies = [
        Reply(
            conversation=conversation,
            message=message,
            number=number,
            status=Reply.Status.DONE,
            text=text,
            html=markdown.render(text),
        )
        for number, text in enumerate(texts)
    ]
    message.chosen_reply_id = replies[0].pk
    message.save(force_insert=True)
    Reply.objects.bulk_create(replies)


def open(user: User, conversation_id: UUID, client_id: UUID, text: str) -> Opened:  # noqa: A001
    """Store what a person said and queue the reply to it, once per `client_id` (P2, P4).

    Raises `Conversation.DoesNotExist` for a talk that is not theirs, and `ValidationError` with
    code `empty`, `too_long`, `too_long_for_model`, `id_taken`, `turn_in_progress` or
    `character_gone`; then nothing was written.
    """
    text = said(text)
    with transaction.atomic():
        conversation = locked(user, conversation_id)
        if original := _already_open(conversation, client_id, text):
            return original
        _refuse_second_reply(conversation)
        speaker = conversation.participants.with_characters()[0]
        model = chat_model(conversation.model_choice)
        laying.refuse_too_long(speakers.voice(conversation, speaker, model), text)
        opened = _write_turn(conversation, speaker, client_id, text)
        faults.point("turns.open:inside")
    faults.point("turns.open:after-commit")
    return opened


def said(text: str) -> str:
    """A person's words as they are stored. Raises `ValidationError` when empty or too long."""
    text = clean.clean(text)
    if not text.strip():
        raise ValidationError(_("There is nothing to send."), code="empty")
    if (length := clean.length(text)) > settings.MESSAGE_MAX_LENGTH:
        raise ValidationError(
            _("This message has %(length)s characters; at most %(limit)s can be sent."),
            code="too_long",
            params={"length": length, "limit": settings.MESSAGE_MAX_LENGTH},
        )
    return text


def locked(user: User, conversation_id: UUID) -> Conversation:
    """A talk of this user, held until the transaction ends."""
    talks = Conversation.objects.of(user).select_related("owner", "persona", "model_choice")
    return talks.select_for_update(of=("self",)).get(pk=conversation_id)


def _already_open(conversation: Conversation, client_id: UUID, text: str) -> Opened | None:
    message = Message.objects.ever(conversation).filter(client_id=client_id).first()
    if message is None:
        return None
    if message.text != text:
        raise ValidationError(_("This message was sent before with other words."), code="id_taken")
    answer = Message.objects.ever(conversation).shown().get(answers=message)
    reply = answer.replies.all()[0]
    return Opened(message, answer, reply, conversation)


def _refuse_second_reply(conversation: Conversation) -> None:
    if Reply.objects.filter(conversation=conversation).active().exists():
        raise in_progress()


def in_progress() -> ValidationError:
    """The refusal of everything that has to wait for the reply under way (P4)."""
    return ValidationError(
        _("The character is still replying here. Wait for it, or stop it."),
        code="turn_in_progress",
    )


def _write_turn(
    conversation: Conversation, speaker: Participant, client_id: UUID, text: str
) -> Opened:
    position = _next_position(conversation)
    revision = conversation.advance(talked_at=timezone.now())
    message = Message(
        conversation=conversation,
        position=position,
        role="user",
        client_id=client_id,
        text=text,
        author=conversation.owner,
        persona=conversation.persona,
        revision=revision,
    )
    answer = Message(
        conversation=conversation,
        position=position + 1,
        role="character",
        participant=speaker,
        answers=message,
        revision=revision,
        chosen_reply_id=new_id(),
    )
    Message.objects.bulk_create([message, answer])
    reply = queue_reply(answer, answer.chosen_reply_id, number=0)
    sync.announce(conversation)
    return Opened(message, answer, reply, conversation)


def _next_position(conversation: Conversation) -> int:
    last = Message.objects.ever(conversation).last()
    return last.position + 1 if last else 1


def queue_reply(answer: Message, pk: UUID | None, *, number: int) -> Reply:
    return Reply.objects.create(
        pk=pk,
        conversation_id=answer.conversation_id,
        message=answer,
        number=number,
        lease_until=leases.fresh(),
    )


def stop(user: User, conversation_id: UUID) -> Reply | None:
    """Ask the reply under way to end; its process closes it with the text so far (P6)."""
    conversation = Conversation.objects.of(user).get(pk=conversation_id)
    reply = Reply.objects.filter(conversation=conversation).active().first()
    if reply:
        Reply.objects.filter(pk=reply.pk).active().update(stopping=True)
    return reply


def impersonate(user: User, conversation_id: UUID) -> tuple[ChatModel, Request]:
    """What to ask which model for a draft of the person's own next line. Nothing is written.

    Raises `DoesNotExist` as `open` does, and `ValidationError` with code `turn_in_progress`,
    `character_gone` or `too_long_for_model`.
    """
    talks = Conversation.objects.of(user).select_related("owner", "persona", "model_choice")
    conversation = talks.get(pk=conversation_id)
    _refuse_second_reply(conversation)
    model = chat_model(conversation.model_choice)
    speaker = conversation.participants.with_characters()[0]
    return model, laying.draft_line(conversation, speaker, model)


def searched_for(reply_id: UUID) -> str:
    """The words with which memories are searched for a queued reply; empty for no search."""
    reply = Reply.objects.waiting(reply_id).first()
    if reply is None or not decaying() or reply.message.answers is None:
        return ""
    speaker = reply.message.participant
    if speaker is None or speaker.character is None:
        return ""
    owner = reply.conversation.owner
    bond = Bond.objects.known(owner, speaker.character)
    known = Memory.objects.of(owner).in_force(speaker.character).unpinned()
    if not speakers.remembers(reply.conversation, bond) or not known.exists():
        return ""
    return recall.wording(reply.message.answers.text)


@transaction.atomic
def prepare(reply_id: UUID, query: Query | None = None) -> Prepared | None:
    """Claim a queued reply, search for `query` and lay out its prompt; None when somebody else has
    it already."""
    waiting = Reply.objects.waiting(reply_id)
    talks = Conversation.objects.select_for_update()  # the talk before its reply, as everywhere
    if not talks.filter(pk__in=waiting.values("conversation")).exists():
        return None
    if (reply := waiting.select_for_update(of=("self",)).first()) is None:
        return None
    if reply.stopping:
        reply.status = Reply.Status.STOPPED
        leases.end(reply)
        return None
    model = chat_model(reply.conversation.model_choice)
    reply.status, reply.attempt = Reply.Status.STREAMING, reply.attempt + 1
    reply.lease_until, reply.model = leases.fresh(), model.name
    request = laying.lay(reply, model, query)
    reply.save(update_fields=["status", "attempt", "lease_until", "model", "sent", "remembered"])
    faults.point("turns.prepare:inside")
    return Prepared(
        reply.pk,
        reply.conversation_id,
        reply.message_id,
        reply.attempt,
        model,
        request,
        reply.text if reply.continues else "",
    )


@transaction.atomic
def close(reply_id: UUID, attempt: int, outcome: Outcome) -> bool:
    """Store what came of a reply. False, and nothing stored, when this process had lost it."""
    reply = leases.held(reply_id, attempt)
    if reply is None:
        return False
    reply.status = outcome.status
    reply.text, reply.reasoning = outcome.text, outcome.reasoning
    reply.error_code, reply.error_detail = outcome.error_code, outcome.error_detail
    reply.cut_by_length = outcome.cut_by_length
    if outcome.retry_after is not None:
        reply.retry_after = timezone.now() + timedelta(seconds=outcome.retry_after)
    for name, value in outcome.usage.items():
        setattr(reply, name, value)
    leases.end(reply)
    faults.point("turns.close:inside")
    return True


@transaction.atomic
def refuse(reply_id: UUID, code: str) -> None:
    """End a queued reply for which nothing could be sent."""
    queued = Reply.objects.filter(pk=reply_id, status=Reply.Status.QUEUED)
    found = queued.values_list("attempt", flat=True).first()
    if found is not None and (reply := leases.held(reply_id, found)):
        reply.status, reply.error_code = Reply.Status.FAILED, code
        leases.end(reply)
