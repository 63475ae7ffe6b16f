"""Which memories a reply is given: all pins, and a fair choice of the others."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.engine.choice import choose, recent, written
from memories.engine.decay import state
from memories.engine.limits import candidate
from memories.engine.values import Note, State

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def note(number: int, scope: int = 1, **fields) -> Note:
    """The higher the number, the younger."""
    when = NOON + timedelta(minutes=number)
    return Note(
        **{
            "id": UUID(int=number),
            "scope": scope,
            "text": f"fact {number}",
            "pinned": False,
            "created_at": when,
            "updated_at": when,
            **fields,
        }
    )


notes = st.lists(
    st.builds(
        note,
        number=st.integers(1, 10_000),
        scope=st.integers(1, 4),
        pinned=st.booleans(),
        unused_days=st.integers(0, 8),
        held=st.booleans(),
    ),
    unique_by=lambda n: n.id,
    max_size=80,
)


@pytest.mark.requirement("S19", "D5", "D34")
@given(notes)
def test_a_memory_is_in_exactly_one_state(found):
    for one in found:
        expected = (
            State.HELD
            if one.held
            else State.PINNED
            if one.pinned
            else State.DORMANT
            if one.unused_days >= 7
            else State.ACTIVE
        )
        assert state(one) is expected


@pytest.mark.requirement("R63", "R84", "R85")
@given(notes, st.integers(0, 20))
def test_pins_are_always_sent_and_newer_ones_never_push_them_out(found, limit):
    pins = [n for n in found if n.pinned and not n.held]
    assert set(choose(found, limit).pins) == set(pins)
    assert set(choose(found, limit, sizes={n.id: 50 for n in found}, room=0).pins) == set(pins)


@pytest.mark.requirement("R64", "R65", "R66", "D35")
@given(notes, st.integers(0, 20))
def test_the_choice_is_even_over_the_scopes_and_newest_first(found, limit):
    active = [n for n in found if state(n) is State.ACTIVE]
    chosen = choose(found, limit)
    assert len(chosen.active) == min(limit, len(active))
    assert set(chosen.active) | set(chosen.left_out) == set(active)
    assert not set(chosen.active) & set(chosen.left_out)
    taken, there = Counter(n.scope for n in chosen.active), Counter(n.scope for n in active)
    for one in taken:
        for other in there:
            # Nobody has two more than somebody who could still have been given one.
            assert taken[one] <= taken[other] + 1 or taken[other] == there[other]
    for scope in there:
        inside = [n for n in chosen.active if n.scope == scope]
        outside = [n for n in chosen.left_out if n.scope == scope]
        assert all(a.updated_at >= b.updated_at for a in inside for b in outside)


@pytest.mark.requirement("R66", "D35")
def test_shares_that_a_scope_does_not_use_are_passed_on():
    few, many = [note(n, scope=1) for n in range(3)], [note(100 + n, scope=2) for n in range(30)]
    taken = Counter(n.scope for n in choose([*few, *many], 20).active)
    assert taken == {1: 3, 2: 17}


@pytest.mark.requirement("D41")
@given(notes, st.integers(1, 20))
def test_they_are_written_oldest_first_whatever_the_order_they_came_in(found, limit):
    chosen = choose(found, limit)
    assert list(chosen.active) == sorted(chosen.active, key=lambda n: (n.created_at, n.id))
    assert choose(found[::-1], limit) == chosen
    assert written(chosen.pins) == chosen.pins


@pytest.mark.requirement("D17", "X1")
@given(notes, st.integers(0, 400))
def test_what_has_no_room_is_left_out_and_named(found, room):
    sizes = {n.id: 10 + n.id.int % 40 for n in found}
    chosen = choose(found, 100, sizes=sizes, room=room)
    assert sum(sizes[n.id] for n in chosen.active) <= room
    active = {n for n in found if state(n) is State.ACTIVE}
    assert {*chosen.active, *chosen.left_out} == active


@pytest.mark.requirement("R67", "D33", "S18")
def test_the_mark_of_recent_ones_goes_by_utc_days():
    one = note(1, updated_at=datetime(2026, 11, 23, 23, 59, tzinfo=UTC))
    assert recent(one, date(2026, 11, 29))
    assert not recent(one, date(2026, 11, 30))


@pytest.mark.requirement("S50", "S51", "S52", "S62", "D4")
def test_a_full_scope_forgets_dormant_plain_ones_never_matched_before_long_ago_matched():
    asleep = {"unused_days": 7, "protected": False}
    never, early = note(5, **asleep), note(1, **asleep, matched_at=NOON - timedelta(days=90))
    late = note(2, **asleep, matched_at=NOON)
    others = [note(6, protected=False), note(7, unused_days=9), note(8, **asleep, held=True)]
    for first, rest in ((never, [early, late]), (early, [late])):
        assert candidate([*others, *rest, first]) == first
    assert candidate(others) is None
