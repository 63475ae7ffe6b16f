"""`manage.py sweep`: ends replies whose process has died, and empties the trash (P7, D42)."""

import time
from collections.abc import Callable
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import Error as DatabaseError
from django.db import close_old_connections, connection

from characters import importing
from conversations import leases, purge
from memories import embedding

LOOKS_PER_PURGE = 12  # a minute of them; each purge is small
LOOKS_PER_RING = 12  # a minute of them
log = structlog.get_logger()


class Command(BaseCommand):
    help = "Watches the leases of replies for as long as it runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="look once and end")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        look, spare_until = 0, 0.0
        while True:
            # Nobody could renew a lease while the database was away: all get time for it (P9).
            act = leases.sweep if time.monotonic() >= spare_until else knock
            if not self._try(act, "ended lost replies"):
                spare_until = time.monotonic() + settings.LEASE_SECONDS
            if look % LOOKS_PER_PURGE == 0:
                self._try(purge.purge, "blanked what was deleted long ago")
                self._try(importing.purge, "deleted cards that nobody kept")
            if look % LOOKS_PER_RING == 0:
                self._try(embedding.ring_again, "asked for vectors that are still due")
            if once:
                return
            look += 1
            time.sleep(settings.SWEEP_SECONDS)

    def _try(self, act: Callable[[], int], done: str) -> bool:
        close_old_connections()
        try:
            if rows := act():
                log.info(done, rows=rows)
        except DatabaseError as problem:
            log.warning("sweep waits for the database", problem=type(problem).__name__)
            return False
        except Exception:
            # A file that cannot be deleted must not end what watches the leases.
            log.exception("a part of the sweep failed")
        return True


def knock() -> int:
    """Ask the database whether it is there. Raises `DatabaseError` when it is not."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return 0
