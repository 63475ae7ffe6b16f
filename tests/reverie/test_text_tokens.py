"""Counting tokens: exact where we can, never far too low where we cannot."""

import pytest

from reverie.text import tokens

JAPANESE = (
    "昨日は鈴虫の声を聞きながら、縁側でお茶を飲んでいました。秋の夜は長く、月がきれいで、"
    "なんだか昔のことを思い出してしまいました。"
)


@pytest.mark.case("C63")
@pytest.mark.parametrize("text", ["你好世界" * 25, JAPANESE])
@pytest.mark.parametrize("tokenizer", ["o200k", "cl100k"])
def test_the_estimate_does_not_undercount_chinese_and_japanese(text: str, tokenizer: str) -> None:
    real = tokens.count(text, "o200k")
    assert tokens.estimate(text) >= 0.9 * real
    assert tokens.count(text, tokenizer) > len(text) / 4


def test_known_texts_have_the_tokens_that_the_tokenizers_give_them() -> None:
    assert tokens.count("hello world") == 2
    assert tokens.count("hello world", "cl100k") == 2
    assert tokens.count("") == 0
    assert tokens.count("<|endoftext|>") > 1
    assert tokens.count("a\ud83db\x00") == tokens.count("ab")


def test_the_estimate_of_english_is_a_quarter_of_its_characters_rounded_up() -> None:
    assert tokens.count("hello", "estimate") == 2
    assert tokens.estimate("") == 0


@pytest.mark.parametrize(
    ("model", "tokenizer"),
    [
        ("gpt-4o-mini", "o200k"),
        ("gpt-4.1", "o200k"),
        ("openai/gpt-5.6", "o200k"),
        ("o3-mini", "o200k"),
        ("gpt-oss-20b", "o200k"),
        ("gpt-4-turbo", "cl100k"),
        ("gpt-3.5-turbo", "cl100k"),
        ("text-embedding-3-small", "cl100k"),
        ("llama3.1:8b", "estimate"),
        ("anthropic/claude-sonnet-4", "estimate"),
        ("", "estimate"),
    ],
)
def test_a_model_is_counted_with_its_own_tokenizer(model: str, tokenizer: str) -> None:
    assert tokens.tokenizer_for(model) == tokenizer


def test_counting_the_same_twice_gives_the_same_and_the_cache_stays_small() -> None:
    texts = [f"message number {number}" for number in range(tokens.CACHE_ENTRIES + 50)]
    first = [tokens.count(text) for text in texts]
    assert [tokens.count(text) for text in texts] == first
    assert len(tokens._cache) <= tokens.CACHE_ENTRIES


def test_a_very_long_text_is_counted_and_not_kept() -> None:
    before = len(tokens._cache)
    assert tokens.count("word " * 10_000) > 9_000
    assert len(tokens._cache) == before
