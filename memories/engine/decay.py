"""When a memory sleeps. The one place that knows the number of days (S19)."""

from memories.engine.values import Note, State

DORMANT_AFTER = 7  # unused days, at which it is dormant (not one later)


def state(note: Note) -> State:
    """Held back and pinned win over active and dormant."""
    if note.held:
        return State.HELD
    if note.pinned:
        return State.PINNED
    return State.DORMANT if note.unused_days >= DORMANT_AFTER else State.ACTIVE
