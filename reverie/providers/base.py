"""What the product knows of a model: what it is asked, and the events it answers with."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class ChatMessage:
    role: Role
    content: str
    cache_mark: bool = False
    """The provider's prompt cache may end after this message."""


@dataclass(frozen=True)
class ToolSpec:
    name: str
    description: str
    parameters: dict[str, Any] = field(hash=False)
    """JSON schema of the arguments."""


@dataclass(frozen=True)
class Request:
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    temperature: float | None = None
    max_tokens: int | None = None
    cache_key: str = ""
    """Requests with the same key share a beginning."""
    language: str = "en"
    """The chat's language; only the demo needs to be told."""


@dataclass(frozen=True)
class TextDelta:
    text: str


@dataclass(frozen=True)
class ReasoningDelta:
    """A piece of the model's thinking. Never part of the reply's text."""

    text: str


@dataclass(frozen=True)
class Retracted:
    """Every TextDelta so far was thinking after all: forget it as text."""


@dataclass(frozen=True)
class ToolCall:
    id: str
    name: str
    arguments: dict[str, Any] | None
    """None when what came is no JSON object; `raw` is it as it came."""
    raw: str


@dataclass(frozen=True)
class Usage:
    """As the provider reports it; a provider that reports nothing sends no such event."""

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost: Decimal | None = None
    """In the provider's currency, mostly US dollars."""


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens. `cached`: of those sent that the provider still had."""

    sent: Decimal
    cached: Decimal
    written: Decimal

    def of(self, usage: Usage) -> Decimal:
        """What this usage costs, in US dollars."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        fresh = usage.prompt_tokens - cached
        millionths = fresh * self.sent + cached * self.cached
        return (millionths + usage.completion_tokens * self.written) / 1_000_000


@dataclass(frozen=True)
class Finished:
    """The last event of a whole answer."""

    reason: str


Event = TextDelta | ReasoningDelta | Retracted | ToolCall | Usage | Finished


class ChatModel(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def context_tokens(self) -> int: ...
    @property
    def tokenizer(self) -> str:
        """A name in reverie.text.tokens.TOKENIZERS."""

    @property
    def is_demo(self) -> bool: ...
    @property
    def supports_tools(self) -> bool: ...
    @property
    def price(self) -> Price | None:
        """What it costs where the provider does not say it with the usage."""

    def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """The answer as it comes: deltas, tool calls, usage, and Finished last.

        Raises ProviderError, also after deltas. Closing the iterator (contextlib.aclosing) or
        cancelling the task ends the call at the provider at once.
        """


class EmbeddingModel(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int:
        """0 until the first text was embedded, when only the provider knows."""

    def embed(self, texts: list[str], *, kind: Literal["query", "passage"]) -> list[list[float]]:
        """One vector per text, of length one; zeros for an empty text. Blocks.

        Raises ProviderError. Call it in an executor, never in the event loop.
        """
