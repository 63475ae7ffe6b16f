"""Acts on talks and on what was said in them; each takes the next revision, so tabs keep step."""

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from characters.models import Persona
from conversations import sync, turns
from conversations.models import (
    FEWEST_REPLY_TOKENS,
    MOST_REPLY_TOKENS,
    MOST_TEMPERATURE,
    Conversation,
    Message,
    MessageQuerySet,
    Reply,
)
from reverie.accounts.models import User
from reverie.providers.models import ConnectedModel
from reverie.text import clean, markdown

TITLE_LENGTH = 200  # code points


def take(user: User, conversation_id: UUID) -> Conversation:
    """Lock a talk, take its next revision and announce it; an act that refuses undoes all that."""
    conversation = turns.locked(user, conversation_id)
    conversation.advance()
    sync.announce(conversation)
    return conversation


@transaction.atomic
def change(user: User, conversation_id: UUID, fields: dict[str, Any]) -> Conversation:
    """Set `title`, `persona_id`, `model_id`, `temperature` or `reply_tokens` of a talk.

    Raises `ValidationError` with code `too_long`, `no_such_model`, `temperature_range` or
    `reply_length_range`; then nothing is changed.
    """
    conversation = turns.locked(user, conversation_id)
    changed: dict[str, Any] = {}
    if "title" in fields:
        changed["title"] = _title(fields["title"])
    if "persona_id" in fields:
        worn = fields["persona_id"]
        changed["persona"] = Persona.objects.of(user).get(pk=worn) if worn else None
    changed |= _how_it_talks(fields)
    if changed:
        conversation.advance(**changed)
        sync.announce(conversation)
    return conversation


def _how_it_talks(fields: dict[str, Any]) -> dict[str, Any]:
    """The checked fields that say which model talks, and how."""
    changed: dict[str, Any] = {}
    if "model_id" in fields:
        changed["model_choice"] = _model(fields["model_id"])
    if "temperature" in fields:
        changed["temperature"] = _temperature(fields["temperature"])
    if "reply_tokens" in fields:
        changed["reply_tokens"] = _reply_tokens(fields["reply_tokens"])
    return changed


def _model(pk: UUID | None) -> ConnectedModel | None:
    row = ConnectedModel.objects.enabled().filter(pk=pk).first() if pk else None
    if pk and row is None:
        raise ValidationError(
            _("This model is not offered any more. Choose another one."), code="no_such_model"
        )
    return row


def _temperature(degrees: float | None) -> float | None:
    if degrees is not None and not 0 <= degrees <= MOST_TEMPERATURE:
        raise ValidationError(
            _("A temperature is between 0 and %(most)s."),
            code="temperature_range",
            params={"most": f"{MOST_TEMPERATURE:g}"},
        )
    return degrees


def _reply_tokens(tokens: int | None) -> int | None:
    if tokens is not None and not FEWEST_REPLY_TOKENS <= tokens <= MOST_REPLY_TOKENS:
        raise ValidationError(
            _("A reply has between %(least)s and %(most)s tokens, or as many as the model likes."),
            code="reply_length_range",
            params={"least": FEWEST_REPLY_TOKENS, "most": MOST_REPLY_TOKENS},
        )
    return tokens


def _title(text: str | None) -> str:
    title = clean.clean(text or "").strip()
    if clean.length(title) > TITLE_LENGTH:
        raise ValidationError(
            _("A title has at most %(limit)s characters."),
            code="too_long",
            params={"limit": TITLE_LENGTH},
        )
    return title


@transaction.atomic
def edit_message(
    user: User, conversation_id: UUID, message_id: UUID, text: str, *, seen: int | None = None
) -> Message:
    """Change a person's own words. Nothing is answered anew by that: edit is not rerun.

    `seen` is the message's revision that the editor knew. Raises `ValidationError` with code
    `changed_elsewhere`, `not_yours_to_edit`, `empty` or `too_long`.
    """
    conversation = take(user, conversation_id)
    message = Message.objects.within(conversation).shown().get(pk=message_id)
    if message.role != Message.Role.USER:
        raise ValidationError(
            _("A character's words are edited in the reply."), code="not_yours_to_edit"
        )
    _refuse_stale(message, seen)
    message.text, message.edited_at = turns.said(text), timezone.now()
    message.revision = conversation.revision
    message.save(update_fields=["text", "edited_at", "revision"])
    return message


@transaction.atomic
def edit_reply(
    user: User, conversation_id: UUID, reply_id: UUID, text: str, *, seen: int | None = None
) -> Reply:
    """Change what a character said in one version.

    Raises as `edit_message` does, and `turn_in_progress` for one that is being written.
    """
    conversation = take(user, conversation_id)
    reply = _ended(conversation, reply_id)
    _refuse_stale(reply.message, seen)
    reply.text, reply.edited_at = turns.said(text), timezone.now()
    reply.html = markdown.render(reply.text)
    # Once a person has written it, it is whole, however it once ended.
    reply.status, reply.error_code, reply.error_detail = Reply.Status.DONE, "", ""
    reply.cut_by_length = False
    reply.save()
    _touch(reply.message, conversation)
    return reply


@transaction.atomic
def choose(user: User, conversation_id: UUID, reply_id: UUID) -> Reply:
    """Let this version of an answer be the one that is told on. Raises `turn_in_progress`."""
    conversation = take(user, conversation_id)
    reply = _ended(conversation, reply_id)
    _refuse_active(conversation, Message.objects.filter(pk=reply.message_id))
    reply.message.chosen_reply = reply
    _touch(reply.message, conversation)
    return reply


@transaction.atomic
def delete_reply(user: User, conversation_id: UUID, reply_id: UUID) -> Message:
    """Delete one version of an answer; its neighbour is chosen instead.

    Raises `ValidationError` with code `only_version` (then delete the message) or
    `turn_in_progress`.
    """
    conversation = take(user, conversation_id)
    reply = _ended(conversation, reply_id)
    others = Reply.objects.kept().filter(message=reply.message).exclude(pk=reply.pk)
    neighbour = others.filter(number__lt=reply.number).last() or others.first()
    if neighbour is None:
        raise ValidationError(
            _("This is the only version. Delete the message instead."), code="only_version"
        )
    _refuse_active(conversation, Message.objects.filter(pk=reply.message_id))
    reply.deleted_in, reply.deleted_at = conversation.revision, timezone.now()
    reply.save(update_fields=["deleted_in", "deleted_at"])
    if reply.message.chosen_reply_id == reply.pk:
        reply.message.chosen_reply = neighbour
    return _touch(reply.message, conversation)


@transaction.atomic
def delete_message(
    user: User, conversation_id: UUID, message_id: UUID, *, following: bool = False
) -> int:
    """Delete a message, or it and everything after it; how many. `restore` brings them back.

    Raises `ValidationError` with code `turn_in_progress` while one of them is being written.
    """
    conversation = take(user, conversation_id)
    talk = Message.objects.within(conversation)
    message = talk.get(pk=message_id)
    doomed = (
        talk.filter(position__gte=message.position) if following else talk.filter(pk=message.pk)
    )
    return remove(conversation, doomed)


def remove(conversation: Conversation, doomed: MessageQuerySet) -> int:
    """Mark these as deleted in the conversation's present revision, which the caller took."""
    _refuse_active(conversation, doomed)
    revision = conversation.revision
    return doomed.update(deleted_in=revision, deleted_at=timezone.now(), revision=revision)


@transaction.atomic
def restore(user: User, conversation_id: UUID, message_id: UUID) -> int:
    """Bring back a deleted message, or a deleted version of it, with all that went with it."""
    conversation = take(user, conversation_id)
    message = Message.objects.ever(conversation).get(pk=message_id)
    if message.deleted_in is not None:
        gone = Message.objects.ever(conversation).filter(deleted_in=message.deleted_in)
        back = {"deleted_in": None, "deleted_at": None}
        return gone.update(**back, revision=conversation.revision)
    version = Reply.objects.filter(message=message).exclude(deleted_in=None)
    if (reply := version.order_by("deleted_in").last()) is None:
        raise ValidationError(_("There is nothing to bring back."), code="nothing_deleted")
    reply.deleted_in = reply.deleted_at = None
    reply.save(update_fields=["deleted_in", "deleted_at"])
    _touch(message, conversation)
    return 1


def _ended(conversation: Conversation, reply_id: UUID) -> Reply:
    replies = Reply.objects.kept().filter(conversation=conversation, message__deleted_in=None)
    reply = replies.select_related("message").get(pk=reply_id)
    if reply.is_active:
        raise turns.in_progress()
    return reply


def _touch(message: Message, conversation: Conversation) -> Message:
    message.revision = conversation.revision
    message.save(update_fields=["chosen_reply", "revision"])
    return message


def _refuse_stale(message: Message, seen: int | None) -> None:
    if seen is not None and message.revision != seen:
        raise ValidationError(
            _("This was changed elsewhere meanwhile. Look at it again; your text is kept here."),
            code="changed_elsewhere",
        )


def _refuse_active(conversation: Conversation, messages: MessageQuerySet) -> None:
    active = Reply.objects.filter(conversation=conversation).active()
    if active.filter(message__in=messages.values("pk")).exists():
        raise turns.in_progress()
