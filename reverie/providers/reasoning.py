"""Keeps a model's thinking apart from what it says, while both arrive in pieces."""

import re
from collections.abc import Iterator
from typing import Final, Literal

from reverie.text.clean import strip_invalid

Piece = tuple[Literal["text", "reasoning", "retract"], str]

_WORDS: Final = ("think", "thinking", "thought", "reasoning", "seed:think")
_CHANNELS: Final = tuple(
    f"{start}<|channel|>{channel}<|message|>"
    for start in ("", "<|start|>assistant")
    for channel in ("analysis", "commentary", "final")
)
_OPEN: Final = (
    *(f"<{word}>" for word in _WORDS),
    "[think]",
    "◁think▷",
    "<|start_thinking|>",
    *(tag for tag in _CHANNELS if "final" not in tag),
)
_CLOSE: Final = (
    *(f"</{word}>" for word in _WORDS),
    "[/think]",
    "◁/think▷",
    "<|end_thinking|>",
)
# They frame messages and say nothing: dropped from text, and an end of thinking.
_FRAMES: Final = (*(tag for tag in _CHANNELS if "final" in tag), "<|end|>", "<|return|>")
_FENCES: Final = ("```", "~~~")
_FIRSTS: Final = frozenset(tag[0] for tag in (*_OPEN, *_CLOSE, *_FRAMES, *_FENCES))
_FIRST: Final = re.compile("[" + re.escape("".join(sorted(_FIRSTS))) + "]")
_BLANK: Final = " \t\r\n"


def _any_of(tags: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(tag) for tag in tags), re.IGNORECASE)


_OPENS, _FENCE = _any_of(_OPEN), _any_of(_FENCES)
_CLOSES, _CLOSES_OR_FRAMES = _any_of(_CLOSE), _any_of((*_CLOSE, *_FRAMES))
_IN_LINE = re.compile(rf"\n|{_CLOSES_OR_FRAMES.pattern}", re.IGNORECASE)


class Joiner:
    """Joins surrogate halves that came in two pieces; drops lone ones and NUL (A12)."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        text = self._half + text
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return strip_invalid(text)


class Splitter:
    """Feeds on the text of an answer and gives it back as text and reasoning.

    - An opening tag counts at the start of the text or of a line, outside code fences; so talk
      *about* tags is kept. Without a closing tag, all that follows is reasoning.
    - A closing tag that nothing opened (templates that begin the thinking themselves): all before
      it was reasoning. What was already given as text is taken back by a "retract" piece;
      `unopened` is then true and the next answer of that model can start with `thinking=True`.
    - With `thinking=True` and no closing tag (`closed` is false), the answer did not think: all
      of it is text, at its end.
    """

    def __init__(self, *, thinking: bool = False) -> None:
        self.unopened = self.closed = False
        self._assumed = thinking
        self._thinking = thinking
        self._opened = thinking
        self._shown = False
        self._line_start = True
        self._fence = ""
        self._held = ""
        self._thought: list[str] = []

    def feed(self, text: str) -> Iterator[Piece]:
        """What is certain by now. A possible beginning of a tag waits for the rest of it."""
        self._held += text
        moved = True
        while moved and self._held:
            before = len(self._held), self._thinking, self._line_start
            yield from self._think() if self._thinking else self._speak()
            moved = before != (len(self._held), self._thinking, self._line_start)

    def end(self) -> Iterator[Piece]:
        """The rest, when no more text comes."""
        if self._assumed and self._thinking:
            self._thinking = False
            yield from self._text("".join(self._thought) + self._take(len(self._held)))
        rest = self._take(len(self._held))
        yield from self._reasoning(rest) if self._thinking else self._text(rest)

    def _think(self) -> Iterator[Piece]:
        if self._assumed and not self._thought and self._opens_again():
            return
        if match := _CLOSES_OR_FRAMES.search(self._held):
            yield from self._reasoning(self._take(match.start()))
            self._take(len(match[0]))
            self._thinking, self.closed, self._line_start = False, True, True
        else:
            sure = len(self._held) - _started(self._held, (*_CLOSE, *_FRAMES))
            yield from self._reasoning(self._take(sure))

    def _opens_again(self) -> bool:
        """Whether the answer opens its thinking itself (taken away), or still might."""
        rest = self._held.lstrip(_BLANK)
        if match := _OPENS.match(rest):
            self._held, self._assumed = rest[match.end() :], False
            return True
        return not rest or _begins(rest, _OPEN)

    def _speak(self) -> Iterator[Piece]:
        if not self._line_start:
            yield from self._speak_on()
            return
        rest = self._held.lstrip(_BLANK)
        lead = len(self._held) - len(rest)
        if not self._fence and (match := _OPENS.match(rest)):
            yield from self._text(self._take(lead))
            self._take(len(match[0]))
            self._thinking = self._opened = True
        elif rest and not _begins(rest, _FENCES if self._fence else (*_OPEN, *_FENCES)):
            if match := _FENCE.match(rest):
                self._fence = "" if self._fence else match[0]
            self._line_start = False
            yield from self._text(self._take(lead))

    def _speak_on(self) -> Iterator[Piece]:
        """The rest of a line, to its end or to a tag that has no business there."""
        match = _IN_LINE.search(self._held)
        while match and self._fence and match[0] != "\n":
            match = _IN_LINE.search(self._held, match.end())
        if match is None:
            waiting = 0 if self._fence else _started(self._held, (*_CLOSE, *_FRAMES))
            yield from self._text(self._take(len(self._held) - waiting))
        elif match[0] == "\n":
            yield from self._text(self._take(match.end()))
            self._line_start = True
        else:
            yield from self._meet(match)

    def _meet(self, match: re.Match[str]) -> Iterator[Piece]:
        said = self._take(match.start())
        self._take(len(match[0]))
        if self._opened or not _CLOSES.fullmatch(match[0]):
            yield from self._text(said)
            return
        self.unopened = self._opened = self._line_start = True
        if self._shown:
            self._shown = False
            yield "retract", ""
        yield from self._reasoning(said)

    def _take(self, size: int) -> str:
        taken, self._held = self._held[:size], self._held[size:]
        return taken

    def _text(self, text: str) -> Iterator[Piece]:
        text = text if self._shown else text.lstrip(_BLANK)
        if text:
            self._shown = True
            yield "text", text

    def _reasoning(self, text: str) -> Iterator[Piece]:
        if text:
            if self._assumed:
                self._thought.append(text)
            yield "reasoning", text


def _begins(text: str, tags: tuple[str, ...]) -> bool:
    """Whether `text` is the beginning of a tag that may still be completed."""
    if text[0] not in _FIRSTS:
        return False
    lower = text.lower()
    return any(len(lower) < len(tag) and tag.startswith(lower) for tag in tags)


def _started(text: str, tags: tuple[str, ...]) -> int:
    """How many characters at the end of `text` may be the beginning of a tag."""
    longest = max(len(tag) for tag in tags) - 1
    start = max(0, len(text) - longest)
    places = (match.start() for match in _FIRST.finditer(text, start))
    return next((len(text) - at for at in places if _begins(text[at:], tags)), 0)
