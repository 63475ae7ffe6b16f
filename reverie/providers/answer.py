"""One answer put together: from the payloads of the protocol to our events."""

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from .base import Event, Finished, ReasoningDelta, Retracted, TextDelta, Usage
from .errors import ProviderError
from .failures import from_payload
from .reasoning import Joiner, Piece, Splitter
from .toolcalls import ToolCalls

_REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")


class Answer:
    """Feeds on payloads; `finish_reason` is "" until the provider gave one."""

    def __init__(self, *, thinking: bool = False, secret: str = "") -> None:
        self.finish_reason = ""
        self.splitter = Splitter(thinking=thinking)
        self._secret = secret
        self._text, self._thoughts = Joiner(), Joiner()
        self._tools = ToolCalls()
        self._usage: Usage | None = None
        self._spoke = False

    def feed(self, payload: Mapping[str, Any]) -> Iterator[Event]:
        """Events of one payload. Raises ProviderError for an error inside it."""
        if payload.get("error") or payload.get("object") == "error":
            raise from_payload(
                payload if payload.get("error") else {"error": payload}, self._secret
            )
        self._usage = usage_in(payload) or self._usage
        choice = _first(payload.get("choices"))
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, Mapping):
            yield from self._feed_delta(delta)
        self.finish_reason = str(choice.get("finish_reason") or self.finish_reason)

    def close(self) -> Iterator[Event]:
        """The rest, and the verdict: Finished, or ProviderError for an answer that is not whole."""
        yield from self._pieces(self.splitter.end())
        calls = self._tools.finish() if self.finish_reason else []
        yield from calls
        if self._usage:
            yield self._usage
        self._check(bool(calls))
        yield Finished(self.finish_reason)

    def _feed_delta(self, delta: Mapping[str, Any]) -> Iterator[Event]:
        for field in _REASONING_FIELDS:
            thought = self._thoughts.feed(_plain(delta.get(field)))
            if thought:
                yield ReasoningDelta(thought)
                break
        for kind, text in _parts(delta.get("content") or delta.get("refusal")):
            if kind == "reasoning":
                yield ReasoningDelta(self._thoughts.feed(text))
            else:
                yield from self._pieces(self.splitter.feed(self._text.feed(text)))
        self._tools.feed(delta.get("tool_calls"))

    def _pieces(self, pieces: Iterator[Piece]) -> Iterator[Event]:
        for kind, text in pieces:
            if kind == "reasoning":
                yield ReasoningDelta(text)
            elif kind == "retract":
                self._spoke = False
                yield Retracted()
            else:
                self._spoke = self._spoke or bool(text.strip())
                yield TextDelta(text)

    def _check(self, called: bool) -> None:
        reason, spoke = self.finish_reason, self._spoke
        if not reason:
            code, said = ("network", "cut short") if spoke else ("bad_response", "empty")
            raise ProviderError(code, f"the answer was {said}: no finish reason came")
        if reason == "content_filter":
            raise ProviderError("content", "finish_reason: content_filter")
        if reason == "error":
            raise ProviderError("overloaded", "finish_reason: error")
        if not spoke and not called:
            code = "length" if reason == "length" else "bad_response"
            raise ProviderError(code, f"no text came; finish_reason: {reason}")


def usage_in(payload: Mapping[str, Any]) -> Usage | None:
    """The usage that a payload reports, in any of the field's spellings of cached tokens."""
    usage = payload.get("usage")
    if not isinstance(usage, Mapping) or not usage:
        return None
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return Usage(
        prompt_tokens=_number(usage.get("prompt_tokens", usage.get("input_tokens"))),
        cached_tokens=_number(
            cached or usage.get("prompt_cache_hit_tokens") or usage.get("cache_read_input_tokens")
        ),
        completion_tokens=_number(usage.get("completion_tokens", usage.get("output_tokens"))),
        cost=_money(usage.get("cost")),
    )


def _number(value: object) -> int:
    if isinstance(value, int | float) and math.isfinite(value):
        return max(0, int(value))
    return 0


def _money(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        cost = Decimal(str(value))
    except InvalidOperation:
        return None
    return cost if cost.is_finite() and cost >= 0 else None


def _first(choices: object) -> Mapping[str, Any]:
    """The first choice; an answer has one, since we ask for one."""
    first = choices[0] if isinstance(choices, list) and choices else {}
    return first if isinstance(first, Mapping) else {}


def _parts(content: object) -> Iterator[tuple[str, str]]:
    """("text" | "reasoning", words) of a content that is a string or a list of typed parts."""
    if isinstance(content, str):
        yield "text", content
        return
    for part in content if isinstance(content, list) else []:
        if isinstance(part, Mapping) and part.get("type") == "thinking":
            yield "reasoning", _plain(part.get("thinking"))
        elif isinstance(part, Mapping):
            yield "text", _plain(part.get("text"))


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    return "".join(words for _, words in _parts(value)) if isinstance(value, list) else ""
