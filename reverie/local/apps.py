"""`reverie.local` is a Django app for the sake of its commands."""

import os

from django.apps import AppConfig


class LocalConfig(AppConfig):
    name = "reverie.local"
    label = "local"

    def ready(self) -> None:
        """In a worker under the supervisor, mark which of its processes are at work."""
        if folder := os.environ.get("REVERIE_BUSY"):
            from reverie.local import busy  # django_q's signals need loaded apps

            busy.watch(folder)
