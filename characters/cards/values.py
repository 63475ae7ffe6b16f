"""What reading a card yields: our fields, what has none, and a line about each part of it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class State(StrEnum):
    """What became of a part of a card."""

    KEPT = "kept"
    MAPPED = "mapped"  # it has another name here
    UNUSED = "unused"  # stored and exported again; nothing here uses it yet
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Line:
    """`field` as the card calls it, `to` as we do; `why` says what was changed, `count` how often.

    `items`: names or addresses that people should see.
    """

    field: str
    state: State
    to: str = ""
    why: str = ""
    count: int = 1
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rest:
    """What a card has and we have no column for. It goes out again as it came in (C82)."""

    data: dict[str, Any] = field(default_factory=dict)
    extensions: dict[str, Any] = field(default_factory=dict)
    top: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    fields: dict[str, Any]
    rest: Rest
    lines: tuple[Line, ...]
