"""Notices a worker that lives and does nothing: a killed idle process can hang it for ever."""

import time
from datetime import datetime, timedelta
from pathlib import Path

from django.db import DatabaseError, connection
from django.db.models import Q
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import OrmQ

from reverie.local import busy

PATIENCE_SECONDS = 30.0


class Watchdog:
    """Judges one worker; `folder` holds the marks of its processes at work."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.reset()

    def reset(self) -> None:
        """A new worker was started: what an older one took is not held against it."""
        self._started = timezone.now()
        self._idle_since: float | None = None

    def worker_hangs(self) -> bool:
        """Whether a task has waited for 30 s in which nobody worked.

        A database that is away is not the worker's fault.
        """
        now = time.monotonic()
        try:
            idle = not busy.anyone(self._folder) and stuck(timezone.now(), self._started)
        except DatabaseError:
            idle = False
        finally:
            connection.close()
        if not idle:
            self._idle_since = None
        elif self._idle_since is None:
            self._idle_since = now
        return self._idle_since is not None and now - self._idle_since >= PATIENCE_SECONDS


def stuck(now: datetime, started: datetime) -> bool:
    """Whether there is a task that is due, or was taken since `started`, and is not done.

    django-q2 writes into `lock` when a task is due; taking it moves that on by `retry` seconds.
    """
    retry = timedelta(seconds=Conf.RETRY)
    due = Q(lock__lte=now)
    taken = Q(lock__gt=started + retry, lock__lte=now + retry)
    waiting = OrmQ.objects.filter(due | taken, key=Conf.CLUSTER_NAME)
    return bool(waiting.exists())
