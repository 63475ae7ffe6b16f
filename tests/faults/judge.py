"""Whether a run kept its promises: nothing lost, nothing doubled, nothing typing for ever."""

import re
from collections.abc import Iterator

from tests.faults.history import History, Said, Seen
from tests.faults.world import World

# A lost database is what these runs are about; everything else that was raised is a defect.
EXCUSED = re.compile(
    r"^(django\.db\.utils\.(OperationalError|InterfaceError)|psycopg\S*|"
    r"OperationalError|InterfaceError|PoolTimeout|ConnectionResetError|BrokenPipeError)\b"
)


def verdict(world: World, history: History) -> list[str]:
    """Every breach of a promise, in words."""
    found = [*history.breaches]
    for said in history.said:
        found += _of_message(world, history, said)
    for seen in history.seen:
        found += _of_text(history, seen)
    broken = world.broken_invariants()
    found += [f"invariant {name} is broken by {ids[:5]}" for name, ids in broken.items()]
    return found


def _of_message(world: World, history: History, said: Said) -> Iterator[str]:
    rows = world.query(
        "SELECT id::text, text FROM conversations_message "
        "WHERE conversation_id = %s AND client_id = %s",
        said.talk,
        said.client_id,
    )
    if len(rows) > 1:
        yield f"P2: {said.client_id} is there {len(rows)} times"
    if said.acked and not rows:
        yield f"P1: an acked message is lost: {said.client_id} {said.text!r}"
    if rows and not said.acked and not said.unknown:
        yield f"P2: a refused message was written: {said.client_id}"
    for message, text in rows:
        if text != said.text and text not in history.edits.get(message, ()):
            yield f"P1: {said.client_id} has other words: {text!r} for {said.text!r}"


def _of_text(history: History, seen: Seen) -> Iterator[str]:
    """What was shown and what is stored agree; a crash or a stop may cut, never alter."""
    stored, status = seen.row["text"], seen.row["status"]
    written_here = seen.whole and history.writers.get(seen.reply) == seen.life
    if status in ("done", "failed"):
        agree = stored == seen.text if written_here else stored.startswith(seen.text)
    else:
        agree = stored.startswith(seen.text) or seen.text.startswith(stored)
    if not agree:
        yield f"P5: reply {seen.reply} ({status}) is stored as {stored!r}, shown as {seen.text!r}"


def tracebacks(log: str) -> list[str]:
    """The last line of every traceback in a log that no lost database excuses."""
    found = []
    # Our own lines hold a traceback as one field, escaped.
    for piece in log.replace("\\n", "\n").split("Traceback (most recent call last):")[1:]:
        lines = [line for line in piece.splitlines() if line and not line.startswith(" ")]
        last = lines[0] if lines else ""
        if not EXCUSED.match(last):
            found.append(last)
    return found
