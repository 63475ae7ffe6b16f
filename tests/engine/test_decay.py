"""The decay rule: one worked example, properties, and a year against an independent oracle."""

import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.engine.decay import DORMANT_AFTER, settle, state
from memories.engine.similarity import Match, matches
from memories.engine.values import Note, State

SAVED = datetime(2026, 3, 1, 12, tzinfo=UTC)


def note(number: int = 1, when: datetime = SAVED, **fields) -> Note:
    made = {"id": UUID(int=number), "scope": 1, "text": "Juno's cat is called Mochi"}
    times = {"created_at": when, "updated_at": when, "counted_on": when.date()}
    return Note(**{**made, "pinned": False, **times, **fields})


def talk(one: Note, day: int, *, about_it: bool = False, hour: int = 12) -> Note:
    """The note after a search on the `day`th day after it was saved."""
    now = SAVED.replace(hour=hour) + timedelta(days=day)
    return settle([one], {one.id} if about_it else set(), now).notes[0]


@pytest.mark.requirement("S32", "S33", "S34", "S35", "S36", "S37", "S9", "S19", "S29", "S31")
def test_the_story_of_mochi_from_save_to_sleep_to_waking():
    mochi = talk(note(), 0)  # the day of saving is not counted
    assert (mochi.unused_days, state(mochi)) == (0, State.ACTIVE)
    for day in range(1, 7):
        mochi = talk(mochi, day)
    assert (mochi.unused_days, state(mochi)) == (6, State.ACTIVE)
    # A silent week changes nothing: nobody searches.
    mochi = talk(mochi, 14)
    assert (mochi.unused_days, state(mochi)) == (7, State.DORMANT)
    woken = settle([mochi], {mochi.id}, SAVED + timedelta(days=20))
    (mochi,) = woken.notes
    assert (mochi.unused_days, state(mochi), woken.woke) == (0, State.ACTIVE, (mochi,))


@pytest.mark.requirement("S17", "S18", "D7")
def test_a_day_counts_once_by_utc_and_a_match_counts_the_day():
    late, early = SAVED.replace(hour=23, minute=59), SAVED.replace(hour=0) + timedelta(days=1)
    once = settle([note(when=SAVED - timedelta(days=1))], set(), late).notes[0]
    assert settle([once], set(), late).notes[0] == once
    assert settle([once], set(), early).notes[0].unused_days == once.unused_days + 1
    used = talk(note(), 1, about_it=True, hour=10)
    assert talk(used, 1, hour=11).unused_days == 0
    counted = talk(note(), 1, hour=10)
    assert counted.unused_days == 1
    assert talk(counted, 1, about_it=True, hour=11).unused_days == 0


@pytest.mark.requirement("P16")
def test_a_clock_that_jumps_back_counts_no_day_twice():
    ahead = talk(note(), 5)
    behind = talk(ahead, 3)
    assert (behind.unused_days, behind.counted_on) == (1, ahead.counted_on)
    assert talk(behind, 5).unused_days == 1
    assert talk(behind, 3, about_it=True).counted_on == ahead.counted_on


@pytest.mark.requirement("S26", "S27", "D5", "D34")
@given(st.booleans(), st.booleans(), st.integers(0, 9), st.booleans())
def test_pins_and_held_ones_neither_age_nor_wake(pinned, held, days, used):
    one = note(pinned=pinned, held=held, unused_days=days)
    after = settle([one], {one.id} if used else set(), SAVED + timedelta(days=1)).notes[0]
    assert (after == one) == (pinned or held)


@pytest.mark.requirement("S13", "S14", "D8")
@given(st.lists(st.floats(-1, 1), max_size=12), st.floats(-1, 1))
def test_at_most_three_are_used_and_all_of_them_are_near_enough(scores, threshold):
    found = matches([Match(UUID(int=n), s) for n, s in enumerate(scores)], threshold)
    assert len(found) == min(3, sum(score >= threshold for score in scores))
    kept = {match.score for match in found}
    assert all(score >= threshold for score in kept)
    left = sorted(scores, reverse=True)[len(found) :]
    assert all(score <= min(kept) for score in left if score >= threshold and kept)


class Oracle:
    """The same rule told differently: a memory is its diary, read anew for every question."""

    def __init__(self, saved: date) -> None:
        self.days: dict[date, str] = {saved: "fresh"}

    def search(self, day: date, used: bool) -> None:
        if used:
            self.days = {day: "fresh"}  # nothing before a match counts any more
        else:
            self.days.setdefault(day, "unused")

    @property
    def unused(self) -> int:
        return sum(word == "unused" for word in self.days.values())


@pytest.mark.requirement("S16", "S17", "S20", "S25", "S28", "S29", "S30", "S31", "P16")
def test_a_year_of_a_thousand_scopes_agrees_with_an_independent_oracle():
    dice = random.Random(20261130)
    for _ in range(1_000):
        _live_a_year(dice)


def _live_a_year(dice: random.Random) -> None:
    notes: dict[UUID, Note] = {}
    oracles: dict[UUID, Oracle] = {}
    for day in range(365):
        now = SAVED + timedelta(days=day, hours=-12, seconds=dice.randrange(86_400))
        if dice.random() < 0.02 and len(notes) < 8:
            fresh = note(len(notes) + 1, now)
            notes[fresh.id], oracles[fresh.id] = fresh, Oracle(now.date())
        _meddle(dice, notes, oracles, now)
        for _ in range(dice.choice((0, 0, 1, 1, 2))):  # quiet days, and days of much talk
            used = {pk for pk in notes if dice.random() < 0.03}
            if dice.random() < 0.1:
                continue  # the search failed: nothing changes
            for pk, one in notes.items():
                if not one.pinned and not one.held:
                    oracles[pk].search(now.date(), pk in used)
            settled = settle(notes.values(), used, now)
            slept = {n.id for n in settled.slept}
            assert slept == {
                n.id
                for n in settled.notes
                if state(n) is State.DORMANT and state(notes[n.id]) is State.ACTIVE
            }
            notes = {n.id: n for n in settled.notes}
        for pk, one in notes.items():
            if not one.pinned:
                assert one.unused_days == oracles[pk].unused
                asleep = one.unused_days >= DORMANT_AFTER and not one.held
                assert (state(one) is State.DORMANT) == asleep


def _meddle(
    dice: random.Random, notes: dict[UUID, Note], oracles: dict[UUID, Oracle], now: datetime
) -> None:
    """What people do in between: pin and unpin, hold back and release, edit."""
    for pk, one in list(notes.items()):
        match dice.random():
            case luck if luck < 0.003:
                notes[pk] = replace(one, pinned=True, unused_days=0)
            case luck if luck < 0.01 and one.pinned:
                notes[pk] = replace(one, pinned=False, unused_days=0, counted_on=now.date())
                oracles[pk] = Oracle(now.date())
            case luck if luck < 0.013 and not one.pinned:
                notes[pk] = replace(one, held=not one.held)
            case luck if luck < 0.02:
                notes[pk] = replace(one, text=f"{one.text}!", updated_at=now)
