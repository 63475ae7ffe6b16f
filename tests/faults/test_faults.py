"""Seeded runs in which everything may die; `make faults N=200` for more of them."""

import json
from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.faults import judge
from tests.faults.harness import Run
from tests.faults.history import History, Said, Seen
from tests.faults.world import World

SEEDS = range(1, 21)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """One machine for all seeds: what a seed breaks has healed before the next one."""
    with World() as machine:
        yield machine


@pytest.mark.requirement("P1", "P2", "P4", "P7", "P8", "P9", "P10", "P20")
@pytest.mark.case("C45", "C46")
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_or_doubled_whatever_dies(world, seed):
    result = Run(world, seed).run()
    assert not result.breaches, result.report()


def test_the_judge_misses_what_is_lost_and_sees_what_was_refused_and_written(world):
    talk = world.begin_talk()
    lost = Said(talk, str(uuid4()), "never stored", acked=True)
    assert judge.verdict(world, History(said=[lost]))[0].startswith("P1")
    sent = {"client_id": str(uuid4()), "text": "Hello"}
    world.wire().now("POST", f"conversations/{talk}/messages", sent)
    refused = Said(talk, sent["client_id"], "Hello")
    altered = Said(talk, sent["client_id"], "Hullo", acked=True)
    assert judge.verdict(world, History(said=[refused]))[0].startswith("P2")
    assert judge.verdict(world, History(said=[altered]))[0].startswith("P1")


def test_the_judge_sees_text_that_was_shown_and_is_not_stored(world):
    row = {"text": "Mochi sleeps", "status": "done"}
    seen = Seen("r", "Mochi slept", row, ("web0", 1), whole=True)
    assert judge.verdict(world, History(seen=[seen]))[0].startswith("P5")
    short = Seen("r", "Mochi", row, ("web0", 1), whole=True)
    assert judge.verdict(world, History(seen=[short])) == []
    written = History(seen=[short], writers={"r": ("web0", 1)})
    assert judge.verdict(world, written)[0].startswith("P5")


def test_the_judge_excuses_a_lost_database_and_nothing_else():
    start = "Traceback (most recent call last):\n  File ...\n"
    lost, ours = "django.db.utils.OperationalError: gone", "KeyError: 'seq'"
    assert judge.tracebacks(f"{start}{lost}\n{start}{ours}\n") == [ours]
    assert judge.tracebacks(f"exception='{start}{ours}'".replace("\n", "\\n")) == [f"{ours}'"]


def test_the_command_finds_everything_as_it_must_be_after_all_of_them(world):
    assert json.loads(world.manage("check_invariants", "--json")) == {}
