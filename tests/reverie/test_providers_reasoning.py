"""Thinking is kept apart from speech, however it arrives (C109)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.providers.base import ReasoningDelta, Retracted, TextDelta
from reverie.providers.reasoning import Joiner, Splitter
from tests.reverie.test_providers_stream import answer_to, said, talk
from tests.scripted import Script, ScriptedProvider


def split(*texts: str, thinking: bool = False) -> tuple[str, str]:
    """(text, reasoning) after all pieces, with retracted text as a reader of events sees it."""
    splitter = Splitter(thinking=thinking)
    pieces = [piece for text in texts for piece in splitter.feed(text)]
    pieces += splitter.end()
    text, reasoning = "", ""
    for kind, words in pieces:
        if kind == "retract":
            text, reasoning = "", reasoning + text
        elif kind == "text":
            text += words
        else:
            reasoning += words
    return text, reasoning


CASES = [
    ("<think>a</think>\n\nb", "b", "a"),
    ("<THINKING>a</THINKING>b", "b", "a"),
    ("<thought>a</thought>b", "b", "a"),
    ("<reasoning>a</reasoning>b", "b", "a"),
    ("[THINK]a[/THINK]b", "b", "a"),
    ("◁think▷a◁/think▷b", "b", "a"),
    ("\n <think>a</think>b", "b", "a"),
    ("<think>a", "", "a"),
    ("<think></think>b", "b", ""),
    ("one\n<think>a</think>two", "one\ntwo", "a"),
    ("<think>a</think><think>c</think>b", "b", "ac"),
    ("a</think>b", "b", "a"),
    ("a\nmore\n</think>\nb", "b", "a\nmore\n"),
    ("say <think> aloud", "say <think> aloud", ""),
    ("```\n<think>\n```\nb", "```\n<think>\n```\nb", ""),
    ("```\na</think>\n```\nb", "```\na</think>\n```\nb", ""),
    ("a < b and <b>c</b>", "a < b and <b>c</b>", ""),
    ("<thin", "<thin", ""),
    ("<thinker>x", "<thinker>x", ""),
    ("plain", "plain", ""),
    ("\u3000段落", "\u3000段落", ""),
    (
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
        "b",
        "a",
    ),
]


@pytest.mark.case("C109")
@pytest.mark.parametrize(("whole", "text", "reasoning"), CASES)
def test_thinking_is_split_off(whole: str, text: str, reasoning: str) -> None:
    assert split(whole) == (text, reasoning)


@pytest.mark.case("C109")
@pytest.mark.parametrize(("whole", "text", "reasoning"), CASES)
def test_it_does_not_matter_where_the_pieces_are_cut(whole: str, text: str, reasoning: str) -> None:
    assert split(*whole) == (text, reasoning)
    for at in range(len(whole)):
        assert split(whole[:at], whole[at:]) == (text, reasoning)


@given(st.lists(st.sampled_from(["<think>", "</think>", "<", "`" * 3, "\n", " ", "a", "think>"])))
def test_pieces_never_change_the_result(pieces: list[str]) -> None:
    assert split(*pieces) == split("".join(pieces)) == split(*"".join(pieces))


@given(st.text())
def test_text_without_tags_is_kept_but_for_blank_beginnings(text: str) -> None:
    if not any(mark in text for mark in "<[◁"):
        assert split(text) == (text.lstrip(" \t\r\n"), "")


@pytest.mark.parametrize(
    ("whole", "text", "reasoning"),
    [
        ("a</think>b", "b", "a"),
        ("<think>a</think>b", "b", "a"),
        ("\n<think>a</think>b", "b", "a"),
    ],
)
def test_a_template_that_begins_the_thinking_itself_is_understood(
    whole: str, text: str, reasoning: str
) -> None:
    assert split(whole, thinking=True) == (text, reasoning)
    assert split(*whole, thinking=True) == (text, reasoning)


def test_an_answer_that_was_expected_to_think_and_did_not_is_text() -> None:
    assert split("Hel", "lo", thinking=True)[0] == "Hello"


@pytest.mark.case("C109")
def test_thinking_that_nothing_opened_is_taken_back_and_expected_the_next_time() -> None:
    script = Script(text=["hm, ", "well</think>", "Hi"])
    with ScriptedProvider(script, script, Script(text=["No", "thing"])) as provider:
        first, second, third = (talk(provider)[0] for _ in range(3))
    assert first[:3] == [TextDelta("hm, "), Retracted(), ReasoningDelta("well")]
    assert said(second) == "Hi"
    assert Retracted() not in second
    assert said(third) == "Nothing"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "thinking"])
def test_thinking_in_a_field_of_its_own_is_no_text(field: str) -> None:
    events, error = answer_to(
        Script(reasoning=["hm ", "\ud83d"], reasoning_field=field, text=["Hi"])
    )
    assert (said(events), error) == ("Hi", None)
    assert "hm " in [getattr(event, "text", "") for event in events]


def test_a_joined_pair_is_one_character_and_a_lone_half_is_none() -> None:
    joiner = Joiner()
    assert [joiner.feed(part) for part in ("a\ud83d", "\ude00", "\ud83d", "b")] == [
        "a",
        "😀",
        "",
        "b",
    ]
