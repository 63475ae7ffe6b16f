"""Which account of the system PostgreSQL runs under, and which folders that account can reach."""

import os
import pwd
import stat
from pathlib import Path
from typing import Any, NamedTuple

from reverie.local.failures import CannotStart


class Account(NamedTuple):
    """An account of the operating system."""

    name: str
    uid: int
    gid: int


def unprivileged(data: Path) -> Account | None:
    """The account that serves `data` when we are root, or None when we serve it ourselves.

    PostgreSQL refuses to run as root. The owner of existing data stays its owner.
    """
    if os.geteuid() != 0:
        return None
    if data.is_dir() and data.stat().st_uid != 0:
        return _account(pwd.getpwuid(data.stat().st_uid))
    for name in ("postgres", "nobody"):
        try:
            return _account(pwd.getpwnam(name))
        except KeyError:
            continue
    raise CannotStart(
        "PostgreSQL does not run as root and this machine has neither an account 'postgres' "
        "nor 'nobody': start Reverie as an ordinary user."
    )


def _account(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def can_reach(path: Path, account: Account | None) -> bool:
    """Whether every existing folder on the way to `path`, it included, lets `account` through."""
    if account is None:
        return True
    path = path.absolute()
    return all(_passes(step, account) for step in (path, *path.parents) if step.is_dir())


def _passes(folder: Path, account: Account) -> bool:
    status = folder.stat()
    if status.st_uid == account.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == account.gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)


def own_folder(path: Path, owner: Account | None = None) -> Path:
    """Make `path` a folder that only its owner enters; refuse one that somebody else laid there.

    For places that every account may write to, such as the system's temporary directory.
    """
    try:
        path.mkdir(mode=0o700)
        if owner:
            os.chown(path, owner.uid, owner.gid)
    except FileExistsError:
        status = path.lstat()
        uids = {os.geteuid(), owner.uid if owner else os.geteuid()}
        if not stat.S_ISDIR(status.st_mode) or status.st_uid not in uids:
            raise CannotStart(f"{path} belongs to another account: remove it.") from None
    except OSError as error:
        raise CannotStart(f"The folder {path} cannot be made: {error.strerror}.") from None
    return path


def running_as(account: Account | None) -> dict[str, Any]:
    """How a process is run under `account`: nothing of our environment, nowhere it cannot stand."""
    given: dict[str, Any] = {"cwd": "/", "env": {"PATH": os.defpath, "LC_ALL": "C"}}
    if account:
        given |= {"user": account.uid, "group": account.gid, "extra_groups": []}
    return given
