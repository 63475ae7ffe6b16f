"""Which memories a message touches: the nearest three that are near enough (S13, S14)."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

MOST_USED = 3  # over all scopes together (S13)
UNCALIBRATED = 0.5  # the threshold of a model that nobody has measured (D9)


@dataclass(frozen=True, slots=True)
class Match:
    """A memory and how near the message is to it: the cosine of their vectors, -1 to 1."""

    id: UUID
    score: float


def matches(scores: Iterable[Match], threshold: float) -> tuple[Match, ...]:
    """The nearest at or above the threshold, at most three, the nearest first; ties by id."""
    near = (match for match in scores if match.score >= threshold)
    return tuple(sorted(near, key=lambda match: (-match.score, match.id))[:MOST_USED])
