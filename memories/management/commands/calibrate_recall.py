"""`manage.py calibrate_recall`: how well the embedding model finds what a message touches (D9)."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories import calibration, embedding
from memories.calibration import Measured
from memories.engine.similarity import MOST_USED
from reverie.providers.errors import ProviderError


class Command(BaseCommand):
    help = "Measures the embedding model on the labelled set, half for tuning, half for the report."

    def handle(self, *args: Any, **options: Any) -> None:
        if (model := embedding.embedder()) is None:
            raise CommandError("There is no embedding model to measure.")
        at = calibration.threshold(model.name)
        self.stdout.write(f"{model.name}, threshold in use {at:.3f}")
        for half in ("tune", "report"):
            try:
                measured = Measured.of(model, calibration.labelled(), half)
            except ProviderError as problem:
                raise CommandError(f"The embedding model does not answer: {problem.code}") from None
            self._say(half, measured, at)

    def _say(self, half: str, measured: Measured, at: float) -> None:
        self.stdout.write(f"\n{half}: {len(measured.messages)} messages")
        for most in (1, MOST_USED):
            self.stdout.write(f"  recall@{most}: {_figures(measured.recall(most))}")
        wakes = measured.false_wakes(at)
        self.stdout.write(f"  in use: {_figures(measured.recall(at=at))}; false wakes {wakes:.0%}")
        for point in measured.curve():
            told = f"{point.false_wakes:.0%} false wakes at {point.threshold:.3f}"
            self.stdout.write(f"  {told}: recalls {point.recalled:.0%}")


def _figures(shares: dict[str, float]) -> str:
    return ", ".join(f"{pair} {share:.0%}" for pair, share in shares.items())
