"""`manage.py embed_memories`: makes the vectors that are due, and says how far it is (D11)."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories import embedding
from reverie.providers.errors import ProviderError


class Command(BaseCommand):
    help = "Embeds every memory that has no vector of the present embedding model."

    def handle(self, *args: Any, **options: Any) -> None:
        if (model := embedding.embedder()) is None:
            self.stdout.write("There is no embedding model, so every memory stays active.")
            return
        total = embedding.due(model).count()
        more = total > 0
        while more:
            more = self._step()
            left = embedding.due(model).count()
            self.stdout.write(f"{total - min(left, total)} of {total} embedded with {model.name}")
        self.stdout.write("Every memory has its vector.")

    def _step(self) -> bool:
        try:
            return embedding.take_step()
        except ProviderError as problem:
            raise CommandError(f"The embedding model does not answer: {problem.code}") from problem
