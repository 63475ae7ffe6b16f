"""The labelled messages by which recall is calibrated, and what their readers may rely on."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

SET: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "memories" / "labelled.json").read_text(encoding="utf-8")
)
MEMORIES = {memory["id"]: memory for memory in SET["memories"]}
MESSAGES = SET["messages"]
NOTHING = SET["nothing"]
KINDS = {"plain", "slang", "typo", "short", "rambling", "no_shared_word", "changed", "near_miss"}
PAIRS = {"en-en", "ja-ja", "en-ja", "ja-en"}
# Words of four letters and more that say nothing about a subject.
FILLERS = """
    about after again also away back because been before being came come could does doing done
    down each even ever every everyone everything from gave give goes going gone good have here
    into just know like look made make more most much must need never nothing once only onto over
    people really said someone something still such take tell than that their them then there
    these they thing things think this those time today tonight told took upon very want wants
    well were what when where which while whom whose will with would your yours mine
"""
STOP = set(FILLERS.split())
ENDINGS = ("ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "ly", "s", "e", "y")


def pair(message) -> str:
    """Language of the message, then of the memory that is closest to it."""
    return f"{message['lang']}-{MEMORIES[message['touches'][0]]['lang']}"


def stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def english(text: str) -> set[str]:
    words = re.findall(r"[a-z]{4,}", re.sub(r"['’]s\b", "", text.lower()))
    return {stem(word) for word in words if word not in STOP}


def japanese(text: str) -> set[str]:
    """Every two neighbours in a run of kanji or katakana, so that any longer shared run shows."""
    runs = re.findall(r"[㐀-鿿々]+|[ァ-ヺー]+", text)
    return {run[at : at + 2] for run in runs for at in range(len(run) - 1)}


def shared(message) -> set[str]:
    memories = " / ".join(MEMORIES[touched]["text"] for touched in message["touches"])
    return (english(message["text"]) & english(memories)) | (
        japanese(message["text"]) & japanese(memories)
    )


def length(item) -> int:
    """English is counted in words, Japanese in characters without punctuation."""
    unit = r"[\w'’]+" if item["lang"] == "en" else r"\w"
    return len(re.findall(unit, item["text"]))


def of_kind(kind: str) -> list[Any]:
    return [item for item in MESSAGES + NOTHING if item["kind"] == kind]


def even(counts: dict[Any, int], within: int) -> bool:
    return max(counts.values()) - min(counts.values()) <= within


def test_the_set_is_large_enough_to_quote_figures_from():
    assert len(MEMORIES) >= 160
    assert len(MESSAGES) >= 280
    assert len(NOTHING) >= 320


def test_every_language_pair_weighs_about_the_same():
    counts = Counter(map(pair, MESSAGES))
    assert set(counts) == PAIRS
    assert min(counts.values()) >= 70
    assert even(counts, within=10)
    assert even(Counter(item["lang"] for item in NOTHING), within=2)


def test_every_kind_of_message_occurs_in_every_language_pair():
    counts = Counter((pair(message), message["kind"]) for message in MESSAGES)
    assert set(counts) == {(languages, kind) for languages in PAIRS for kind in KINDS}
    assert min(counts.values()) >= 5


def test_messages_that_touch_nothing_come_with_the_same_noise():
    counts = Counter((item["lang"], item["kind"]) for item in NOTHING)
    noise = KINDS - {"no_shared_word", "changed"}
    assert set(counts) == {(language, kind) for language in ("en", "ja") for kind in noise}
    assert min(counts.values()) >= 15


def test_tuning_and_reporting_halves_hold_the_same_mixture():
    mixture = Counter((pair(message), message["kind"], message["half"]) for message in MESSAGES)
    mixture.update((item["lang"], item["kind"], item["half"]) for item in NOTHING)
    for *cell, half in mixture:
        assert half in {"tune", "report"}
        assert even({h: mixture[(*cell, h)] for h in ("tune", "report")}, within=1), cell


def test_halves_are_even_as_a_whole():
    assert even(Counter(message["half"] for message in MESSAGES), within=1)
    assert even(Counter(item["half"] for item in NOTHING), within=1)


def test_no_memory_is_touched_from_both_halves():
    halves: dict[str, set[str]] = {}
    for message in MESSAGES:
        for touched in message["touches"]:
            halves.setdefault(touched, set()).add(message["half"])
    assert all(len(half) == 1 for half in halves.values())


def test_every_id_is_unique_and_every_touched_memory_exists():
    items = [*SET["memories"], *MESSAGES, *NOTHING]
    assert len({item["id"] for item in items}) == len(items)
    for message in MESSAGES:
        assert message["touches"]
        assert set(message["touches"]) <= set(MEMORIES), message["id"]


def test_no_text_repeats():
    texts = Counter(
        re.sub(r"\W+", "", item["text"].casefold())
        for item in [*SET["memories"], *MESSAGES, *NOTHING]
    )
    assert [text for text, times in texts.items() if times > 1] == []


def test_every_text_is_in_the_language_it_claims():
    for item in [*SET["memories"], *MESSAGES, *NOTHING]:
        kana_or_kanji = bool(re.search(r"[ぁ-ヺ㐀-鿿]", item["text"]))
        assert kana_or_kanji == (item["lang"] == "ja"), item["id"]


def test_memories_are_short_enough_to_be_saved():
    assert all(0 < len(memory["text"]) <= 200 for memory in MEMORIES.values())


@pytest.mark.parametrize(
    ("kind", "language", "least", "most"),
    [
        ("short", "en", 1, 3),
        ("short", "ja", 1, 8),
        ("rambling", "en", 60, 200),
        ("rambling", "ja", 100, 400),
    ],
)
def test_short_messages_are_short_and_rambling_ones_ramble(kind, language, least, most):
    for item in of_kind(kind):
        if item["lang"] == language:
            assert least <= length(item) <= most, (item["id"], length(item))


def test_what_is_said_to_share_no_word_shares_none():
    found = {message["id"]: shared(message) for message in of_kind("no_shared_word")}
    assert {name: words for name, words in found.items() if words} == {}


def test_half_of_all_messages_share_no_word_with_what_they_touch():
    within = [message for message in MESSAGES if pair(message) in {"en-en", "ja-ja"}]
    for messages in (MESSAGES, within):
        assert sum(not shared(message) for message in messages) * 2 >= len(messages)
