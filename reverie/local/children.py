"""Child processes that neither outlive us nor leave anything behind."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def dies_with_us(how: signal.Signals) -> Callable[[], None]:
    """A `preexec_fn`: the child gets the signal `how` when the thread that started it dies.

    So it must be started from the main thread. Only Linux can do this; elsewhere nothing happens.
    """
    parent = os.getpid()

    def ask() -> None:
        if _libc is not None:
            _libc.prctl(_PR_SET_PDEATHSIG, int(how), 0, 0, 0)
            if os.getppid() != parent:  # we died before we could ask
                os._exit(1)

    return ask


def ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for the process at most so long; whether it ended."""
    try:
        process.wait(max(seconds, 0.01))
    except subprocess.TimeoutExpired:
        return False
    return True


def kill_session(process: subprocess.Popen[bytes]) -> None:
    """Kill whatever is left of a process that was started in a session of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
