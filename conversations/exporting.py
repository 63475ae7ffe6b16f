"""A chat as a file: words for people, or everything for programs. A batch of messages at a time."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.db.models import Prefetch
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from conversations.models import Conversation, Message, Reply
from conversations.sent import usage_row
from reverie.accounts.hop import hop
from reverie.accounts.models import User
from reverie.text import clean

FORMAT, VERSION = "reverie.chat", 1
JSON = "application/json; charset=utf-8"
BATCH = 200  # messages that are in memory at once
NAME_LENGTH = 80
# Not in a file's name on one system or another, or not to be seen in it.
UNFIT = re.compile(r'[\x00-\x1f\x7f"*/:<>?\\|\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+')


def response(
    request: HttpRequest, user: User, conversation: Conversation, form: str
) -> StreamingHttpResponse:
    """The file to keep; `form` is "text" or "json"."""
    ending, kind = ("txt", "text/plain; charset=utf-8") if form == "text" else ("json", JSON)
    pieces = as_text(user, conversation) if form == "text" else as_json(conversation)
    # An async server would hold a plain iterator's pieces all at once.
    streamed = in_hops(pieces) if isinstance(request, ASGIRequest) else pieces
    name = content_disposition_header(True, file_name(conversation, ending))
    headers = {"Content-Disposition": name or "attachment", "Cache-Control": "no-store"}
    return StreamingHttpResponse(streamed, content_type=kind, headers=headers)


def file_name(conversation: Conversation, ending: str) -> str:
    name = UNFIT.sub(" ", called(conversation)).strip(" .")
    return f"{clean.cut(name, NAME_LENGTH).strip() or 'chat'}.{ending}"


def called(conversation: Conversation) -> str:
    return conversation.title or ", ".join(who.name for who in conversation.participants.all())


def as_text(user: User, conversation: Conversation) -> Iterator[str]:
    """The talk as it is told, one piece of text after the other, in this person's time."""
    stamp = _("Saved on %(time)s (%(zone)s)") % {
        "time": _clock(timezone.now(), user),
        "zone": user.zone.key,
    }
    names = ", ".join(who.name for who in conversation.participants.all())
    return _told(user, conversation, f"{called(conversation)}\n{names}\n{stamp}\n")


def _told(user: User, conversation: Conversation, head: str) -> Iterator[str]:
    yield head
    for batch in _batches(conversation):
        yield "".join(_line(user, message) for message in batch)


def _line(user: User, message: Message) -> str:
    chosen = next((r for r in message.replies.all() if r.pk == message.chosen_reply_id), None)
    text = chosen.text if chosen else message.text
    if not text.strip():
        return ""  # a reply that failed before its first word
    return f"\n{_speaker(user, message)} · {_clock(message.created_at, user)}\n{text}\n"


def _speaker(user: User, message: Message) -> str:
    if message.participant:
        return message.participant.name
    return message.persona.name if message.persona else user.name_for_characters


def _clock(at: datetime, user: User) -> str:
    return f"{at.astimezone(user.zone):%Y-%m-%d %H:%M}"


def as_json(conversation: Conversation) -> Iterator[str]:
    """Everything of the talk that is not deleted, as pieces of one JSON object; see docs/api.md."""
    head = {"format": FORMAT, "version": VERSION, "exported_at": timezone.now().isoformat()}
    yield _json(head | {"conversation": _conversation_row(conversation)})[:-1]
    yield ', "messages": ['
    between = "\n"
    for batch in _batches(conversation):
        yield between + ",\n".join(_json(_message_row(message)) for message in batch)
        between = ",\n"
    yield "\n]}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _batches(conversation: Conversation) -> Iterator[list[Message]]:
    """The messages in order. Every batch asks by itself, so no connection is held in between."""
    replies = Reply.objects.kept().defer("sent", "html")
    messages = Message.objects.within(conversation).select_related("participant", "persona")
    messages = messages.prefetch_related(Prefetch("replies", replies))
    last = -1
    while batch := list(messages.filter(position__gt=last)[:BATCH]):
        yield batch
        last = batch[-1].position


def _conversation_row(conversation: Conversation) -> dict[str, Any]:
    return {
        "id": str(conversation.pk),
        "title": conversation.title,
        "kind": conversation.kind,
        "language": conversation.language,
        "persona": _persona_row(conversation),
        "participants": [
            {"place": who.place, "name": who.name, "character_id": _id(who.character_id)}
            for who in conversation.participants.all()
        ],
        "created_at": conversation.created_at.isoformat(),
        "talked_at": conversation.talked_at.isoformat(),
    }


def _message_row(message: Message) -> dict[str, Any]:
    return {
        "id": str(message.pk),
        "client_id": _id(message.client_id),
        "position": message.position,
        "role": message.role,
        "place": message.participant and message.participant.place,
        "name": message.participant and message.participant.name,
        "persona": _persona_row(message),
        "text": message.text,
        "answers": _id(message.answers_id),
        "created_at": message.created_at.isoformat(),
        "edited_at": _time(message.edited_at),
        "chosen_reply_id": _id(message.chosen_reply_id),
        "replies": [_reply_row(reply) for reply in message.replies.all()],
    }


def _reply_row(reply: Reply) -> dict[str, Any]:
    failed = {"code": reply.error_code, "detail": reply.error_detail}
    return {
        "id": str(reply.pk),
        "number": reply.number,
        "status": reply.status,
        "text": reply.text,
        "reasoning": reply.reasoning,
        "error": failed if reply.error_code else None,
        "model": reply.model,
        "usage": usage_row(reply),
        "created_at": reply.created_at.isoformat(),
        "ended_at": _time(reply.ended_at),
        "edited_at": _time(reply.edited_at),
    }


def _persona_row(wearer: Conversation | Message) -> dict[str, str] | None:
    worn = wearer.persona
    return {"id": str(worn.pk), "name": worn.name} if worn else None


def _id(value: object) -> str | None:
    return None if value is None else str(value)


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


async def in_hops(pieces: Iterator[str]) -> AsyncIterator[str]:
    """The same pieces, each fetched by a short hop of its own."""
    while (piece := await hop(_next, pieces)) is not None:
        yield piece


def _next(pieces: Iterator[str]) -> str | None:
    return next(pieces, None)
