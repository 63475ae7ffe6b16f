"""The life of the embedded PostgreSQL: made once, started in the foreground, stopped with us."""

import contextlib
import fcntl
import os
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import psycopg
from psycopg import sql

from reverie.local import home as places
from reverie.local import initdb
from reverie.local.binaries import Binaries, installed, reachable
from reverie.local.children import dies_with_us, ended, kill_session
from reverie.local.failures import CannotStart
from reverie.local.system_account import (
    Account,
    can_reach,
    own_folder,
    running_as,
    unprivileged,
)

_ALWAYS = {
    "listen_addresses": "",
    "port": str(places.PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "max_wal_senders": "0",
    "wal_level": "minimal",
    "log_timezone": "UTC",
    # `log` is above `error` here: a failed statement holds the words of a talk (A13).
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
_FAST_AND_LOOSE = dict.fromkeys(
    ("fsync", "synchronous_commit", "full_page_writes", "autovacuum"), "off"
)
_START_SECONDS = 60.0  # recovery after a crash included
_STOP_SECONDS = 20.0
_LOCK_SECONDS = 3.0  # a server whose parent was killed needs a moment to end


class Cluster:
    """An embedded PostgreSQL whose data, socket, password and log live in the folder `home`.

    Start it from the main thread: it ends when that thread does. `durable=False` is for tests:
    it is fast and may lose everything when the machine stops.
    """

    def __init__(self, home: Path, *, durable: bool = True) -> None:
        self.home = home
        self.data = home / "postgres"
        self.durable = durable
        self._lock: IO[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address that `places.database_url` computes."""
        return places.database_url(self.home)

    @property
    def pid(self) -> int:
        """The process id of the server. Raises CannotStart when it was not started."""
        if self._process is None:
            raise CannotStart("The database is not running.")
        return self._process.pid

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Serve, after making the data folder if there is none.

        Raises CannotStart when it cannot, with nothing left running or locked.
        """
        try:
            self._start()
        except OSError as error:
            self.stop()
            raise CannotStart(f"The database in {self.home} cannot start: {error}.") from None
        except BaseException:
            self.stop()
            raise

    def alive(self) -> bool:
        """Whether the server that we started still runs."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End all sessions, write everything down, let go of the folder. Again is harmless."""
        if self._process is not None:
            for how in (signal.SIGINT, signal.SIGQUIT):
                self._process.send_signal(how)
                if ended(self._process, _STOP_SECONDS):
                    break
            else:
                kill_session(self._process)
                self._process.wait()
            self._process = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _start(self) -> None:
        places.prepare(self.home)
        self._take_lock()
        account = unprivileged(self.data)
        self._open_home_to(account)
        binaries = reachable(installed(), account, beside=self.home)
        self._refuse_other_major(binaries)
        if not self.data.is_dir():
            initdb.make(self.home, self.data, binaries, account, durable=self.durable)
        self._launch(binaries, account)
        self._await()

    def _take_lock(self) -> None:
        self._lock = (self.home / "postgres.lock").open("a")
        deadline = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise CannotStart(
                        f"The folder {self.home} is in use by another running Reverie."
                    ) from None
                time.sleep(0.1)

    def _open_home_to(self, account: Account | None) -> None:
        """Let the server's account walk through a home of ours; it still cannot list or read it."""
        if account is None or can_reach(self.home, account):
            return
        status = self.home.stat()
        if status.st_uid == os.geteuid() and can_reach(self.home.parent, account):
            os.chown(self.home, -1, account.gid)
            self.home.chmod((status.st_mode & 0o700) | 0o010)
            return
        raise CannotStart(
            f"As root, PostgreSQL runs under the account '{account.name}', which cannot reach "
            f"{self.home}: set REVERIE_HOME to a folder outside private ones, such as "
            "/var/lib/reverie, or start Reverie as an ordinary user."
        )

    def _refuse_other_major(self, binaries: Binaries) -> None:
        mark = self.data / "PG_VERSION"
        found = mark.read_text().strip() if mark.is_file() else binaries.major
        if found != binaries.major:
            raise CannotStart(
                f"The data in {self.data} were made by PostgreSQL {found} and this is PostgreSQL "
                f"{binaries.major}: make a backup with the version of Reverie that made them and "
                "restore it into a new REVERIE_HOME."
            )
        if mark.is_file() and not places.kept_secret(self.home, places.PASSWORD):
            raise CannotStart(
                f"The password of the database is missing: put back {self.home / places.PASSWORD}."
            )

    def _launch(self, binaries: Binaries, account: Account | None) -> None:
        socket = places.socket_folder(self.home)
        own_folder(socket, account)
        loose = {} if self.durable else _FAST_AND_LOOSE
        chosen = _ALWAYS | loose | {"unix_socket_directories": str(socket)}
        options = [f"--{name}={value}" for name, value in chosen.items()]
        assert self._lock is not None
        with (self.home / "postgres.log").open("wb") as log:
            self._process = subprocess.Popen(
                [str(binaries.folder / "postgres"), "-D", str(self.data), *options],
                **running_as(account),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                # The folder stays locked until the server is gone, even if we are killed.
                pass_fds=(self._lock.fileno(),),
                preexec_fn=dies_with_us(signal.SIGINT),  # one call into libc
            )

    def _await(self) -> None:
        """Wait until it answers, and make the database once."""
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                _ensure_database(self.url)
                return
            except psycopg.OperationalError as error:
                if not self.alive() or time.monotonic() > deadline:
                    raise CannotStart(self._why_not(str(error))) from None
                time.sleep(0.03)

    def _why_not(self, error: str) -> str:
        log = self.home / "postgres.log"
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
        reason = next((line for line in reversed(lines) if "FATAL" in line), error)
        return f"The database does not start: {reason.strip()} (see {log})."


def _ensure_database(url: str) -> None:
    at_hand = psycopg.connect(url, dbname="postgres", autocommit=True)
    with contextlib.closing(at_hand) as connection:
        name = places.DATABASE
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if not found.fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def shared_test_cluster(slots: int = 8) -> Cluster:
    """Start a test cluster that is kept between runs: the first of this version not in use.

    It lies outside the checkout, where PostgreSQL's account can reach it.
    """
    name = f"reverie-tests-{os.geteuid()}-{installed().version}"
    for slot in range(slots):
        cluster = Cluster(places.TEMPORARY / f"{name}-{slot}", durable=False)
        if not _in_use(cluster.home):
            cluster.start()
            return cluster
    raise CannotStart(f"All {slots} test databases of this account are in use.")


def _in_use(folder: Path) -> bool:
    try:
        with (folder / "postgres.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
