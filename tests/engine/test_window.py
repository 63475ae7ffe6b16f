"""What stays word for word, and what still fits around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.engine.window import LEVELS, Cap, cap, live_from, sent_from

sizes = st.lists(st.integers(1, 400), max_size=120)
caps = st.builds(Cap, tokens=st.integers(1, 8_000), messages=st.integers(1, 80))


@pytest.mark.requirement("R2", "R25", "R27", "R29")
@pytest.mark.parametrize(
    ("detail", "tokens", "messages"),
    [("key_events", 6_000, 30), ("balanced", 10_000, 50), ("detailed", 16_000, 80)],
)
def test_each_level_of_detail_keeps_its_tokens_and_messages_word_for_word(detail, tokens, messages):
    assert cap(detail, 1_000_000) == Cap(tokens, messages)


@pytest.mark.requirement("R2", "R31")
@pytest.mark.parametrize("detail", LEVELS)
def test_a_small_model_keeps_a_quarter_of_its_context_at_every_level(detail):
    assert cap(detail, 8_000).tokens == 2_000
    assert cap(detail, 8_000).messages == LEVELS[detail].messages


@pytest.mark.requirement("R10")
@pytest.mark.parametrize("context", [64_000, 200_000, 1_000_000])
def test_a_larger_model_keeps_no_more_word_for_word(context):
    assert cap("balanced", context) == LEVELS["balanced"]


@pytest.mark.requirement("R2", "D16")
@given(sizes, caps)
def test_the_live_window_is_the_longest_ending_within_the_cap(messages, limit):
    start = live_from(messages, limit)
    live = messages[start:]
    assert len(live) >= min(len(messages), 1)
    if len(live) > 1:
        assert sum(live) <= limit.tokens
        assert len(live) <= limit.messages
    if start > 0:
        one_more = messages[start - 1 :]
        assert sum(one_more) > limit.tokens or len(one_more) > limit.messages


@pytest.mark.requirement("D16")
def test_the_newest_message_is_live_whatever_its_size():
    assert live_from([10, 10, 99_999], Cap(100, 5)) == 2


@pytest.mark.requirement("D17")
@given(sizes, caps, st.integers(0, 20_000))
def test_what_is_sent_fits_and_the_live_part_goes_last(messages, limit, room):
    start = sent_from(messages, room, limit)
    assert sum(messages[start:]) <= room
    live = live_from(messages, limit)
    if sum(messages[live:]) <= room:
        assert start <= live


@pytest.mark.requirement("D17")
@given(sizes, caps, st.integers(0, 20_000), st.integers(0, 20))
def test_a_beginning_that_still_fits_stays_where_it_was_laid(messages, limit, room, laid):
    laid = min(laid, len(messages))
    start = sent_from(messages, room, limit, laid)
    assert start >= laid
    if sum(messages[laid:]) <= room:
        assert start == laid


@pytest.mark.requirement("D16", "D17")
def test_a_full_context_moves_the_beginning_once_per_batch_and_not_once_per_turn():
    limit, room, laid, moves = Cap(2_000, 50), 6_000, 0, 0
    talk: list[int] = []
    for _ in range(200):
        talk += [40, 60]
        start = sent_from(talk, room, limit, laid)
        moves += start != laid
        laid = start
    turns_per_batch = limit.batch_tokens / 100
    assert moves == pytest.approx(140 / turns_per_batch, abs=2)
