"""Processes of the product for fault runs: started, killed and started again, on a fixed port."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from reverie.local.children import dies_with_us, kill_session
from reverie.local.home import CHECKOUT

READY_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Program:
    """One process in a session of its own. `life` counts its starts; its log outlives them."""

    def __init__(self, name: str, command: list[str], told: Mapping[str, str], home: Path) -> None:
        self.name, self.life = name, 0
        self.log = home / f"{name}.log"
        self.faults = ""
        self._command = [sys.executable, *command]
        self._told = {**told, "REVERIE_PROCESS": name.rstrip("0123456789"), "PYTHONUNBUFFERED": "1"}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, faults: str = "") -> None:
        """Start it, from the main thread, with these faults in it."""
        self.life += 1
        self.faults = faults
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=CHECKOUT,
                env=self._told | {"REVERIE_FAULTS": faults},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=dies_with_us(signal.SIGKILL),
            )

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """End it and all below it without a word, as a crash does."""
        if self._process is not None:
            kill_session(self._process)
            self._process.wait()

    def ask_to_end(self) -> None:
        """Send SIGTERM."""
        if self._process is not None and self.alive:
            self._process.send_signal(signal.SIGTERM)

    def await_end(self, seconds: float) -> bool:
        """Whether it ended within so many seconds."""
        assert self._process
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return not self.alive

    def restart(self, faults: str = "") -> None:
        self.kill()
        self.start(faults)

    def keep_alive(self) -> None:
        """Start it again if it died, without the fault that killed it."""
        if not self.alive:
            self.restart()

    def said(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""


class WebProgram(Program):
    """A web process behind one port for all its lives."""

    def __init__(self, name: str, told: Mapping[str, str], home: Path) -> None:
        self.port = free_port()
        serve = ["-m", "daphne", "-v", "0", "-b", "127.0.0.1", "-p", str(self.port)]
        super().__init__(name, [*serve, "reverie.asgi:application"], told, home)

    def ready(self) -> bool:
        """Whether it answers."""
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=2).close()
        except OSError:
            return False
        return True

    def await_ready(self) -> None:
        end = time.monotonic() + READY_SECONDS
        while not self.ready():
            if time.monotonic() > end:
                raise AssertionError(f"{self.name} does not start:\n{self.said()[-3000:]}")
            self.keep_alive()
            time.sleep(0.05)


def environment(home: Path, **more: str) -> dict[str, str]:
    """What a process of a fault run is told, and nothing of the developer's own server."""
    return {
        "PATH": os.environ["PATH"],
        "REVERIE_HOME": str(home),
        "SECRET_KEY": "only-for-fault-runs-" + "x" * 40,
        "EMBEDDING_MODEL": "none",
        "LOG_LEVEL": "WARNING",
        **more,
    }
