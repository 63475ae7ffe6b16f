"""`manage.py up`, as a person at the console meets it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import IO

import pytest
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import OrmQ

from reverie.local import busy, watchdog
from reverie.local.home import CHECKOUT, TEMPORARY, digest

SECONDS = 60.0


def environment(home: Path, **extra: str) -> dict[str, str]:
    """As a newcomer has it: nothing but the home and the port are chosen."""
    ours = {name: text for name, text in os.environ.items() if name != "DATABASE_URL"}
    return ours | {"REVERIE_HOME": str(home), "EMBEDDING_MODEL": "none"} | extra


def up(home: Path, **extra: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "up"],
        cwd=CHECKOUT,
        env=environment(home, **extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def refusal(home: Path, **extra: str) -> str:
    """What it says when it cannot start: one line, and a code that is not zero."""
    process = up(home, **extra)
    _, said = process.communicate(timeout=SECONDS)
    assert process.returncode != 0
    assert len(said.splitlines()) == 1, said
    return said


@pytest.fixture
def port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A home that PostgreSQL's account can reach when the tests run as root."""
    folder = TEMPORARY / f"reverie-up-{os.getpid()}-{digest(CHECKOUT)}"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def read_until(output: IO[str], pattern: str) -> re.Match[str]:
    for line in output:
        if found := re.search(pattern, line):
            return found
    raise AssertionError(f"{pattern} was never said")


def status(address: str) -> int:
    try:
        return int(urllib.request.urlopen(address, timeout=10).status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.requirement("P20")
def test_up_serves_signs_in_survives_a_kill_and_stops_in_order(home: Path, port: str) -> None:
    process = up(home, PORT=port)
    assert process.stdout is not None
    try:
        link = read_until(process.stdout, r"Sign in once with (http://\S+)")[1]
        address = f"http://127.0.0.1:{port}"
        assert status(f"{address}/healthz") == 200
        assert link.startswith(address)
        assert status(link) == 200
        assert "in use by another" in refusal(home, PORT=str(int(port) + 1))
        assert f"Port {port} on 127.0.0.1 is taken" in refusal(home, PORT=port)
        for name, command in (("web", f"daphne.* -p {port}"), ("database", f"postgres -D {home}")):
            found = subprocess.run(["pgrep", "-of", command], capture_output=True, check=True)
            os.kill(int(found.stdout), signal.SIGKILL)
            read_until(process.stdout, f"{name} ended")
        wait_for(f"{address}/readyz")
    finally:
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, errors
    assert "stopping" in rest
    assert not (home / "postgres" / "postmaster.pid").exists()


def wait_for(address: str) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            if status(address) == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"{address} does not answer")


def test_what_cannot_be_listened_on_is_one_sentence(home: Path, port: str) -> None:
    assert "not an address of this machine" in refusal(home, PORT=port, HOST="192.0.2.1")
    assert "PORT must be a number" in refusal(home, PORT="80000")


def test_a_database_that_does_not_answer_is_one_sentence(home: Path, port: str) -> None:
    away = "postgresql://juno:canary@127.0.0.1:9/reverie"
    said = refusal(home, PORT=port, DATABASE_URL=away)
    assert "The database cannot be used" in said
    assert "canary" not in said


@pytest.mark.requirement("P11")
def test_a_worker_hangs_when_a_task_waits_and_nobody_works(db: None) -> None:
    now = timezone.now()
    started = now - timedelta(seconds=60)
    retry = timedelta(seconds=Conf.RETRY)
    task = OrmQ.objects.create(key=Conf.CLUSTER_NAME, payload="", lock=now - timedelta(seconds=1))
    for lock, waits in (
        (now - timedelta(seconds=1), True),  # due
        (now + timedelta(seconds=5), False),  # due later
        (now + retry - timedelta(seconds=40), True),  # taken by this worker and not done
        (now + retry - timedelta(seconds=90), False),  # taken by the one before
    ):
        OrmQ.objects.filter(pk=task.pk).update(lock=lock)
        assert watchdog.stuck(now, started) is waits


def test_only_a_living_process_counts_as_at_work(tmp_path: Path) -> None:
    folder = busy.empty(tmp_path / "busy")
    ended = subprocess.Popen(["true"])
    ended.wait()
    (folder / str(ended.pid)).touch()
    assert not busy.anyone(folder)
    (folder / str(os.getpid())).touch()
    assert busy.anyone(folder)
    assert not list(busy.empty(folder).iterdir())
