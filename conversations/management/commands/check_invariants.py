"""`manage.py check_invariants`: whether everything that must hold in the database does."""

import json
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from conversations import invariants

SHOWN = 20  # offending ids of one rule


class Command(BaseCommand):
    help = "Checks what must hold in the database; ends with 1 and the ids of what breaks it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print {rule: [ids]} of what broke")

    def handle(self, *args: Any, **options: Any) -> None:
        with connection.cursor() as cursor:
            broken = invariants.broken(cursor, sweep_seconds=settings.SWEEP_SECONDS)
        self._tell_machine(broken) if options["json"] else self._tell(broken)
        if broken:
            sys.exit(1)

    def _tell_machine(self, broken: dict[str, list[str]]) -> None:
        self.stdout.write(json.dumps(broken))

    def _tell(self, broken: dict[str, list[str]]) -> None:
        for rule in invariants.RULES:
            ids = broken.get(rule.name, [])
            self.stdout.write(f"{'BROKEN' if ids else 'holds '} {rule.name}: {rule.sentence}")
            for offending in ids[:SHOWN]:
                self.stdout.write(f"    {offending}")
            if len(ids) > SHOWN:
                self.stdout.write(f"    and {len(ids) - SHOWN} more")
