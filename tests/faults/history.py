"""What was done and what was heard in a fault run, so that it can be judged afterwards."""

import time
from dataclasses import dataclass, field
from typing import Any

Life = tuple[str, int]  # a program's name and which of its lives
NOBODY: Life = ("", 0)


@dataclass
class Said:
    """One message that a person wanted to send, over all tries."""

    talk: str
    client_id: str
    text: str
    acked: bool = False
    unknown: bool = False
    """A try ended without an answer, so that it may be there."""


@dataclass(frozen=True)
class Act:
    """One call and what came of it; status 0 is nothing."""

    at: float
    who: str
    kind: str
    target: str
    status: int


@dataclass(frozen=True)
class Seen:
    """The text that a page had shown of a reply, and the row that then told of its end."""

    reply: str
    text: str
    row: dict[str, Any]
    life: Life | None
    whole: bool
    """Without a gap, over one line to the process `life`."""


@dataclass
class History:
    """All of one run. Times are seconds since it began."""

    began: float = field(default_factory=time.monotonic)
    said: list[Said] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    blows: list[Act] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    edits: dict[str, set[str]] = field(default_factory=dict)
    """By message, every text that an edit tried to give it."""
    writers: dict[str, Life] = field(default_factory=dict)
    """By reply, who surely writes it: whoever answered the only call for it."""
    breaches: list[str] = field(default_factory=list)

    def now(self) -> float:
        return time.monotonic() - self.began

    def note(self, who: str, kind: str, target: str, status: int) -> None:
        self.acts.append(Act(self.now(), who, kind, target, status))

    def blow(self, kind: str, target: str) -> None:
        self.blows.append(Act(self.now(), "harness", kind, target, 0))

    def told(self) -> str:
        """Everything in order, for a person who looks for the cause."""
        lines = sorted([*self.acts, *self.blows], key=lambda act: act.at)
        return "\n".join(
            f"{a.at:7.3f} {a.who:<8} {a.kind:<14} {a.target:<40} {a.status}" for a in lines
        )
