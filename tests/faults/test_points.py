"""The fault points: harmless unless switched on, and each of them in a place that is passed."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import OperationalError

from conversations import faults
from tests.faults.harness import FAULTS


def test_a_point_does_nothing_unless_it_is_switched_on():
    assert faults._faults == {}
    for name in faults.POINTS:
        faults.point(name)


def test_every_point_is_in_the_code_and_every_point_in_the_code_is_known():
    code = Path(settings.BASE_DIR / "conversations").glob("**/*.py")
    placed = [
        part.split('"')[1] for file in code for part in file.read_text().split("faults.point(")[1:]
    ]
    assert sorted(placed) == sorted(faults.POINTS)


def test_an_error_comes_at_the_passage_that_was_named():
    fault = faults.armed("turns.open:inside=error@2")["turns.open:inside"]
    fault.strike()
    with pytest.raises(OperationalError):
        fault.strike()
    fault.strike()


def test_a_kill_ends_the_process_as_a_crash_does():
    code = "from conversations.faults import armed; armed('turns.open:inside=kill')"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}['turns.open:inside'].strike()"],
        cwd=settings.BASE_DIR,
        timeout=60,
        check=False,
    )
    assert done.returncode == -9


@pytest.mark.parametrize("told", ["nowhere=kill", "turns.open:inside=burn", "turns.open:inside"])
def test_what_is_no_fault_is_refused_at_the_start(told):
    with pytest.raises(ValueError):
        faults.armed(told)


def test_the_harness_asks_for_faults_that_there_are():
    for fault in FAULTS:
        assert faults.armed(fault)
