"""Tool calls are put together from whatever fragments servers send (C17)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.providers.base import ToolCall
from reverie.providers.toolcalls import ToolCalls
from tests.reverie.test_providers_stream import answer_to
from tests.scripted import Script

RAW = '{"text": "Juno likes tea ☕"}'


def part(
    arguments: Any = "", *, index: Any = 0, call_id: Any = None, name: Any = None
) -> dict[str, Any]:
    return {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}


def calls(*fragments: dict[str, Any]) -> list[tuple[str, str, str]]:
    collected = ToolCalls()
    for fragment in fragments:
        collected.feed([fragment])
    return [(call.id, call.name, call.raw) for call in collected.finish()]


WHOLE = ("a", "save_memory", RAW)
BEGIN = part("", call_id="a", name="save_memory")


@pytest.mark.case("C17")
@pytest.mark.parametrize(
    "fragments",
    [
        [part(RAW, call_id="a", name="save_memory")],
        [BEGIN, *[part(char) for char in RAW]],
        [BEGIN, *[part(char, call_id="a", name="save_memory") for char in RAW]],
        [BEGIN, *[part(char, call_id="") for char in RAW]],
        [part(RAW, call_id="a", name="save_memory")] * 3,
        [
            part(RAW, call_id="a", name="save_memory"),
            part(RAW, index=1, call_id="a", name="save_memory"),
        ],
        [part("", index=None, call_id="a", name="save_memory"), part(RAW, index=None)],
    ],
)
def test_one_call_is_one_call_in_every_manner_of_sending(fragments: list[dict[str, Any]]) -> None:
    assert calls(*fragments) == [WHOLE]


def test_two_calls_stay_two_also_when_all_have_the_same_index() -> None:
    second = part(RAW, call_id="b", name="delete_memory")
    expected = [WHOLE, ("b", "delete_memory", RAW)]
    assert calls(part(RAW, call_id="a", name="save_memory"), second) == expected
    assert calls(part(RAW, call_id="a", name="save_memory"), {**second, "index": 1}) == expected


@given(st.lists(st.integers(0, 1)))
def test_interleaved_fragments_find_their_calls(order: list[int]) -> None:
    begun = [part("", call_id="a", name="x"), part("", index=1, call_id="b", name="y")]
    fragments = [part(str(number), index=index) for number, index in enumerate(order)]
    raws = ["".join(str(n) for n, i in enumerate(order) if i == index) for index in (0, 1)]
    assert calls(*begun, *fragments) == [("a", "x", raws[0]), ("b", "y", raws[1])]


@pytest.mark.requirement("A12")
@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ('{"a": "x\\u0000\\ud83dy"}', {"a": "xy"}),
        ('{"a": NaN}', None),
        ('{"a": ', None),
        ("[1]", None),
        ("", {}),
        ({"a": 1}, {"a": 1}),
        ("[" * 100_000, None),
    ],
)
def test_arguments_are_valid_objects_or_nothing(raw: Any, arguments: dict[str, Any] | None) -> None:
    collected = ToolCalls()
    collected.feed([part(raw, name="save_memory")])
    (call,) = collected.finish()
    assert call.arguments == arguments
    assert call.id


@pytest.mark.parametrize(
    "junk", [None, "x", [None], [{"function": None}], [{"function": {"name": 3}}]]
)
def test_junk_is_no_call_and_no_failure(junk: Any) -> None:
    collected = ToolCalls()
    collected.feed(junk)
    assert all(call.arguments == {} for call in collected.finish())


def test_a_call_without_text_is_a_whole_answer() -> None:
    script = Script(text=[], tool_calls=[[BEGIN], [part(RAW)]], finish="tool_calls", usage=None)
    events, error = answer_to(script)
    assert error is None
    assert events[0] == ToolCall("a", "save_memory", json.loads(RAW), RAW)
