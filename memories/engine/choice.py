"""What a reply is given of the memories in force: all pins, and which of the others (D35)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from memories.engine.decay import state
from memories.engine.values import Note, State

RECENT_DAYS = 7


@dataclass(frozen=True, slots=True)
class Choice:
    """Both in the order in which they are written: oldest first (D41)."""

    pins: tuple[Note, ...]
    active: tuple[Note, ...]
    left_out: tuple[Note, ...] = ()
    """Active ones that are not sent: beyond the limit, or without room."""


def choose(
    notes: Sequence[Note], limit: int, *, sizes: Mapping[UUID, int] | None = None, room: int = 0
) -> Choice:
    """All pins, and up to `limit` active memories, evenly over their scopes (R63–R66).

    With `sizes` (tokens of each), what is chosen of the active ones fits `room`.
    """
    pins = [note for note in notes if state(note) is State.PINNED]
    active = _evenly([note for note in notes if state(note) is State.ACTIVE])
    kept = _fitting(active[:limit], sizes, room) if sizes is not None else active[:limit]
    inside = {note.id for note in kept}
    left_out = (note for note in active if note.id not in inside)
    return Choice(written(pins), written(kept), written(left_out))


def _evenly(notes: Iterable[Note]) -> list[Note]:
    """The newest of each scope, then the second newest of each, and so on.

    A beginning of this list shares its places evenly, and passes on what a scope does not use.
    """
    scopes: dict[int, list[Note]] = defaultdict(list)
    for note in sorted(notes, key=_newest_first):
        scopes[note.scope].append(note)
    ranked = [(rank, note) for scope in scopes.values() for rank, note in enumerate(scope)]
    return [note for _, note in sorted(ranked, key=lambda pair: (pair[0], _newest_first(pair[1])))]


def _newest_first(note: Note) -> tuple[float, int]:
    return -note.updated_at.timestamp(), -note.id.int


def _fitting(notes: Sequence[Note], sizes: Mapping[UUID, int], room: int) -> list[Note]:
    """The longest beginning whose tokens fit, so that the newest are never the ones left out."""
    kept: list[Note] = []
    for note in notes:
        room -= sizes[note.id]
        if room < 0:
            break
        kept.append(note)
    return kept


def written(notes: Iterable[Note]) -> tuple[Note, ...]:
    """In an order that appends what is new (D41)."""
    return tuple(sorted(notes, key=lambda note: (note.created_at, note.id)))


def recent(note: Note, today: date) -> bool:
    """Whether it carries the mark "updated this week" on the UTC day `today` (R67, D33)."""
    return (today - note.updated_on()).days < RECENT_DAYS
