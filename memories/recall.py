"""The one search of a reply, and what it does to the memories in force (S10–S31)."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Case, F, Value, When
from django.db.models.functions import Greatest
from django.utils import timezone
from pgvector.django import CosineDistance

from characters.models import Character
from memories import journal, telling
from memories.calibration import threshold
from memories.engine.decay import Settled, settle
from memories.engine.similarity import Match, matches
from memories.models import Dimensions, Memory, MemoryChange, MemoryScope, MemoryVector
from reverie.accounts.models import User
from reverie.text import clean

QUERY_LENGTH = 1_000  # code points of a message that are searched with (D8)


@dataclass(frozen=True)
class Query:
    """What a message looks for: its vector, and the model that made it."""

    vector: tuple[float, ...]
    model: str


@dataclass(frozen=True)
class Recalled:
    """What a search found and what came of it. Without a search nothing has changed (S30)."""

    searched: bool = False
    matches: tuple[Match, ...] = ()
    woke: frozenset[UUID] = frozenset()
    slept: frozenset[UUID] = frozenset()


def wording(text: str) -> str:
    """The query of a message; empty when there is nothing to search for (D8)."""
    return clean.cut(clean.clean(text).strip(), QUERY_LENGTH)


def search(user: User, character: Character, query: Query | None) -> Recalled:
    """Search once for a reply, and settle what that means for each memory in force.

    Belongs into the reply's own transaction. Parallel replies wait for each other at the scopes'
    rows, so that a day counts once (P16).
    """
    if query is None or not settings.MEMORY_DECAY_ENABLED:
        return Recalled()
    scopes = MemoryScope.objects.of(user).in_force(character).order_by("pk")
    held = list(scopes.select_for_update(of=("self",)).values_list("pk", flat=True))
    scores = _scores(held, query)
    rows = {row.pk: row for row in Memory.objects.filter(pk__in=scores).select_related("scope")}
    near = matches((Match(pk, score) for pk, score in scores.items()), threshold(query.model))
    now = timezone.now().astimezone(UTC)
    settled = settle([row.note for row in rows.values()], {match.id for match in near}, now)
    _write(user, rows, settled, near, now)
    return Recalled(
        True,
        near,
        frozenset(note.id for note in settled.woke),
        frozenset(note.id for note in settled.slept),
    )


def _scores(scope_ids: list[int], query: Query) -> dict[UUID, float]:
    """The cosine of every memory that a search looks at; none has a vector of length zero."""
    distance = CosineDistance("vector", list(query.vector))
    vectors = MemoryVector.objects.filter(model=query.model, memory__scope__in=scope_ids)
    same_size = vectors.annotate(size=Dimensions("vector")).filter(size=len(query.vector))
    looked_at = same_size.filter(memory__held=False).exclude(memory__strength="pinned")
    found = looked_at.annotate(distance=distance).values_list("memory_id", "distance")
    # A vector of nothing but zeros has no direction: it is near to nothing (D9).
    return {pk: 1 - far if far == far else -1.0 for pk, far in found}


def _write(
    user: User,
    rows: dict[UUID, Memory],
    settled: Settled,
    near: tuple[Match, ...],
    now: datetime,
) -> None:
    used = [match.id for match in near]
    changed = [note.id for note in settled.notes if note != rows[note.id].note]
    if not changed:
        return
    was_used = When(pk__in=used, then=Value(0))
    Memory.objects.filter(pk__in=changed).update(
        unused_days=Case(was_used, default=F("unused_days") + 1),
        last_counted_on=Greatest(F("last_counted_on"), Value(now.date())),
        last_matched_at=Case(When(pk__in=used, then=Value(now)), default=F("last_matched_at")),
    )
    _journal(rows, settled)
    touched = {rows[pk].scope_id for pk in changed}
    MemoryScope.objects.filter(pk__in=touched).update(revision=F("revision") + 1)
    telling.changed(user.pk)


def _journal(rows: dict[UUID, Memory], settled: Settled) -> None:
    """A line for each that fell asleep or woke."""
    kinds = ((MemoryChange.Kind.SLEPT, settled.slept), (MemoryChange.Kind.WOKE, settled.woke))
    lines = [
        _line(rows[note.id], kind, note.unused_days, note.counted_on)
        for kind, notes in kinds
        for note in notes
    ]
    MemoryChange.objects.bulk_create(lines)


def _line(memory: Memory, kind: str, unused_days: int, counted_on: date | None) -> MemoryChange:
    before: dict[str, Any] = journal.picture(memory)
    after = before | {
        "unused_days": unused_days,
        "last_counted_on": counted_on and counted_on.isoformat(),
    }
    return journal.line(memory, kind, before=before, after=after, by=MemoryChange.By.PRODUCT)
