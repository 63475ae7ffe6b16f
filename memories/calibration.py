"""How near is near enough, for each embedding model that was measured (S14, D9)."""

from memories.engine.similarity import UNCALIBRATED

THRESHOLDS = {"use-multilingual-v3": 0.35}


def threshold(model: str) -> float:
    """The cosine from which on a memory counts as touched."""
    return THRESHOLDS.get(model, UNCALIBRATED)
