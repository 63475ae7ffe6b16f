"""`manage.py demo USERNAME`: the demo characters once more, for somebody who changed theirs."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from characters import demo
from reverie.accounts.models import User


class Command(BaseCommand):
    help = "Gives a user fresh copies of the demo characters."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, username: str, **options: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"There is no user called {username}.")
        given = demo.give(user)
        self.stdout.write(f"{username} has {len(given)} more characters.")
