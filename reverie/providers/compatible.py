"""Any OpenAI-compatible chat endpoint as a ChatModel."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import httpx2
import openai

from reverie.text import tokens

from . import failures, listing, safe_http, wire
from .answer import Answer
from .base import Event, Price, Request
from .errors import ProviderError
from .sse import GRACE_SECONDS, Payload, payloads

DEFAULT_CONTEXT_TOKENS = 32_768
MOST_RETRIES = 2
MOST_LESSONS = 4
LONGEST_WAIT_SECONDS = 5.0
QUICK_SECONDS = 15.0
"""A call that failed later than this is not repeated by itself: somebody is waiting."""

_MARKING_HOSTS = ("openrouter.ai", "anthropic.com")
_FOREIGN_HEADERS = ("OpenAI-Organization", "OpenAI-Project")
_KEYED_HOSTS = ("api.openai.com",)
_TEACHING_STATUSES = {400, 404, 422, 500}

_Clients = dict[tuple[str, str, frozenset[str], float], openai.AsyncOpenAI]
# A connection belongs to the event loop that opened it.
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, _Clients] = WeakKeyDictionary()
_known_quirks: dict[tuple[str, str], wire.Quirks] = {}


class CompatibleModel:
    """A model at an OpenAI-compatible address.

    Tries again by itself only before the first event. What a provider refuses by name is left
    out and remembered in this process, per address and model.
    """

    is_demo = False

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str = "",
        context_tokens: int = 0,
        allowed_private: frozenset[str] = frozenset(),
        idle_seconds: float = 60.0,
        cache_marks: bool | None = None,
        price: Price | None = None,
        tools: bool = True,
    ) -> None:
        """`cache_marks` None: by the host. `context_tokens` 0: DEFAULT_CONTEXT_TOKENS.

        `tools` False: it is known to take none.
        """
        self.name = model
        self.context_tokens = context_tokens or DEFAULT_CONTEXT_TOKENS
        self.tokenizer = tokens.tokenizer_for(model)
        self.price, self._tools = price, tools
        self._base_url, self._key = base_url, api_key
        self._allowed, self._idle = allowed_private, idle_seconds
        self._marks = _host_in(base_url, _MARKING_HOSTS) if cache_marks is None else cache_marks
        self._takes_key = _host_in(base_url, _KEYED_HOSTS)

    @property
    def supports_tools(self) -> bool:
        """False when it takes none, and once the provider has refused them."""
        return self._tools and "tools" not in self._quirks.dropped

    @property
    def _quirks(self) -> wire.Quirks:
        first = wire.Quirks(completion_tokens=self._takes_key)
        return _known_quirks.get((self._base_url, self.name), first)

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """See ChatModel.stream."""
        quirks, retries, lessons, began = self._quirks, 0, 0, False
        while True:
            sent = wire.body(self.name, request, quirks, marks=self._marks, key=self._takes_key)
            started = time.monotonic()
            try:
                async with aclosing(self._attempt(sent, quirks)) as events:
                    async for event in events:
                        began = True
                        yield event
                return
            except ProviderError as error:
                if began:
                    raise
                lesson = _lesson(error, quirks, sent) if lessons < MOST_LESSONS else None
                if lesson:
                    quirks, lessons = lesson, lessons + 1
                    continue
                if retries >= MOST_RETRIES or not _worth_a_retry(error, started):
                    raise
                await asyncio.sleep(_pause(error, retries))
                retries += 1

    async def listed(self) -> list[listing.Listed]:
        """What the endpoint says it has. Raises ProviderError."""
        return await listing.listed(self._base_url, self._key, self._allowed)

    async def aclose(self) -> None:
        """Close this event loop's connections to the provider."""
        kept = _clients.get(asyncio.get_running_loop(), {})
        if client := kept.pop(self._client_key, None):
            await client.close()

    async def _attempt(
        self, sent: dict[str, Any], quirks: wire.Quirks
    ) -> AsyncGenerator[Event, None]:
        """One call, with the outside's exceptions as ProviderError."""
        try:
            async with aclosing(self._call(sent, quirks)) as events:
                async for event in events:
                    yield event
        except openai.APIStatusError as error:
            raise failures.from_status(error, self._key) from error
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            raise failures.from_network(error, self._key) from error
        except openai.OpenAIError as error:
            raise ProviderError("bad_response", str(error), secret=self._key) from error

    async def _call(self, sent: dict[str, Any], quirks: wire.Quirks) -> AsyncGenerator[Event, None]:
        answer = Answer(thinking=quirks.thinking, secret=self._key)
        create: Any = self._client().chat.completions.with_streaming_response.create
        # The body goes as it is: the client's own conversion walks every message for nothing.
        async with create(model=self.name, messages=[], stream=True, extra_body=sent) as response:
            self._remember(quirks)
            async with aclosing(payloads(response.iter_bytes())) as found:
                async for payload in found:
                    for event in answer.feed(payload):
                        yield event
                    if answer.finish_reason:
                        break
                for payload in await _tail(found) if answer.finish_reason else []:
                    for event in answer.feed(payload):
                        yield event
        for event in answer.close():
            yield event
        self._remember_thinking(answer, quirks)

    def _client(self) -> openai.AsyncOpenAI:
        kept = _clients.setdefault(asyncio.get_running_loop(), {})
        if self._client_key not in kept:
            kept[self._client_key] = openai_client(
                self._base_url, self._key, self._allowed, self._idle
            )
        return kept[self._client_key]

    @property
    def _client_key(self) -> tuple[str, str, frozenset[str], float]:
        return self._base_url, self._key, self._allowed, self._idle

    def _remember(self, quirks: wire.Quirks) -> None:
        """Keep what worked; a lesson that did not help is not kept."""
        _known_quirks[self._base_url, self.name] = quirks

    def _remember_thinking(self, answer: Answer, quirks: wire.Quirks) -> None:
        thinking = answer.splitter.unopened or (quirks.thinking and answer.splitter.closed)
        self._remember(replace(quirks, thinking=thinking))


def openai_client(
    base_url: str, key: str, allowed_private: frozenset[str], idle_seconds: float
) -> openai.AsyncOpenAI:
    """The `openai` client on our transport, deaf to the environment and without own retries."""
    http = safe_http.client(base_url, allowed_private=allowed_private, idle_seconds=idle_seconds)
    return openai.AsyncOpenAI(
        base_url=base_url,
        api_key=key or "none",
        max_retries=0,
        http_client=http,
        timeout=http.timeout,
        # The client's own way to leave out what it reads from the environment.
        default_headers={name: openai.Omit() for name in _FOREIGN_HEADERS},  # type: ignore[misc]
    )


async def _tail(found: AsyncIterator[Payload]) -> list[Payload]:
    """What follows the finish reason (mostly usage). The answer is whole without it."""
    rest: list[Payload] = []
    try:
        async with asyncio.timeout(GRACE_SECONDS):
            async for payload in found:
                rest.append(payload)
    except (TimeoutError, ProviderError, httpx2.HTTPError, openai.OpenAIError):
        pass
    return [payload for payload in rest if not payload.get("error")]


def _host_in(base_url: str, hosts: tuple[str, ...]) -> bool:
    host = httpx2.URL(base_url).host
    return any(host == known or host.endswith(f".{known}") for known in hosts)


def _lesson(error: ProviderError, quirks: wire.Quirks, sent: dict[str, Any]) -> wire.Quirks | None:
    if error.status not in _TEACHING_STATUSES or error.code in ("context", "content"):
        return None
    return wire.learn(quirks, error.detail, sent)


def _worth_a_retry(error: ProviderError, started: float) -> bool:
    quick = time.monotonic() - started < QUICK_SECONDS
    return error.retryable and quick and (error.retry_after or 0) <= LONGEST_WAIT_SECONDS


def _pause(error: ProviderError, retries: int) -> float:
    """Seconds before the next try: as the provider asks, else growing from half a second."""
    return error.retry_after if error.retry_after is not None else 0.5 * 2**retries
