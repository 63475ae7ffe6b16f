"""`manage.py sweep`: ends replies whose process has died, every few seconds (P7)."""

import time
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import Error as DatabaseError
from django.db import close_old_connections

from conversations import leases

log = structlog.get_logger()


class Command(BaseCommand):
    help = "Watches the leases of replies for as long as it runs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="look once and end")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        while True:
            self._look()
            if once:
                return
            time.sleep(settings.SWEEP_SECONDS)

    def _look(self) -> None:
        close_old_connections()
        try:
            if ended := leases.sweep():
                log.info("ended lost replies", replies=ended)
        except DatabaseError as problem:
            log.warning("sweep waits for the database", problem=type(problem).__name__)
