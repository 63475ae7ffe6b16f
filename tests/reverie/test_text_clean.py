"""What happens to text at every edge: cleaning, counting, cutting."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.text.clean import clean, cut, length, scrub, strip_invalid
from reverie.text.graphemes import graphemes

ANY_TEXT = st.text(st.characters(codec=None) | st.sampled_from("\x00\r\n\ud83d\ude00\u200d\u3099"))
FAMILY, FLAG, GA = "👨‍👩‍👧‍👦", "🇯🇵", "か\u3099"


@pytest.mark.requirement("A12")
@pytest.mark.case("C70", "C73")
@given(ANY_TEXT)
def test_cleaned_text_can_always_be_stored_and_sent(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert "\x00" not in cleaned
    assert "\r" not in cleaned
    assert unicodedata.is_normalized("NFC", cleaned)
    assert clean(cleaned) == cleaned


@given(st.text())
def test_text_without_faults_is_left_alone(text: str) -> None:
    assert strip_invalid(text.replace("\x00", "")) == text.replace("\x00", "")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a\x00b", "ab"),
        ("a\ud83db", "ab"),
        ("\ud83d\ude00", "😀"),
        ("\ude00\ud83d", ""),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("か\u3099", "が"),
    ],
)
def test_cleaning_takes_only_what_is_wrong(given: str, kept: str) -> None:
    assert clean(given) == kept


@pytest.mark.case("C74")
@pytest.mark.parametrize(
    "whole", [FAMILY, FLAG, GA, "👍🏽", "❤️‍🔥", "\u1112\u1161\u11ab", "é̂", "\r\n"]
)
def test_a_visible_character_is_kept_whole_or_not_at_all(whole: str) -> None:
    text = f"ab{whole}cd"
    for limit in range(len(text) + 1):
        assert whole in cut(text, limit) or not set(whole) & set(cut(text, limit))


@pytest.mark.case("C74")
def test_two_flags_are_cut_between_and_not_within() -> None:
    assert [cut("🇯🇵🇺🇸", limit) for limit in range(5)] == ["", "", "🇯🇵", "🇯🇵", "🇯🇵🇺🇸"]
    assert cut("𠮷野家", 2) == "𠮷野"
    assert length("𠮷野家") == 3


@given(st.text(), st.integers(0, 30))
def test_a_cut_text_is_a_beginning_that_fits(text: str, limit: int) -> None:
    assert text.startswith(cut(text, limit))
    assert len(cut(text, limit)) <= limit
    assert "".join(graphemes(text)) == text


def test_a_tower_of_marks_is_split_and_not_lost() -> None:
    assert len(cut("a" + "\u0301" * 1000, 500)) > 400


@pytest.mark.requirement("A12")
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | ANY_TEXT,
        lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
        max_leaves=20,
    )
)
def test_scrubbed_json_can_always_be_stored(value: object) -> None:
    text = json.dumps(scrub(value), ensure_ascii=False)
    text.encode("utf-8")
    assert "\\u0000" not in text


@pytest.mark.requirement("A12")
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_does_not_have_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="NaN"):
        scrub({"deep": [number]})
