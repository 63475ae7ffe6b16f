"""Serve Reverie on this machine: database, web, worker and sweep, until Ctrl-C."""

from typing import Any

from django.core.management.base import BaseCommand

from reverie.local.failures import CannotStart
from reverie.local.supervisor import up


class Command(BaseCommand):
    help = "Serve Reverie on this machine: database, web, worker and sweep, until Ctrl-C."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            up()
        except CannotStart as error:
            raise SystemExit(f"Reverie cannot start. {error}") from None
