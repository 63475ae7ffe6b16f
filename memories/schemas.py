"""What the API says and takes of memories."""

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Field, Schema

from memories.engine.values import State
from memories.models import Memory, MemoryChange

ScopeName = Literal["character", "global"]


class MemoryIn(Schema):
    """`forget`: the candidate of a `scope_full` refusal, to be let go for this one."""

    scope: ScopeName
    character_id: UUID | None = None
    text: str
    pinned: bool = False
    forget: UUID | None = None


class MemoryPatch(Schema):
    """`updated_at`: that of the memory as the editor saw it; a newer one refuses with 409."""

    text: str
    updated_at: datetime | None = None


class MemoryOut(Schema):
    id: UUID
    scope: ScopeName
    character_id: UUID | None
    text: str
    pinned: bool
    strength: str
    origin: str
    state: State
    unused_days: int
    counted_on: date | None
    matched_at: datetime | None
    from_character: str
    created_at: datetime
    updated_at: datetime
    reply_id: UUID | None


class MemoryPage(Schema):
    items: list[MemoryOut]
    next: str | None


class MemoryQuery(Schema):
    scope: ScopeName | None = None
    character_id: UUID | None = None
    state: State | None = None
    q: str = Field("", max_length=500)


class ChangeOut(Schema):
    id: UUID
    memory_id: UUID
    kind: str
    by: str
    reply_id: UUID | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    undone: bool
    created_at: datetime


class ChangePage(Schema):
    items: list[ChangeOut]
    next: str | None


class DeletedOut(Schema):
    """`change_id` can be undone for thirty days."""

    change_id: UUID


def memory_row(memory: Memory) -> dict[str, Any]:
    """A memory as clients get it. Fetch it with its scope."""
    return {
        "id": memory.pk,
        "scope": "global" if memory.scope.is_global else "character",
        "character_id": memory.scope.character_id,
        "text": memory.text,
        "pinned": memory.pinned,
        "strength": memory.strength,
        "origin": memory.origin,
        "state": memory.state,
        "unused_days": memory.unused_days,
        "counted_on": memory.last_counted_on,
        "matched_at": memory.last_matched_at,
        "from_character": memory.from_character,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "reply_id": memory.reply_uid,
    }


def change_row(line: MemoryChange) -> dict[str, Any]:
    """A line of the journal. Fetch it with `undone_by`."""
    return {
        "id": line.pk,
        "memory_id": line.memory_uid,
        "kind": line.kind,
        "by": line.by,
        "reply_id": line.reply_uid,
        "before": _said(line.before),
        "after": _said(line.after),
        "undone": hasattr(line, "undone_by"),
        "created_at": line.created_at,
    }


def _said(kept: dict[str, Any] | None) -> dict[str, Any] | None:
    return kept and {name: kept[name] for name in ("text", "strength", "held", "unused_days")}
