"""The values that the rules of a talk pass around. Frozen, and free of Django."""

from dataclasses import dataclass
from enum import StrEnum

LINE_OVERHEAD = 4  # tokens that a chat format spends on the frame of one message


class Part(StrEnum):
    """The sections of a prompt, in the order in which they are sent."""

    CHARACTER = "character"
    PERSONA = "persona"
    BOND = "bond"
    PINS = "pins"
    MEMORIES = "memories"
    WAITING = "waiting"
    LIVE = "live"
    SAVED = "saved"
    RECALLED = "recalled"
    INSTRUCTIONS = "instructions"
    TIME = "time"
    NEWEST = "newest"
    PARTIAL = "partial"
    CONTINUE = "continue"


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Piece:
    """A text of a prompt, its tokens and where it comes from (`message:7`, `persona:<id>` …)."""

    text: str
    tokens: int
    source: str
    role: Role = Role.SYSTEM


@dataclass(frozen=True, slots=True)
class Section:
    name: Part
    pieces: tuple[Piece, ...]

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Line:
    """One message as a provider takes it. `mark`: what ends here may be cached."""

    role: Role
    content: str
    mark: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A character as its prompt needs it; names not yet filled in."""

    id: str
    name: str
    description: str = ""
    personality: str = ""
    scenario: str = ""
    example_dialogue: str = ""
    system_prompt: str = ""
    post_history_instructions: str = ""


@dataclass(frozen=True, slots=True)
class Mask:
    """The persona that the person wears; without one, only their name."""

    id: str
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens of the model's context, and what of them is kept for the reply."""

    context: int
    reserve: int

    @property
    def room(self) -> int:
        return self.context - self.reserve
