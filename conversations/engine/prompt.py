"""The prompt: an immutable value of named sections with their tokens and sources (X1)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conversations.engine.values import (
    LINE_OVERHEAD,
    Budget,
    Card,
    Line,
    Mask,
    Part,
    Piece,
    Role,
    Section,
)
from conversations.engine.window import Cap, live_from, sent_from
from conversations.engine.wording import WORDS, wording
from reverie.text.template import fill

Counter = Callable[[str], int]
HEAD = (Part.CHARACTER, Part.PERSONA, Part.BOND, Part.PINS, Part.MEMORIES)
MEMORY = "memory:"  # before the id, in the source of such a line
MARKS = tuple(words["recent"] for words in WORDS.values())
NOTES = (Part.SAVED, Part.RECALLED, Part.INSTRUCTIONS, Part.TIME)
LISTS = (Part.PINS, Part.MEMORIES, Part.SAVED, Part.RECALLED)  # a line each, between marks


class TooLongError(Exception):
    """What may never be left out does not fit: the newest message beside the character (D17)."""

    def __init__(self, needed: int, room: int) -> None:
        super().__init__(f"{needed} tokens do not fit into {room}")
        self.needed, self.room = needed, room


@dataclass(frozen=True, slots=True)
class Prompt:
    """`head` ends at cache mark A, `talk` at mark B; `tail` is new in every reply.

    `begins` is how many of the oldest messages were left out for space (D17).
    """

    head: tuple[Section, ...]
    talk: tuple[Section, ...]
    tail: tuple[Section, ...]
    begins: int = 0

    @property
    def sections(self) -> tuple[Section, ...]:
        return tuple(s for s in (*self.head, *self.talk, *self.tail) if s.pieces)

    @property
    def tokens(self) -> int:
        frames = LINE_OVERHEAD * (3 + sum(len(s.pieces) for s in self.talk))
        return frames + sum(section.tokens for section in self.sections)

    def lines(self) -> tuple[Line, ...]:
        """What is sent. Equal prompts give equal bytes."""
        return lines(self.sections)


def lines(sections: Sequence[Section]) -> tuple[Line, ...]:
    """Sections as messages: one system text, the talk, then what belongs to this reply alone."""
    head = [s for s in sections if s.name in HEAD]
    talk = [p for s in sections if s.name in (Part.WAITING, Part.LIVE) for p in s.pieces]
    notes = [s for s in sections if s.name in NOTES]
    newest = [p for s in sections if s.name in (Part.NEWEST, Part.PARTIAL) for p in s.pieces]
    order = [s for s in sections if s.name == Part.CONTINUE]
    said = [Line(p.role, p.text, mark=p is talk[-1]) for p in talk]
    return (
        *_system(head, mark=True),
        *said,
        *_system(notes, mark=False),
        *(Line(p.role, p.text) for p in newest),
        *_system(order, mark=False),
    )


def _system(sections: Sequence[Section], *, mark: bool) -> tuple[Line, ...]:
    text = "\n\n".join(_joined(section) for section in sections)
    return (Line(Role.SYSTEM, text, mark),) if text else ()


def _joined(section: Section) -> str:
    between = "\n" if section.name in LISTS else "\n\n"
    return between.join(piece.text for piece in section.pieces)


def head(card: Card, mask: Mask, bond: str, language: str, count: Counter) -> tuple[Section, ...]:
    """Everything before mark A. It changes only at a fold (D10)."""
    words, write = wording(language), _Writer(card, mask, count)
    return _sections(
        (Part.CHARACTER, _character(card, words, write)),
        (Part.PERSONA, write.titled(words["persona"], mask.description, f"persona:{mask.id}")),
        (Part.BOND, write.titled(words["bond"], bond, f"bond:{card.id}")),
    )


def tail(card: Card, mask: Mask, now: str, language: str, count: Counter) -> tuple[Section, ...]:
    """What goes with this reply alone, before the newest message."""
    write = _Writer(card, mask, count)
    return _sections(
        (Part.INSTRUCTIONS, write(card.post_history_instructions, f"character:{card.id}:after")),
        (Part.TIME, write(f"{wording(language)['time']} {now}", "clock")),
    )


def remembered(
    part: Part,
    items: Sequence[Piece],
    card: Card,
    mask: Mask,
    nonce: str,
    language: str,
    count: Counter,
) -> tuple[Section, ...]:
    """Memories as a list between marks that nobody who writes a memory can know (A8)."""
    if not items:
        return ()
    write = _Writer(card, mask, count)
    title = write(f"{wording(language)[part]}\n<notes {nonce}>", f"product:{part}")
    end = Piece(f"</notes {nonce}>", count(f"</notes {nonce}>"), f"product:{part}:end")
    return (Section(part, (*title, *items, end)),)


def memory(pk: str, text: str, nonce: str, language: str, count: Counter, *, recent: bool) -> Piece:
    """A line of that list. A text that knows the mark after all loses it."""
    line = _line(text, nonce, wording(language)["recent"] if recent else "")
    return Piece(line, count(line), f"{MEMORY}{pk}")


def _line(text: str, nonce: str, mark: str) -> str:
    words = text.replace(nonce, "").replace("\n", "\n  ")
    return f"- {words}{mark}"


def says(line: str, text: str, nonce: str) -> bool:
    """Whether `line` is how a memory with this text is sent, in whatever language and week."""
    return any(line == _line(text, nonce, mark) for mark in ("", *MARKS))


def unlisted(line: str) -> str:
    """The words of a line of that list, without what makes it one."""
    words = line.removeprefix("- ").replace("\n  ", "\n")
    return next((words.removesuffix(mark) for mark in MARKS if words.endswith(mark)), words)


def unfinished(
    card: Card, mask: Mask, text: str, language: str, count: Counter
) -> tuple[Section, ...]:
    """A reply's text so far and the order to write on, which come after the newest message."""
    write = _Writer(card, mask, count)
    so_far = Piece(text, count(text), "reply", Role.ASSISTANT)
    order = write(wording(language)["continue"], "product:continue")
    return _sections((Part.PARTIAL, (so_far,)), (Part.CONTINUE, order))


def spoken_for(card: Card, mask: Mask, language: str, count: Counter) -> Piece:
    """The order to draft the person's own next line, in place of a newest message."""
    write = _Writer(card, mask, count)
    return write(wording(language)["impersonate"], "product:impersonate")[0]


def assemble(
    head: tuple[Section, ...],
    history: Sequence[Piece],
    tail: tuple[Section, ...],
    newest: Piece,
    *,
    budget: Budget,
    limit: Cap,
    laid: int = 0,
    after: tuple[Section, ...] = (),
) -> Prompt:
    """Lay out a whole prompt. `history` holds the talk before `newest`, oldest first.

    `after` comes behind the newest message. `laid` is how many of the oldest messages were left
    out last time. Raises `TooLongError`.
    """
    room = spare(head, (*tail, *after), newest, budget)
    sizes = [piece.tokens + LINE_OVERHEAD for piece in history]
    start = sent_from(sizes, room, limit, min(laid, len(history)))
    live = max(start, live_from([*sizes, newest.tokens + LINE_OVERHEAD], limit))
    talk = (
        Section(Part.WAITING, tuple(history[start:live])),
        Section(Part.LIVE, tuple(history[live:])),
    )
    last = Section(Part.NEWEST, (newest,))
    return Prompt(head, talk, (*tail, last, *after), begins=start)


def spare(head: Sequence[Section], tail: Sequence[Section], newest: Piece, budget: Budget) -> int:
    """Tokens left for the talk beside what is always sent. Raises `TooLongError`."""
    needed = fixed(head, tail, newest)
    if needed > budget.room:
        raise TooLongError(needed, budget.room)
    return budget.room - needed


def fixed(head: Sequence[Section], tail: Sequence[Section], newest: Piece) -> int:
    """Tokens of what is never left out."""
    sections = sum(section.tokens for section in (*head, *tail))
    return sections + newest.tokens + 3 * LINE_OVERHEAD


class _Writer:
    """Makes pieces with the names filled in; an empty text makes none."""

    def __init__(self, card: Card, mask: Mask, count: Counter) -> None:
        self.card, self.mask, self.count = card, mask, count

    def __call__(self, text: str, source: str) -> tuple[Piece, ...]:
        if not text.strip():
            return ()
        named = fill(text, char=self.card.name, user=self.mask.name)
        return (Piece(named, self.count(named), source),)

    def titled(self, title: str, text: str, source: str) -> tuple[Piece, ...]:
        return self(f"{title}\n{text}" if text.strip() else "", source)


def _sections(*parts: tuple[Part, tuple[Piece, ...]]) -> tuple[Section, ...]:
    return tuple(Section(name, pieces) for name, pieces in parts if pieces)


def _character(card: Card, words: dict[str, str], write: _Writer) -> tuple[Piece, ...]:
    own = card.system_prompt.replace("{{original}}", words["instructions"])
    own = own if own.strip() else words["instructions"]
    instructions = write(own, f"character:{card.id}:instructions")
    fields = ("description", "personality", "scenario", "example_dialogue")
    titled = (write.titled(words[f], getattr(card, f), f"character:{card.id}:{f}") for f in fields)
    return (*instructions, *(piece for pieces in titled for piece in pieces))
