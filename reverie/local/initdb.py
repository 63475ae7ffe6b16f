"""Making the data folder: once, whole or not at all."""

import os
import shutil
import subprocess
from pathlib import Path

from reverie.local import home as places
from reverie.local.binaries import Binaries
from reverie.local.failures import CannotStart
from reverie.local.system_account import Account, running_as

# Letters of every language are letters, on every machine alike, without ICU.
_TEXT = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]


def make(
    home: Path, data: Path, binaries: Binaries, account: Account | None, *, durable: bool
) -> None:
    """Make `data` by a draft that is renamed when complete, so that a crash leaves no half folder.

    Raises CannotStart with what initdb said.
    """
    draft, password = data.with_name(data.name + ".new"), home / ".initdb-password"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    password.touch(mode=0o600)
    password.write_text(places.secret(home, places.PASSWORD))
    try:
        _give(account, draft, password)
        options = [f"--pgdata={draft}", f"--username={places.ROLE}", f"--pwfile={password}"]
        options += ["--auth=scram-sha-256", "--no-instructions", *_TEXT]
        _run([str(binaries.folder / "initdb"), *options, *_sync(durable)], account)
    finally:
        password.unlink()
    draft.rename(data)


def _sync(durable: bool) -> list[str]:
    return [] if durable else ["--no-sync"]


def _run(command: list[str], account: Account | None) -> None:
    done = subprocess.run(
        command,
        **running_as(account),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").split("\n")
        raise CannotStart(f"The database cannot be made: {' '.join(said).strip()}")


def _give(account: Account | None, *paths: Path) -> None:
    if account:
        for path in paths:
            os.chown(path, account.uid, account.gid)
