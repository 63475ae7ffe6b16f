"""One supervised process: its start, its output line by line, its restarts and its end."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO

from reverie.local.children import dies_with_us, ended, kill_session
from reverie.local.home import CHECKOUT

_STEADY_SECONDS = 20.0  # after so long a child counts as well again
_LONGEST_PAUSE = 30.0
_speaking = threading.Lock()


class Child:
    """A process in a session of its own. `patience` is how many seconds it may take to end."""

    def __init__(
        self, name: str, command: Sequence[str], extra: Mapping[str, str], *, patience: float
    ) -> None:
        self.name = name
        self.patience = patience
        self._command = list(command)
        self._environment = os.environ | {
            "PYTHONUNBUFFERED": "1",
            "REVERIE_PROCESS": name,
            **extra,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._voice: threading.Thread | None = None
        self._begun = 0.0
        self.failures = 0
        self._again_at = 0.0

    def start(self) -> None:
        """Start it, from the main thread."""
        self._begun = time.monotonic()
        self._process = subprocess.Popen(
            self._command,
            cwd=CHECKOUT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=dies_with_us(signal.SIGTERM),  # one call into libc
        )
        assert self._process.stdout is not None
        self._voice = threading.Thread(target=self._speak, args=[self._process.stdout], daemon=True)
        self._voice.start()

    def _speak(self, output: IO[bytes]) -> None:
        for line in output:
            say(line.decode(errors="replace").rstrip(), self.name)

    def keep_alive(self) -> bool:
        """Start it again if it ended, later each time; whether it was started just now."""
        if self._process is not None and self._process.poll() is not None:
            self._note_end(self._process)
        if self._process is None and time.monotonic() >= self._again_at:
            self.start()
            return True
        return False

    def _note_end(self, process: subprocess.Popen[bytes]) -> None:
        kill_session(process)
        self._process = None
        now = time.monotonic()
        self.failures = 1 if now - self._begun > _STEADY_SECONDS else self.failures + 1
        pause = min(0.25 * 2**self.failures, _LONGEST_PAUSE)
        self._again_at = now + pause
        say(f"{self.name} ended ({process.returncode}) and starts again in {pause:.1f} s")

    def ask_to_end(self) -> None:
        """Send SIGTERM."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def stop(self, deadline: float) -> None:
        """Wait for the end until `deadline` (monotonic); then kill whatever is left of it."""
        if self._process is None:
            return
        ended(self._process, deadline - time.monotonic())
        kill_session(self._process)
        self._process.wait()
        if self._voice is not None:
            self._voice.join(timeout=1)
        self._process = None

    def restart(self) -> None:
        """End it now, with everything below it, and start it again."""
        self.ask_to_end()
        self.stop(time.monotonic() + self.patience)
        self.start()


def say(line: str, name: str = "up") -> None:
    """Print a line with the name of who says it; never two lines mixed."""
    with _speaking:
        sys.stdout.write(f"{name:<6} | {line}\n")
        sys.stdout.flush()
