"""The journal of memories: a line for every change, written with the change itself (X4)."""

from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_date, parse_datetime

from memories.models import Memory, MemoryChange

DATES, TIMES = ("last_counted_on",), ("last_matched_at", "created_at", "updated_at")
KEPT = (
    "text",
    "strength",
    "held",
    "origin",
    "unused_days",
    "from_character",
    *DATES,
    *TIMES,
)


def picture(memory: Memory) -> dict[str, Any]:
    """Everything that has to be known to bring this memory back as it is."""
    row = {name: getattr(memory, name) for name in KEPT}
    dated = {name: row[name] and row[name].isoformat() for name in (*DATES, *TIMES)}
    owner = {"scope": memory.scope_id, "reply_uid": memory.reply_uid and str(memory.reply_uid)}
    return {**row, **dated, **owner}


def memory_of(pk: UUID, kept: dict[str, Any]) -> Memory:
    """The memory that `picture` was made of, not saved."""
    fields = dict(kept)
    for name in DATES:
        fields[name] = fields[name] and parse_date(fields[name])
    for name in TIMES:
        fields[name] = fields[name] and parse_datetime(fields[name])
    return Memory(pk=pk, scope_id=fields.pop("scope"), **fields)


def note(memory: Memory, kind: str, **what: Any) -> MemoryChange:
    """Write the line of a change that this transaction makes."""
    written = line(memory, kind, **what)
    written.save(force_insert=True)
    return written


def line(
    memory: Memory,
    kind: str,
    *,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    by: str = MemoryChange.By.PERSON,
    undoes: MemoryChange | None = None,
) -> MemoryChange:
    """A line of the journal, not saved."""
    return MemoryChange(
        owner_id=memory.scope.owner_id,
        scope=memory.scope,
        memory_uid=memory.pk,
        kind=kind,
        by=by,
        reply_uid=memory.reply_uid,
        before=before,
        after=after,
        undoes=undoes,
    )
