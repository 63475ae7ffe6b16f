"""One shape of a talk for the page, the API and the socket, and the poke that says it changed."""

from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from conversations.models import Conversation, Message, Participant, Reply
from conversations.sent import usage_row
from memories import telling
from reverie.accounts.models import User
from reverie.accounts.pokes import poke
from reverie.providers.errors import explain

PAGE = 50  # messages shown when a talk is opened
CATCH_UP = 200  # changed messages that are sent one by one; beyond that a fresh page is less


def group(conversation_id: UUID) -> str:
    """The group of the channel layer that everybody who watches this talk is in."""
    return f"conversation.{conversation_id.hex}"


def announce(conversation: Conversation) -> None:
    """Tell everyone who watches that there is a newer revision, once this transaction commits."""
    tell(conversation.pk, {"type": "changed", "revision": conversation.revision})


def tell(conversation_id: UUID, message: dict[str, Any]) -> None:
    """Send to a talk's group with the current transaction."""
    poke(group(conversation_id), message)


def page(user: User, conversation: Conversation) -> dict[str, Any]:
    """What a fresh page shows: the newest messages and the reply under way."""
    newest = Message.objects.of(user).within(conversation).shown().order_by("-position")
    found = list(newest[: PAGE + 1])
    return {
        "whole": True,
        "conversation": conversation_row(conversation),
        "revision": conversation.revision,
        "messages": [message_row(message) for message in reversed(found[:PAGE])],
        "older": len(found) > PAGE,
        "reply": active_row(conversation),
    }


def changes(user: User, conversation_id: UUID, after: int) -> dict[str, Any] | None:
    """Everything newer than revision `after` (P10).

    Whoever is new, or too far behind, gets a fresh page instead: `whole` says so.
    None when there is no such talk of this user (any more).
    """
    talks = Conversation.objects.of(user).with_speakers()
    if (conversation := talks.filter(pk=conversation_id).first()) is None:
        return None
    newer = Message.objects.of(user).ever(conversation).filter(revision__gt=after).shown()
    found = list(newer[: CATCH_UP + 1]) if after > 0 else []
    if after <= 0 or len(found) > CATCH_UP:
        return page(user, conversation)
    return {
        "whole": False,
        "conversation": conversation_row(conversation),
        "revision": conversation.revision,
        "messages": [message_row(message) for message in found],
        "reply": active_row(conversation),
    }


def memories(user: User, conversation_id: UUID) -> int:
    """The revision of what is remembered by whoever talks here; see `telling.revision`."""
    speakers = Participant.objects.filter(conversation=conversation_id, conversation__owner=user)
    known = speakers.exclude(character=None).values_list("character_id", flat=True)
    return telling.revision(user, list(known))


def conversation_row(conversation: Conversation) -> dict[str, Any]:
    participants = conversation.participants.all()
    return {
        "id": str(conversation.pk),
        "title": conversation.title,
        "kind": conversation.kind,
        "language": conversation.language,
        "persona_id": conversation.persona_id and str(conversation.persona_id),
        "persona_name": conversation.persona.name if conversation.persona else "",
        "model_id": conversation.model_choice_id and str(conversation.model_choice_id),
        "temperature": conversation.temperature,
        "reply_tokens": conversation.reply_tokens,
        "participants": [_participant_row(p) for p in participants],
        "revision": conversation.revision,
        "created_at": conversation.created_at.isoformat(),
        "talked_at": conversation.talked_at.isoformat(),
    }


def _participant_row(participant: Any) -> dict[str, Any]:
    character = participant.character
    picture = character and character.avatar
    return {
        "character_id": character and str(character.pk),
        "name": participant.name,
        "avatar_url": reverse("character-avatar", args=[character.pk]) if picture else None,
    }


def message_row(message: Message) -> dict[str, Any]:
    """One message with its replies. Fetch it with `shown()`."""
    gone = message.deleted_in is not None
    replies = [] if gone else [reply_row(reply, message) for reply in message.replies.all()]
    chosen = next((r for r in replies if r["id"] == str(message.chosen_reply_id)), None)
    return {
        "id": str(message.pk),
        "client_id": message.client_id and str(message.client_id),
        "position": message.position,
        "role": message.role,
        "text": chosen["text"] if chosen else "" if gone else message.text,
        "deleted": gone,
        "edited": message.edited_at is not None,
        "persona_id": message.persona_id and str(message.persona_id),
        "character_id": _character_id(message),
        "name": _name(message),
        "answers": message.answers_id and str(message.answers_id),
        "revision": message.revision,
        "created_at": message.created_at.isoformat(),
        "replies": replies,
        "chosen_reply_id": message.chosen_reply_id and str(message.chosen_reply_id),
    }


def _name(message: Message) -> str:
    """Who said it: the character, or the persona that was worn then."""
    speaker = message.participant or message.persona
    return speaker.name if speaker else ""


def _character_id(message: Message) -> str | None:
    speaker = message.participant
    return str(speaker.character_id) if speaker and speaker.character_id else None


def reply_row(reply: Reply, message: Message | None = None) -> dict[str, Any]:
    return {
        "id": str(reply.pk),
        "character_id": _character_id(message or reply.message),
        "status": reply.status,
        "number": reply.number,
        "edited": reply.edited_at is not None,
        "cut_by_length": reply.cut_by_length,
        "text": reply.text,
        "html": reply.html,
        "error": error_row(reply),
        "usage": usage_row(reply),
        "saved": [],
        "model": reply.model,
        "has_prompt": reply.model != "",
        "remembered": reply.remembered,
        "created_at": reply.created_at.isoformat(),
    }


OWN_ERRORS = {
    "character_gone": _("This character was deleted, so it cannot reply any more."),
    "internal": _("Something went wrong on this site. Your message is kept; try again."),
}


def error_row(reply: Reply) -> dict[str, Any] | None:
    """Why it failed: a code, plain words in the reader's language, and the provider's own words."""
    if not reply.error_code:
        return None
    again = reply.retry_after
    return {
        "code": reply.error_code,
        "detail": reply.error_detail,
        "explanation": str(OWN_ERRORS.get(reply.error_code) or explain(reply.error_code)),
        "retry_after": again and max(0, round((again - timezone.now()).total_seconds())),
    }


def active_row(conversation: Conversation) -> dict[str, Any] | None:
    """The reply under way as the database knows it; `seq` counts the characters of its text."""
    reply = conversation.replies.active().first()
    if reply is None:
        return None
    return snapshot(reply.pk, reply.message_id, reply.text, reply.status)


def snapshot(reply_id: UUID, message_id: UUID, text: str, status: str) -> dict[str, Any]:
    return {
        "id": str(reply_id),
        "message_id": str(message_id),
        "seq": len(text),
        "text": text,
        "status": status,
    }
