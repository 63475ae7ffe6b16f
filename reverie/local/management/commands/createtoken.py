"""`manage.py createtoken USERNAME`: a bearer token for the API."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from characters import demo
from reverie.accounts.models import ApiToken, User


class Command(BaseCommand):
    help = "Makes a bearer token (and the user when missing). The token is the last word printed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--name", default="", help="what the token is for")

    def handle(self, *args: Any, username: str, name: str, **options: Any) -> None:
        user = User.objects.filter(username=username).first() or self._new(username)
        if not user.is_active:
            raise CommandError(f"{username} is suspended.")
        demo.welcome(user)
        self.stdout.write(f"Token of {username}, shown only now: {ApiToken.issue(user, name=name)}")

    def _new(self, username: str) -> User:
        user = User(username=username)
        user.set_unusable_password()
        user.full_clean(exclude=["password"])
        user.save()
        return user
