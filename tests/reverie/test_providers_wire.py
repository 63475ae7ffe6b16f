"""What is sent, and how the product adapts to a provider that wants it otherwise (C27)."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.providers import wire
from reverie.providers.base import ChatMessage, Request, ToolSpec
from reverie.providers.wire import Quirks, strict_roles
from tests.reverie.test_providers_stream import said, talk
from tests.scripted import Script, ScriptedProvider

TOOL = ToolSpec("save_memory", "Save.", {"type": "object", "properties": {}})
FULL = Request(
    (
        ChatMessage("system", "You are Tomori.", cache_mark=True),
        ChatMessage("assistant", "Hi!"),
        ChatMessage("user", "Hello", cache_mark=True),
        ChatMessage("system", "It is evening."),
        ChatMessage("user", "How are you?"),
    ),
    tools=(TOOL,),
    temperature=0.7,
    max_tokens=300,
    cache_key="chat-1",
)


def picky(message: str, refuses: Callable[[dict[str, Any]], bool], status: int = 400) -> Any:
    """A provider that answers with `message` whatever it refuses."""
    refusal = Script(status=status, body={"error": {"message": message}})
    return lambda asked: refusal if refuses(asked) else Script(text=["Fine."])


@pytest.mark.case("C27")
@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("`temperature` may only be set to 1 when thinking is enabled", "temperature"),
        ("Unrecognized request argument supplied: stream_options", "stream_options"),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens"),
        ("m does not support tools", "tools"),
    ],
)
def test_a_parameter_that_is_refused_by_name_is_left_out_once_and_for_all(
    message: str, name: str
) -> None:
    with ScriptedProvider(responder=picky(message, lambda asked: name in asked)) as provider:
        first, error = talk(provider, FULL)
        assert (said(first), error) == ("Fine.", None)
        talk(provider, FULL)
    assert [name in request.json for request in provider.requests] == [True, False, False]
    kept = {"temperature", "stream_options", "tools", "messages"} - {name}
    assert kept <= set(provider.last.json)


@pytest.mark.case("C27")
def test_a_limit_keeps_its_value_under_its_other_name() -> None:
    responder = picky("use max_completion_tokens", lambda asked: "max_tokens" in asked)
    with ScriptedProvider(responder=responder) as provider:
        talk(provider, FULL)
    assert provider.last.json["max_completion_tokens"] == 300


def test_a_refusal_that_no_change_helps_is_told_and_nothing_is_remembered() -> None:
    with ScriptedProvider(responder=picky("temperature is bad", lambda _: True)) as provider:
        _, error = talk(provider, FULL)
        assert error is not None
        assert error.code == "bad_response"
        provider.responder = lambda _: Script()
        talk(provider, FULL)
    assert "temperature" in provider.last.json


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Conversation roles must alternate user/assistant/user/assistant/...", 500),
        ("System message must be at the beginning.", 400),
    ],
)
def test_a_strict_chat_template_gets_strict_roles(message: str, status: int) -> None:
    def refuses(asked: dict[str, Any]) -> bool:
        roles = [sent["role"] for sent in asked["messages"]]
        return "system" in roles[1:] or any(a == b for a, b in pairwise(roles))

    with ScriptedProvider(responder=picky(message, refuses, status)) as provider:
        events, error = talk(provider, FULL)
        talk(provider, FULL)
    assert (said(events), error) == ("Fine.", None)
    assert len(provider.requests) == 3
    assert [sent["role"] for sent in provider.last.json["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]


def test_a_template_without_system_gets_it_as_the_first_user_message() -> None:
    def refuses(asked: dict[str, Any]) -> bool:
        return any(sent["role"] == "system" for sent in asked["messages"])

    responder = picky("System role not supported", refuses)
    with ScriptedProvider(responder=responder) as provider:
        _, error = talk(provider, FULL)
    assert error is None
    assert provider.last.json["messages"][0]["content"].startswith("You are Tomori.")


ROLES = st.sampled_from(["system", "user", "assistant"])


@given(st.lists(st.builds(ChatMessage, ROLES, st.text(min_size=1), st.booleans())), st.booleans())
def test_strict_roles_alternate_and_lose_no_word(
    messages: list[ChatMessage], keep_system: bool
) -> None:
    strict = strict_roles(messages, keep_system=keep_system)
    roles = [message.role for message in strict]
    assert all(a != b for a, b in pairwise(roles))
    assert "system" not in roles[1:]
    assert [role for role in roles if role != "system"][:1] in ([], ["user"])
    joined = "\n".join(message.content for message in strict)
    assert all(message.content in joined for message in messages)
    assert any(m.cache_mark for m in messages) == any(m.cache_mark for m in strict)


def test_cache_marks_are_sent_where_they_are_taken_and_at_most_four() -> None:
    messages = tuple(ChatMessage("user", str(number), cache_mark=True) for number in range(6))
    marked = wire.body("m", Request(messages), Quirks(), marks=True, key=False)["messages"]
    assert [isinstance(sent["content"], list) for sent in marked] == [False] * 2 + [True] * 4
    assert marked[-1]["content"] == [
        {"type": "text", "text": "5", "cache_control": {"type": "ephemeral"}}
    ]
    plain = wire.body("m", FULL, Quirks(), marks=False, key=True)
    assert all(isinstance(sent["content"], str) for sent in plain["messages"])
    assert plain["prompt_cache_key"] == "chat-1"


@pytest.mark.case("C27")
def test_a_provider_that_refuses_cache_marks_gets_plain_text() -> None:
    def refuses(asked: dict[str, Any]) -> bool:
        return any(isinstance(sent["content"], list) for sent in asked["messages"])

    responder = picky("cache_control: extra fields not permitted", refuses)
    with ScriptedProvider(responder=responder) as provider:
        _, error = talk(provider, FULL, cache_marks=True)
    assert error is None
    assert len(provider.requests) == 2
