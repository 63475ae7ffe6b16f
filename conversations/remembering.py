"""Which memories stand in the beginning of a prompt, and which ride behind the talk (D10, D35)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from conversations.engine import prompt
from conversations.engine.prompt import MEMORY
from conversations.engine.values import Part, Piece, Section
from conversations.models import Fold
from conversations.speakers import Voice
from memories.engine import choice
from memories.engine.choice import Choice
from memories.engine.decay import state
from memories.engine.values import Note, State


@dataclass(frozen=True)
class Laid:
    """The memories in the beginning of the last prompt."""

    pins: frozenset[UUID] = frozenset()
    active: frozenset[UUID] = frozenset()


@dataclass(frozen=True)
class Remembered:
    """`head` stands until the next fold, `tail` rides with this reply."""

    head: tuple[Section, ...]
    tail: tuple[Section, ...] = ()
    left_out: tuple[UUID, ...] = ()  # active, and not sent

    @property
    def count(self) -> int:
        pieces = (piece for section in (*self.head, *self.tail) for piece in section.pieces)
        return sum(piece.source.startswith(MEMORY) for piece in pieces)


def anew(voice: Voice, room: int | None = None) -> Remembered:
    """As they are laid at a fold. Those that are not pinned take at most `room` tokens; without a
    word half of what the character leaves."""
    lines = _lines(voice)
    pins = _section(Part.PINS, choice.written(n for n in voice.notes if n.pinned), voice, lines)
    if room is None:
        room = (voice.budget.room - _tokens(voice.head()) - _tokens(pins)) // 2
    chosen = _chosen(voice, lines, room)
    woke = voice.recalled.woke
    active = [note for note in chosen.active if note.id not in woke]
    head = (*pins, *_section(Part.MEMORIES, active, voice, lines))
    return _with_tail(voice, lines, head, [], chosen, {note.id for note in active})


def standing(voice: Voice, laid: Laid) -> Remembered:
    """As they were laid, where that is still true, and what came since in the tail."""
    lines = _lines(voice)
    pins = [note for note in voice.notes if note.pinned and note.id in laid.pins]
    active = [note for note in voice.notes if _awake(note) and note.id in laid.active]
    head = (
        *_section(Part.PINS, choice.written(pins), voice, lines),
        *_section(Part.MEMORIES, choice.written(active), voice, lines),
    )
    room = (voice.budget.room - _tokens(voice.head()) - _tokens(head)) // 2
    chosen = _chosen(voice, lines, room, spared=laid.active)
    woke = voice.recalled.woke
    since = [note for note in chosen.active if note.id not in laid.active | woke]
    return _with_tail(voice, lines, head, since, chosen, laid.active)


def _with_tail(
    voice: Voice,
    lines: dict[UUID, Piece],
    head: tuple[Section, ...],
    since: Sequence[Note],
    chosen: Choice,
    laid: Collection[UUID],
) -> Remembered:
    """With what rides along: saved since the fold, and recalled by this message (S23, S71, D35)."""
    there = {*laid, *(note.id for note in since)}
    matched = {match.id for match in voice.recalled.matches}
    recalled = [n for n in (*chosen.active, *chosen.left_out) if n.id in matched - there]
    tail = (
        *_section(Part.SAVED, since, voice, lines),
        *_section(Part.RECALLED, choice.written(recalled), voice, lines),
    )
    rest = (note.id for note in chosen.left_out)
    return Remembered(head, tail, tuple(pk for pk in rest if pk not in there | matched))


def laid_by(fold: Fold) -> Laid:
    """What the beginning of this fold holds."""
    kept = dict(fold.prefix)
    return Laid(_ids(kept.get(Part.PINS, [])), _ids(kept.get(Part.MEMORIES, [])))


def pinned_since(voice: Voice, laid: Laid) -> bool:
    """Whether a person pinned one that is not in the beginning, which they expect there at once."""
    return any(note.pinned and note.id not in laid.pins for note in voice.notes)


def _chosen(
    voice: Voice, lines: dict[UUID, Piece], room: int, spared: Collection[UUID] = ()
) -> Choice:
    """`spared` need no room: they are in the beginning already."""
    sizes = {pk: 0 if pk in spared else line.tokens for pk, line in lines.items()}
    return choice.choose(voice.notes, settings.MEMORIES_SENT, sizes=sizes, room=room)


def _lines(voice: Voice) -> dict[UUID, Piece]:
    today = timezone.now().astimezone(UTC).date()
    return {
        note.id: prompt.memory(
            str(note.id),
            note.text,
            voice.nonce,
            voice.language,
            voice.count,
            recent=choice.recent(note, today),
        )
        for note in voice.notes
        if state(note) in (State.PINNED, State.ACTIVE)  # counting the others would be for nothing
    }


def _section(
    part: Part, notes: Sequence[Note], voice: Voice, lines: dict[UUID, Piece]
) -> tuple[Section, ...]:
    items = [lines[note.id] for note in notes]
    return prompt.remembered(
        part, items, voice.card, voice.mask, voice.nonce, voice.language, voice.count
    )


def _awake(note: Note) -> bool:
    return state(note) is State.ACTIVE


def _tokens(sections: Sequence[Section]) -> int:
    return sum(section.tokens for section in sections)


def _ids(pieces: Sequence[Sequence[str]]) -> frozenset[UUID]:
    sources = (piece[2] for piece in pieces)
    return frozenset(UUID(s.removeprefix(MEMORY)) for s in sources if s.startswith(MEMORY))
