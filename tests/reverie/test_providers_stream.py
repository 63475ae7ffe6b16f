"""Talking to a provider over real HTTP: whole answers, broken ones, and stopping."""

import asyncio
import json
import time
from contextlib import aclosing
from decimal import Decimal
from typing import Any

import pytest

from reverie.providers.base import (
    ChatMessage,
    Event,
    Finished,
    ReasoningDelta,
    Request,
    TextDelta,
    Usage,
)
from reverie.providers.compatible import CompatibleModel
from reverie.providers.errors import ProviderError
from tests.scripted import Script, ScriptedProvider, chunk, sse

HELLO = Request((ChatMessage("user", "Hello"),))
KEY = "sk-test-0123456789"


def talk(
    provider: ScriptedProvider, request: Request = HELLO, **options: Any
) -> tuple[list[Event], ProviderError | None]:
    """Every event of one answer, and the error that ended it."""
    model = CompatibleModel(
        provider.base_url,
        provider.model,
        api_key=KEY,
        allowed_private=provider.private_hosts,
        **options,
    )

    async def run() -> tuple[list[Event], ProviderError | None]:
        events: list[Event] = []
        try:
            async for event in model.stream(request):
                events.append(event)
        except ProviderError as error:
            return events, error
        finally:
            await model.aclose()
        return events, None

    return asyncio.run(run())


def said(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def answer_to(script: Script, **options: Any) -> tuple[list[Event], ProviderError | None]:
    with ScriptedProvider(script) as provider:
        return talk(provider, **options)


def test_an_answer_comes_in_pieces_and_ends_with_usage_and_finished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody-else")
    with ScriptedProvider(Script(text=["Hel", "lo"])) as provider:
        events, error = talk(provider)
    assert error is None
    assert events == [TextDelta("Hel"), TextDelta("lo"), Usage(12, 0, 3), Finished("stop")]
    sent = provider.last
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.json["messages"] == [{"role": "user", "content": "Hello"}]
    assert (sent.json["stream"], sent.json["stream_options"]) == (True, {"include_usage": True})
    assert not {"openai-organization", "openai-project"} & set(sent.headers)
    assert not {"temperature", "max_tokens", "tools", "prompt_cache_key"} & set(sent.json)


@pytest.mark.parametrize(
    ("usage", "cached", "cost"),
    [
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 7}}, 7, None),
        ({"prompt_tokens": 9, "prompt_cache_hit_tokens": 6}, 6, None),
        ({"prompt_tokens": 9, "cache_read_input_tokens": 5, "cost": 0.0012}, 5, Decimal("0.0012")),
        ({"input_tokens": 9, "prompt_tokens_details": None, "cost": "x"}, 0, None),
    ],
)
def test_cached_tokens_are_read_in_every_spelling(
    usage: dict[str, Any], cached: int, cost: Decimal | None
) -> None:
    events, _ = answer_to(Script(usage={**usage, "completion_tokens": 2}))
    assert [event for event in events if isinstance(event, Usage)] == [Usage(9, cached, 2, cost)]


@pytest.mark.case("C12")
def test_a_provider_that_reports_no_usage_is_no_error() -> None:
    events, error = answer_to(Script(usage=None, text=["Hi"]))
    assert (events, error) == ([TextDelta("Hi"), Finished("stop")], None)


@pytest.mark.requirement("P8")
@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_emoji_and_kana_survive_any_split_of_the_bytes(step: int) -> None:
    text = "か👨‍👩‍👧‍👦🇯🇵漢字"
    raw = "".join(
        f"data: {json.dumps(chunk({'content': part}), ensure_ascii=False)}\n\n" for part in text
    ).encode()
    raw += sse(chunk({}, "stop")) + b"data: [DONE]\n\n"
    events, error = answer_to(Script(raw=raw, raw_step=step))
    assert (said(events), error) == (text, None)


@pytest.mark.requirement("P8", "A12")
@pytest.mark.case("C70", "C73")
def test_halves_of_a_surrogate_pair_become_one_character_and_lone_ones_vanish() -> None:
    events, error = answer_to(Script(text=["a\ud83d", "\ude00b", "\ud83d", "c\x00d"]))
    assert (said(events), error) == ("a😀bcd", None)


@pytest.mark.case("C73")
def test_a_lone_surrogate_in_the_history_does_not_stop_the_next_turn() -> None:
    with ScriptedProvider() as provider:
        _, error = talk(provider, Request((ChatMessage("user", "a\ud83db\x00"),)))
    assert error is None
    assert provider.last.json["messages"][0]["content"] == "ab"


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\n\n", "\r\n\r\n"])
def test_events_are_read_with_any_line_ends_and_comments(ends: str) -> None:
    parts = [": wait", "event: message", f"data:{json.dumps(chunk({'content': 'Hi'}))}"]
    parts += [f"data: {json.dumps(chunk({}, 'stop'))}", "data: [DONE]"]
    events, error = answer_to(Script(raw=(ends.join(parts) + ends).encode()))
    assert (said(events), error) == ("Hi", None)


@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream"])
def test_a_server_that_does_not_stream_is_understood(content_type: str) -> None:
    message = {"role": "assistant", "content": "<think>hm</think>Hi"}
    body = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {}}
    events, error = answer_to(Script(body=json.dumps(body, indent=1), content_type=content_type))
    assert (events, error) == ([ReasoningDelta("hm"), TextDelta("Hi"), Finished("stop")], None)


@pytest.mark.requirement("P8")
@pytest.mark.parametrize(
    ("script", "code", "kept"),
    [
        (Script(text=["Hel", "lo", "x"], cut_after=2), "network", "Hello"),
        (Script(text=["Hel", "lo"], finish=None), "network", "Hello"),
        (Script(text=["Hel", "lo"], finish=None, done=False, usage=None), "network", "Hello"),
        (Script(text=["Hello"], hang_after=1), "network", "Hello"),
        (Script(text=[], finish=None), "bad_response", ""),
        (Script(text=[]), "bad_response", ""),
        (Script(text=["  ", "\n"]), "bad_response", ""),
        (Script(text=[], reasoning=["hm"], finish="length"), "length", ""),
        (Script(raw=b""), "bad_response", ""),
        (
            Script(raw=sse(chunk({"content": "Hello"})) + b"data: {oops\n\n"),
            "bad_response",
            "Hello",
        ),
        (Script(raw=sse(chunk({"content": "Hello"})) + b'data: {"choi'), "network", "Hello"),
        (Script(raw=b"data: [1, 2]\n\n"), "bad_response", ""),
        (Script(body="<!doctype html><p>Log in</p>"), "bad_response", ""),
        (Script(body={"error": {"message": "no such model"}}), "bad_response", ""),
        (Script(body={"error": {"message": "slow", "code": 401}}), "auth", ""),
        (Script(body={"object": "error", "message": "maximum context length"}), "context", ""),
        (
            Script(extra=[{"error": {"code": 402, "message": "pay"}}], text=["Hello"]),
            "quota",
            "Hello",
        ),
        (Script(raw=b'event: error\ndata: {"message": "Overloaded"}\n\n'), "overloaded", ""),
        (Script(text=["Hello"], finish="content_filter"), "content", "Hello"),
        (Script(text=["Hello"], finish="error"), "overloaded", "Hello"),
    ],
)
def test_a_broken_answer_keeps_what_came_and_says_what_happened(
    script: Script, code: str, kept: str
) -> None:
    with ScriptedProvider(*[script] * 3) as provider:
        events, error = talk(provider, idle_seconds=0.3)
    assert error is not None
    assert (error.code, said(events)) == (code, kept)
    assert not any(isinstance(event, Finished) for event in events)
    if kept:
        assert len(provider.requests) == 1, "no automatic retry after the first token"


@pytest.mark.requirement("P8")
@pytest.mark.parametrize(
    ("script", "calls"),
    [
        (Script(status=429, headers={"Retry-After": "0"}), 3),
        (Script(status=503, headers={"Retry-After": "0"}), 3),
        (Script(cut_after=0, first_delay=0.0), 3),
        (Script(status=429, headers={"Retry-After": "20"}), 1),
        (Script(status=401), 1),
        (Script(status=402), 1),
        (Script(status=404), 1),
        (Script(text=[]), 1),
    ],
)
def test_only_what_may_pass_is_tried_again_and_at_most_twice(script: Script, calls: int) -> None:
    with ScriptedProvider(*[script] * 5) as provider:
        _, error = talk(provider)
    assert error is not None
    assert len(provider.requests) == calls


@pytest.mark.requirement("P8")
def test_a_second_try_before_the_first_token_goes_unnoticed() -> None:
    busy = Script(status=503, headers={"Retry-After": "0"})
    with ScriptedProvider(busy, busy, Script(text=["Hello"])) as provider:
        events, error = talk(provider)
    assert (said(events), error) == ("Hello", None)


@pytest.mark.requirement("P6")
@pytest.mark.parametrize("by", ["closing", "cancelling"])
def test_stopping_closes_the_connection_within_a_second(by: str) -> None:
    with ScriptedProvider(Script(text=["word "] * 1000, delay=0.02)) as provider:
        model = CompatibleModel(
            provider.base_url, provider.model, allowed_private=provider.private_hosts
        )
        stopped_at = asyncio.run(_stop(model, by))
        while provider.last.closed_at is None and time.monotonic() < stopped_at + 2:
            time.sleep(0.01)
    assert provider.last.closed_at is not None
    assert provider.last.closed_at - stopped_at < 1.0


async def _stop(model: CompatibleModel, by: str) -> float:
    """Stop after a few pieces; the moment of stopping. The loop then lives on for a while."""

    async def listen(most: int) -> None:
        async with aclosing(model.stream(HELLO)) as events:
            async for _ in events:
                most -= 1
                if not most:
                    break

    task = asyncio.create_task(listen(3 if by == "closing" else 10_000))
    if by == "closing":
        await task
    else:
        await asyncio.sleep(0.2)
        task.cancel()
    stopped_at = time.monotonic()
    await asyncio.sleep(0.5)
    return stopped_at


def test_the_answer_is_whole_at_its_finish_reason_though_the_server_lingers() -> None:
    began = time.monotonic()
    with ScriptedProvider(Script(text=["Hello"], usage=None, done=False, hang_after=2)) as provider:
        events, error = talk(provider, idle_seconds=30)
    assert (said(events), error) == ("Hello", None)
    assert time.monotonic() - began < 5


def test_the_connection_is_used_again_for_the_next_answer() -> None:
    with ScriptedProvider(Script(), Script()) as provider:
        model = CompatibleModel(
            provider.base_url, provider.model, allowed_private=provider.private_hosts
        )

        async def twice() -> list[list[Event]]:
            return [[event async for event in model.stream(HELLO)] for _ in range(2)]

        first, second = asyncio.run(twice())
    assert first == second
    ports = {request.client_port for request in provider.requests}
    assert len(ports) == 1
