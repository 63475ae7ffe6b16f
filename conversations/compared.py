"""The memories of a prompt as it was sent, beside what has become of them (X1)."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from conversations import speakers
from conversations.engine import prompt
from conversations.engine.values import Part, Piece, Section
from conversations.models import Conversation
from memories.models import Memory

WHY = {
    Part.PINS: "pinned",
    Part.MEMORIES: "active",
    Part.SAVED: "saved",
    Part.RECALLED: "recalled",
}


def memory_rows(
    conversation: Conversation, parts: Sequence[Section], recall: dict[str, Any]
) -> list[dict[str, Any]]:
    """Every memory in these sections: its words as sent, why it is there, and what it is `now`.

    The text is empty where it was cleared for good. `recall` is what the reply's search found, as
    it was kept: a memory that matched has its `score`, and `woke` says whether it slept before.
    """
    scores, woke = dict(recall.get("matches", [])), recall.get("woke", [])
    sent = [(WHY[part.name], piece) for part in parts if part.name in WHY for piece in _of(part)]
    found = Memory.objects.of(conversation.owner).in_bulk([_id(piece) for _, piece in sent])
    nonce = speakers.nonce(conversation)
    rows = [_row(why, piece, found.get(_id(piece)), nonce) for why, piece in sent]
    return [row | {"score": scores.get(row["id"]), "woke": row["id"] in woke} for row in rows]


def _of(part: Section) -> Iterable[Piece]:
    return (piece for piece in part.pieces if piece.source.startswith(prompt.MEMORY))


def _id(piece: Piece) -> UUID:
    return UUID(piece.source.removeprefix(prompt.MEMORY))


def _row(why: str, piece: Piece, memory: Memory | None, nonce: str) -> dict[str, Any]:
    now = "deleted"
    if memory:
        now = "same" if prompt.says(piece.text, memory.text, nonce) else "changed"
    text = prompt.unlisted(piece.text)
    return {"id": str(_id(piece)), "why": why, "text": text, "tokens": piece.tokens, "now": now}
