"""Which processes of the worker are at work: a file each, named by process id, in one folder.

The queue's own rows cannot tell a task that runs from one that lies in a cluster that hangs.
"""

import os
from pathlib import Path
from typing import Any

from django_q.signals import post_execute_in_worker, pre_execute

_folder = Path()


def watch(folder: str) -> None:
    """Keep a file in `folder` while this process runs a task."""
    global _folder
    _folder = Path(folder)
    pre_execute.connect(_begin, dispatch_uid="busy")
    post_execute_in_worker.connect(_end, dispatch_uid="busy")


def _begin(**_: Any) -> None:
    (_folder / str(os.getpid())).touch()


def _end(**_: Any) -> None:
    (_folder / str(os.getpid())).unlink(missing_ok=True)


def empty(folder: Path) -> Path:
    """Make the folder, or clear it of what a killed supervisor left."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for mark in folder.iterdir():
        mark.unlink()
    return folder


def anyone(folder: Path) -> bool:
    """Whether a process that still lives is at work. Forgets those that died."""
    living = [_lives(mark) for mark in folder.iterdir()]  # all, so that all dead ones go
    return any(living)


def _lives(mark: Path) -> bool:
    try:
        os.kill(int(mark.name), 0)
    except ProcessLookupError:
        mark.unlink(missing_ok=True)
        return False
    except PermissionError:
        return True
    return True
