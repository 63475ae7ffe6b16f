"""Who is on stage: people with talks, the web process, and the bare reference."""

import os
import time
import urllib.request
from pathlib import Path

from bench import bare
from conversations.models import Conversation
from reverie.accounts.models import User
from tests.factories import make_character, make_conversation, make_user
from tests.live import Process, Web, free_port
from tests.scripted import ScriptedProvider

READY_SECONDS = 20
COUNTS_PROCESSOR = Path("/proc/self/stat").is_file()


class Bare(Process):
    """The bare reference under daphne, ready when this returns."""

    def __init__(self, provider: ScriptedProvider) -> None:
        self.port = free_port()
        where = ("-b", "127.0.0.1", "-p", str(self.port))
        super().__init__(
            *("-m", "daphne", *where, "bench.bare:application"),
            **{bare.PROVIDER: provider.base_url},
        )
        self._await()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def _await(self) -> None:
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                urllib.request.urlopen(self.address, timeout=2).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"the bare reference did not start:\n{self.said()}")


def web(provider: ScriptedProvider) -> Web:
    """The product's web process, talking to `provider`."""
    return Web(CHAT_BASE_URL=provider.base_url, CHAT_MODEL=provider.model, CHAT_API_KEY="k")


def talks(count: int) -> tuple[User, list[Conversation]]:
    """A new person with so many talks with one character."""
    person = make_user()
    character = make_character(person)
    return person, [make_conversation(person, character) for _ in range(count)]


def processor_seconds(pid: int) -> float:
    """What a process has used of the processor so far, where COUNTS_PROCESSOR."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system = int(fields[11]), int(fields[12])
    return (user + system) / os.sysconf("SC_CLK_TCK")
