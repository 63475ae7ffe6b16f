"""The demo is kind, honest, the same every time, and remembers what the prompt holds."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.providers.base import ChatMessage, Finished, Request, TextDelta, Usage
from reverie.providers.demo import DemoModel, reply_to
from reverie.text.language import guess

ENGLISH = ChatMessage("system", "You are Tomori, a ceramic artist. You are talking to Juno.")
JAPANESE = ChatMessage("system", "あなたは「ともり」です。ユーザーの名前は「ジュノ」です。")


def reply(*said: str, language: str = "en", system: ChatMessage = ENGLISH) -> str:
    """What the demo says to the last of several messages."""
    talk: list[ChatMessage] = [system]
    for words in said[:-1]:
        talk += [ChatMessage("user", words), ChatMessage("assistant", "Hm.")]
    talk.append(ChatMessage("user", said[-1]))
    return reply_to(Request(tuple(talk), language=language))


def test_the_reply_streams_in_pieces_with_usage_and_an_end() -> None:
    request = Request((ENGLISH, ChatMessage("user", "It rained all day.")))

    async def run() -> list[object]:
        return [event async for event in DemoModel(delay_seconds=0).stream(request)]

    *deltas, usage, end = asyncio.run(run())
    texts = [event.text for event in deltas if isinstance(event, TextDelta)]
    assert "".join(texts) == reply_to(request)
    assert len(texts) > 5
    assert isinstance(usage, Usage)
    assert min(usage.prompt_tokens, usage.completion_tokens) > 5
    assert end == Finished("stop")


@pytest.mark.parametrize(
    "said", ["Hello!", "It rained.", "Why?", "What do you remember?", "I like tea"]
)
def test_every_reply_says_that_it_is_a_demo_and_knows_the_names(said: str) -> None:
    text = reply(said)
    assert text.splitlines()[-1].startswith("*— demo, no AI: connect a model")
    assert "Tomori" in text
    assert "Juno" in text
    assert text == reply(said)


@pytest.mark.parametrize(
    "said", ["こんにちは", "雨でした。", "なぜ？", "何を覚えてる？", "猫が好きです"]
)
def test_a_japanese_chat_is_answered_in_japanese(said: str) -> None:
    text = reply(said, language="ja", system=JAPANESE)
    assert guess(text) == "ja"
    assert "デモです（AIではありません）" in text
    assert "ともり" in text
    assert "ジュノ" in text


@pytest.mark.parametrize(
    ("language", "told", "asked", "remembered"),
    [
        (
            "en",
            "My cat is called Mochi.",
            "What do you remember about me?",
            "Your cat is called Mochi",
        ),
        ("en", "Well, I like barley tea", "do you remember anything?", "You like barley tea"),
        ("en", "Call me Jun!", "Do you remember me?", "You want to be called Jun"),
        ("ja", "私の名前はハルです。", "何を覚えてる？", "私の名前はハルです"),
        ("ja", "麦茶が好きです", "覚えていますか？", "麦茶が好き"),
    ],
)
def test_what_was_told_earlier_is_remembered(
    language: str, told: str, asked: str, remembered: str
) -> None:
    assert f"- {remembered}" in reply(told, "ok", asked, language=language).replace("「", "")
    assert remembered not in reply("ok", asked, language=language)


def test_memories_that_the_prompt_lists_are_remembered_too() -> None:
    system = ChatMessage(
        "system", f"{ENGLISH.content}\n\nMemories:\n- Juno was born in May\n\nRules:\n- Be kind"
    )
    text = reply("What do you remember about me?", system=system)
    assert "- Juno was born in May" in text
    assert "Be kind" not in text


@pytest.mark.case("C29")
def test_a_wish_for_a_name_in_japanese_is_understood() -> None:
    assert "ハル" in reply("これからは私のこと『ハル』って呼んでね", language="ja", system=JAPANESE)


@given(
    st.lists(st.builds(ChatMessage, st.sampled_from(["system", "user", "assistant"]), st.text()))
)
def test_no_prompt_leaves_the_demo_without_words(messages: list[ChatMessage]) -> None:
    for language in ("en", "ja", "de"):
        assert len(reply_to(Request(tuple(messages), language=language))) > 40
