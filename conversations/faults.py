"""Named places in a turn where a test may let a process die, stall or lose its database.

Nothing happens unless REVERIE_FAULTS names a place, as in
"turns.open:after-commit=kill@3,leases.checkpoint:before=sleep0.5,turns.close:before=error":
`kill` ends the process as a crash does, `sleepN` stalls for N seconds, `error` raises what a lost
database raises. With `@3` only the third time that the place is passed.
"""

import os
import signal
import time
from dataclasses import dataclass

from django.db import OperationalError

POINTS = (
    "turns.open:inside",
    "turns.open:after-commit",
    "turns.prepare:inside",
    "generation:before-first-token",
    "generation:after-first-token",
    "leases.checkpoint:before",
    "turns.close:before",
    "turns.close:inside",
    "turns.close:after-commit",
    "leases.sweep:inside",
    "sockets.receive:inside",
)


@dataclass
class Fault:
    """What happens at a point. `turn` is the passage at which it does, 0 for every one."""

    deed: str
    turn: int = 0
    passed: int = 0

    def strike(self) -> None:
        self.passed += 1
        if self.turn not in (0, self.passed):
            return
        if self.deed == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.deed == "error":
            raise OperationalError("a fault that was asked for")
        else:
            time.sleep(float(self.deed.removeprefix("sleep")))


def armed(told: str) -> dict[str, Fault]:
    """The faults that a text names. Raises ValueError for what is no fault and no point."""
    found: dict[str, Fault] = {}
    for part in filter(None, (part.strip() for part in told.split(","))):
        point, _, what = part.partition("=")
        deed, _, turn = what.partition("@")
        if point not in POINTS:
            raise ValueError(f"there is no fault point {point!r}")
        if deed not in ("kill", "error"):
            float(deed.removeprefix("sleep"))
        found[point] = Fault(deed, int(turn or 0))
    return found


_faults = armed(os.environ.get("REVERIE_FAULTS", ""))


def point(name: str) -> None:
    """Pass the place of this name."""
    if fault := _faults.get(name):
        fault.strike()
