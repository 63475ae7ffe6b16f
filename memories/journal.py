"""The journal of memories: a line for every change, written with the change itself (X4)."""

from collections import defaultdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_date, parse_datetime

from memories.models import Memory, MemoryChange

LONG_GONE = 200  # lines of one look
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


def long_gone(before: datetime) -> dict[UUID, set[UUID]]:
    """By owner the memories that were deleted before that time, are not back, and have words."""
    kinds = (MemoryChange.Kind.DELETED, MemoryChange.Kind.FORGOTTEN, MemoryChange.Kind.UNDONE)
    ends = MemoryChange.objects.filter(kind__in=kinds, after__isnull=True, created_at__lt=before)
    since = MemoryChange.objects.filter(created_at__gte=before).values("memory_uid")
    back = ends.filter(memory_uid__in=Memory.objects.values("pk")).values("memory_uid")
    gone = ends.exclude(memory_uid__in=since).exclude(memory_uid__in=back).exclude(before__text="")
    found: dict[UUID, set[UUID]] = defaultdict(set)
    for owner, memory in gone.values_list("owner", "memory_uid")[:LONG_GONE]:
        found[owner].add(memory)
    return found


def blank(owner: UUID, memories: set[UUID]) -> None:
    """Erase the words of these memories in every line; that they were there stays known."""
    lines = MemoryChange.objects.filter(owner=owner, memory_uid__in=memories)
    for line in lines.exclude(before__text="", after__text=""):
        for kept in (line.before, line.after):
            if kept:
                kept["text"] = ""
        line.save(update_fields=["before", "after"])
