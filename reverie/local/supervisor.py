"""`manage.py up`: database, migrations, then web, worker and sweep, until somebody says stop."""

import os
import signal
import sys
import time
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import NotSupportedError, OperationalError, connection, connections

from reverie.local import busy
from reverie.local import home as places
from reverie.local.child import Child, say
from reverie.local.failures import CannotStart
from reverie.local.postgres import Cluster
from reverie.local.preflight import refuse_old_python, refuse_taken_port
from reverie.local.visitor import answers, reach, welcome
from reverie.local.watchdog import Watchdog

_TURN_SECONDS = 0.2
_WATCH_SECONDS = 5.0
_ANSWER_SECONDS = 90.0
_WEB_PATIENCE = 35.0  # streams have 30 s to finish (P20)
_HOPELESS = 3  # ends of the web server before it ever answered


class Supervisor:
    """Everything of one machine. `run` returns when it was told to stop and all has ended."""

    def __init__(self, host: str, port: int, home: Path) -> None:
        self.host, self.port, self.home = host, port, home
        self.cluster = None if os.environ.get("DATABASE_URL") else Cluster(home)
        self.children: list[Child] = []
        self._stopping = False
        self._watch_at = 0.0

    def run(self) -> None:
        """Start, serve, stop. Raises CannotStart when it does not get so far as to serve."""
        refuse_old_python()
        refuse_taken_port(self.host, self.port)
        self._listen_for_stop()
        try:
            self._start()
            self._serve()
        finally:
            self._stop()

    def _listen_for_stop(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._hear_stop)

    def _hear_stop(self, number: int, frame: object) -> None:
        self._stopping = True

    def _start(self) -> None:
        if self.cluster:
            if places.home() == places.fallback():
                say(f"PostgreSQL cannot reach this folder, so the data are in {self.home}")
            self.cluster.start()
        migrate()
        self._make_children(busy.empty(places.prepare(self.home) / "busy"))
        for child in self.children:
            child.start()
        self._await_web()

    def _make_children(self, marks: Path) -> None:
        python, manage = sys.executable, str(places.CHECKOUT / "manage.py")
        daphne = [python, "-m", "daphne", "-v", "0", "-b", self.host, "-p", str(self.port)]
        extra = {"REVERIE_HOME": str(self.home)}
        marked = extra | {"REVERIE_BUSY": str(marks)}
        self.web = Child(
            "web", [*daphne, "reverie.asgi:application"], extra, patience=_WEB_PATIENCE
        )
        self.worker = Child("worker", [python, manage, "qcluster"], marked, patience=10)
        sweep = Child("sweep", [python, manage, "sweep"], extra, patience=5)
        self.children = [self.web, self.worker, sweep]
        self.watchdog = Watchdog(marks)

    def _await_web(self) -> None:
        deadline = time.monotonic() + _ANSWER_SECONDS
        while not self._stopping:
            if answers(self.host, self.port):
                welcome(self.host, self.port)
                return
            self._keep_alive()
            if self.web.failures >= _HOPELESS or time.monotonic() > deadline:
                raise CannotStart(
                    f"The web server does not answer on {reach(self.host, self.port)}: "
                    "the lines above say why."
                )
            time.sleep(0.05)

    def _serve(self) -> None:
        while not self._stopping:
            self._keep_alive()
            self._watch()
            time.sleep(_TURN_SECONDS)

    def _keep_alive(self) -> None:
        if self.cluster and not self.cluster.alive():
            self._revive(self.cluster)
        for child in self.children:
            if child.keep_alive() and child is self.worker:
                self.watchdog.reset()

    def _revive(self, cluster: Cluster) -> None:
        say("the database ended and starts again")
        try:
            cluster.stop()
            cluster.start()
        except CannotStart as error:
            say(str(error))
            time.sleep(1)

    def _watch(self) -> None:
        if time.monotonic() < self._watch_at:
            return
        self._watch_at = time.monotonic() + _WATCH_SECONDS
        if self.watchdog.worker_hangs():
            say("the worker takes no tasks and is started again")
            self.worker.restart()
            self.watchdog.reset()

    def _stop(self) -> None:
        """Ask all to end, wait for each as long as it may take, the database last."""
        if self.children:
            say("stopping")
        now = time.monotonic()
        for child in self.children:
            child.ask_to_end()
        for child in self.children:
            child.stop(now + child.patience)
        if self.cluster:
            self.cluster.stop()


def migrate() -> None:
    """Bring the database up to date, in this process, since starting another takes seconds.

    Raises CannotStart when the database does not answer or lacks pgvector.
    """
    try:
        connection.ensure_connection()
        call_command("migrate", interactive=False, verbosity=0)
    except (OperationalError, NotSupportedError) as error:
        reason = " ".join(str(error).split())
        raise CannotStart(f"The database cannot be used: {reason}") from None
    finally:
        connections.close_all()


def up() -> None:
    """Serve with the settings' HOST, PORT and home."""
    Supervisor(settings.HOST, settings.PORT, settings.REVERIE_HOME).run()
