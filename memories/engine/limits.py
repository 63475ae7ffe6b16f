"""Who may be forgotten to make room, and how much a scope holds (D2, D4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from memories.engine.decay import state
from memories.engine.values import Note, State

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one scope holds, and how many code points one memory."""

    unpinned: int = 100
    pinned: int = 20
    length: int = 500


def candidate(notes: Iterable[Note]) -> Note | None:
    """The memory of a full scope that is forgotten first (S50–S52): dormant, unpinned and
    unprotected; never matched before long ago matched; the oldest of equals."""
    asleep = [note for note in notes if state(note) is State.DORMANT and not note.protected]
    return min(asleep, key=_first_to_go, default=None)


def _first_to_go(note: Note) -> tuple[datetime, datetime, UUID]:
    return note.matched_at or _NEVER, note.created_at, note.id
