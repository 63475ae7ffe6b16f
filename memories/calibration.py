"""How near is near enough, for each embedding model that was measured (S14, D9)."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import mul
from pathlib import Path
from typing import Any, Self

from memories.engine.similarity import MOST_USED, UNCALIBRATED
from reverie.providers.base import EmbeddingModel

LABELLED = Path(__file__).with_name("labelled.json")
FALSE_WAKES = (0.02, 0.05, 0.1, 0.2, 0.3)
# Where about one message in ten that touches nothing wakes something out of 196 memories: a false
# wake keeps one memory awake, a miss costs trust. `manage.py calibrate_recall` prints the curve.
THRESHOLDS = {"use-multilingual-v3": 0.35}

Vector = Sequence[float]


def threshold(model: str) -> float:
    """The cosine from which on a memory counts as touched."""
    return THRESHOLDS.get(model, UNCALIBRATED)


@dataclass(frozen=True)
class Asked:
    """A message of the set: what it touches (nothing, for some), and how near everything is."""

    pair: str  # "en-ja": an English message, a Japanese memory
    touches: frozenset[str]
    nearest: tuple[tuple[float, str], ...]  # cosine and id, the nearest first

    def recalls(self, most: int, at: float = -1.0) -> bool:
        """Whether one of the `most` nearest that are near enough is what it touches."""
        return any(score >= at and pk in self.touches for score, pk in self.nearest[:most])


@dataclass(frozen=True)
class Point:
    """One point of the curve: what is recalled where so many messages wake something falsely."""

    false_wakes: float
    threshold: float
    recalled: float


class Measured:
    """A model against one half of a labelled set. Asking it takes the model's time."""

    def __init__(self, messages: Sequence[Asked], nothing: Sequence[Asked]) -> None:
        self.messages, self.nothing = messages, nothing

    @classmethod
    def of(cls, model: EmbeddingModel, labelled: dict[str, Any], half: str) -> Self:
        """Raises `ProviderError`."""
        memories = labelled["memories"]
        vectors = model.embed([one["text"] for one in memories], kind="passage")
        lines = [(one["id"], vector) for one, vector in zip(memories, vectors, strict=True)]
        languages = {one["id"]: one["lang"] for one in memories}
        asked = [
            _asked(model, [one for one in labelled[part] if one["half"] == half], lines, languages)
            for part in ("messages", "nothing")
        ]
        return cls(*asked)

    def recall(self, most: int = MOST_USED, at: float = -1.0) -> dict[str, float]:
        """The share of messages that recall what they touch: by pair of languages, and of all."""
        found: dict[str, list[bool]] = defaultdict(list)
        for one in self.messages:
            found[one.pair].append(one.recalls(most, at))
        every = [hit for hits in found.values() for hit in hits]
        shares = {pair: _share(hits) for pair, hits in sorted(found.items())}
        return shares | {"all": _share(every)}

    def curve(self) -> list[Point]:
        """For each share of false wakes the threshold that gives it, and what is recalled there."""
        points = []
        for share in FALSE_WAKES:
            at = self._tops[min(int(share * len(self._tops)), len(self._tops) - 1)]
            points.append(Point(share, at, self.recall(MOST_USED, at)["all"]))
        return points

    def false_wakes(self, at: float) -> float:
        """The share of messages that touch nothing and wake something at this threshold."""
        return _share([top >= at for top in self._tops])

    @cached_property
    def _tops(self) -> list[float]:
        return sorted((one.nearest[0][0] for one in self.nothing), reverse=True)


def labelled() -> dict[str, Any]:
    """The project's own labelled set."""
    found: dict[str, Any] = json.loads(LABELLED.read_text(encoding="utf-8"))
    return found


def _asked(
    model: EmbeddingModel,
    messages: Sequence[dict[str, Any]],
    lines: Sequence[tuple[str, Vector]],
    languages: dict[str, str],
) -> list[Asked]:
    vectors = model.embed([one["text"][:1_000] for one in messages], kind="query")
    return [
        _near(one, vector, lines, languages) for one, vector in zip(messages, vectors, strict=True)
    ]


def _near(
    message: dict[str, Any],
    vector: Vector,
    lines: Sequence[tuple[str, Vector]],
    languages: dict[str, str],
) -> Asked:
    touched = message.get("touches", [])
    scores = sorted(((sum(map(mul, vector, line)), pk) for pk, line in lines), reverse=True)
    pair = f"{message['lang']}-{languages[touched[0]]}" if touched else message["lang"]
    return Asked(pair, frozenset(touched), tuple(scores[:MOST_USED]))


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / max(len(hits), 1)
