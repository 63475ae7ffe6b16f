"""When a memory sleeps and when it wakes. The one place that knows the number of days (S19)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memories.engine.values import Note, State

DORMANT_AFTER = 7  # unused days, at which it is dormant (not one later)


def state(note: Note) -> State:
    """Held back and pinned win over active and dormant."""
    if note.held:
        return State.HELD
    if note.pinned:
        return State.PINNED
    return State.DORMANT if note.unused_days >= DORMANT_AFTER else State.ACTIVE


def searchable(note: Note) -> bool:
    """Whether a search looks at it, so that it ages and wakes (D5, D34)."""
    return state(note) in (State.ACTIVE, State.DORMANT)


@dataclass(frozen=True, slots=True)
class Settled:
    """Notes after a search; those that fell asleep or woke are among them as they are now."""

    notes: tuple[Note, ...]
    slept: tuple[Note, ...]
    woke: tuple[Note, ...]


def settle(notes: Iterable[Note], used: Collection[UUID], now: datetime) -> Settled:
    """Every note after one successful search at `now` (UTC) that looked at them (S15–S19, D7).

    `used` are those that matched. Twice a day is once (S17), and a clock that goes back counts
    nothing twice (P16). Notes that no search looks at stay as they are.
    """
    pairs = [(note, _after(note, note.id in used, now)) for note in notes]
    changed = [(before, after) for before, after in pairs if state(before) is not state(after)]
    return Settled(
        tuple(after for _, after in pairs),
        tuple(after for _, after in changed if state(after) is State.DORMANT),
        tuple(after for _, after in changed if state(after) is State.ACTIVE),
    )


def _after(note: Note, used: bool, now: datetime) -> Note:
    today = now.date()
    if not searchable(note):
        return note
    if used:
        counted = max(note.counted_on or today, today)
        return replace(note, unused_days=0, counted_on=counted, matched_at=now)
    if note.counted_on is not None and note.counted_on >= today:
        return note
    return replace(note, unused_days=note.unused_days + 1, counted_on=today)
