"""A whole machine for fault runs: own database, two web processes, worker, sweep, a provider."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import psycopg

from conversations import invariants
from reverie.local.failures import CannotStart
from reverie.local.home import CHECKOUT, TEMPORARY
from reverie.local.postgres import Cluster
from tests.faults.programs import Program, WebProgram, environment
from tests.faults.wire import Wire
from tests.scripted import ScriptedProvider

LEASE_SECONDS, SWEEP_SECONDS = 3.0, 0.5
TOLD = {
    "LEASE_SECONDS": str(LEASE_SECONDS),
    "SWEEP_SECONDS": str(SWEEP_SECONDS),
    "PROVIDER_IDLE_SECONDS": "1.5",
    "FINISH_SECONDS": "1",
}
REVIVE_SECONDS = 30.0


class World:
    """Use it as a context, from the main thread: all that it started ends with it.

    It is looked at from outside: over HTTP, sockets and SQL.
    """

    def __init__(self, *, webs: int = 2, worker: bool = True, **settings: str) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="reverie-faults-", dir=TEMPORARY))
        self.cluster = Cluster(self.home)
        self.provider = ScriptedProvider()
        told = environment(
            self.home,
            DATABASE_URL=self.cluster.url,
            CHAT_BASE_URL=self.provider.base_url,
            CHAT_MODEL="scripted",
            CHAT_API_KEY="k",
            **TOLD | settings,
        )
        self._told, self._with_worker = told, worker
        self.webs = [WebProgram(f"web{n}", told, self.home) for n in range(webs)]
        self.worker = Program("worker", ["manage.py", "qcluster"], told, self.home)
        self.sweep = Program("sweep", ["manage.py", "sweep"], told, self.home)
        self.token = ""

    @property
    def programs(self) -> list[Program]:
        return [*self.webs, self.sweep, *([self.worker] if self._with_worker else [])]

    def __enter__(self) -> Self:
        try:
            self.cluster.start()
            self.provider.__enter__()
            self.manage("migrate", "-v", "0")
            self.token = self.manage("createtoken", "juno").split()[-1]
            for program in self.programs:
                program.start()
            self.await_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for program in self.programs:
            program.kill()
        self.provider.__exit__()
        self.cluster.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def manage(self, *command: str, check: bool = True) -> str:
        """What a management command says."""
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=CHECKOUT,
            env=self._told,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"{command} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def await_ready(self) -> None:
        for web in self.webs:
            web.await_ready()

    def wire(self, web: int = 0) -> Wire:
        """A program's way to one of the web processes."""
        return Wire(self.webs[web].port, self.token)

    def begin_talk(self, name: str = "Tomori") -> str:
        """A new character and a talk with it; the talk's id."""
        wire = self.wire()
        character = wire.now("POST", "characters", {"name": name, "greeting": "Hello, {{user}}."})
        talk = wire.now("POST", "conversations", {"character_id": character["id"]})
        return str(talk["id"])

    # --- the database -------------------------------------------------------------------------
    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows, once the database has recovered."""
        end = time.monotonic() + REVIVE_SECONDS
        while True:
            try:
                with psycopg.connect(self.cluster.url, autocommit=True) as connection:
                    return connection.execute(sql, values).fetchall()
            except psycopg.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def broken_invariants(self) -> dict[str, list[str]]:
        with psycopg.connect(self.cluster.url) as connection:
            cursor = connection.cursor()
            return invariants.broken(cursor, sweep_seconds=SWEEP_SECONDS)

    def kill_database(self) -> None:
        """Everything of PostgreSQL dies at once, as when the power goes."""
        os.killpg(self.cluster.pid, signal.SIGKILL)

    def kill_session_of_database(self) -> None:
        """One server process dies; PostgreSQL then ends all others and recovers by itself."""
        found = self.query(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
            "AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1"
        )
        for (pid,) in found:
            os.kill(pid, signal.SIGKILL)

    def revive_database(self) -> None:
        """Start it again, as the supervisor does, until it runs."""
        end = time.monotonic() + REVIVE_SECONDS
        while True:
            try:
                self.cluster.stop()
                self.cluster.start()
                return
            except CannotStart:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def keep_alive(self) -> None:
        """What a supervisor does: start again whatever died."""
        if not self.cluster.alive():
            self.revive_database()
        for program in self.programs:
            program.keep_alive()
