"""Any OpenAI-compatible embedding endpoint as an EmbeddingModel."""

import asyncio
import math
import re
from typing import Literal

import httpx2
import openai

from reverie.text.clean import clean

from . import failures
from .compatible import openai_client
from .errors import ProviderError

BATCH = 64
LONGEST_TEXT = 8_000

Kind = Literal["query", "passage"]


class CompatibleEmbedder:
    """An embedding model at an OpenAI-compatible address."""

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str = "",
        allowed_private: frozenset[str] = frozenset(),
        idle_seconds: float = 60.0,
    ) -> None:
        self.name = model
        self.dimensions = 0
        self._base_url, self._key = base_url, api_key
        self._allowed, self._idle = allowed_private, idle_seconds
        # This family was trained with a word in front that says what a text is.
        self._prefixed = bool(re.search(r"(^|[-_/])e5([-_:]|$)", model.lower()))

    def embed(self, texts: list[str], *, kind: Kind) -> list[list[float]]:
        """See EmbeddingModel.embed."""
        cleaned = [clean(text).strip()[:LONGEST_TEXT] for text in texts]
        spoken = [f"{kind}: {text}" if self._prefixed else text for text in cleaned if text]
        found = iter(asyncio.run(self._ask(spoken)) if spoken else [])
        vectors = [next(found) if text else [] for text in cleaned]
        return [vector or [0.0] * self.dimensions for vector in vectors]

    async def _ask(self, texts: list[str]) -> list[list[float]]:
        client = openai_client(self._base_url, self._key, self._allowed, self._idle)
        async with client:
            batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
            return [vector for batch in batches for vector in await self._batch(client, batch)]

    async def _batch(self, client: openai.AsyncOpenAI, texts: list[str]) -> list[list[float]]:
        try:
            answer = await client.embeddings.create(
                model=self.name, input=texts, encoding_format="float"
            )
        except openai.APIStatusError as error:
            raise failures.from_status(error, self._key) from error
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            raise failures.from_network(error, self._key) from error
        except (openai.OpenAIError, ValueError) as error:
            raise ProviderError("bad_response", str(error), secret=self._key) from error
        return self._checked(answer, len(texts))

    def _checked(self, answer: object, expected: int) -> list[list[float]]:
        """The vectors in the order of the texts, of length one; refuses what does not fit."""
        try:
            rows = sorted(getattr(answer, "data", None) or [], key=lambda row: row.index or 0)
            vectors = [_unit([float(value) for value in row.embedding]) for row in rows]
        except (AttributeError, TypeError, ValueError) as error:
            raise ProviderError("bad_response", f"no vectors: {error}") from error
        sizes = {len(vector) for vector in vectors}
        if len(vectors) != expected or len(sizes) != 1 or not self._fits(*sizes):
            raise ProviderError("bad_response", f"{len(vectors)} vectors of sizes {sizes}")
        return vectors

    def _fits(self, size: int) -> bool:
        """The first answer says how many dimensions the model has; the others must agree."""
        self.dimensions = self.dimensions or size
        return size == self.dimensions and size > 0


def _unit(vector: list[float]) -> list[float]:
    norm = math.hypot(*vector)
    if not math.isfinite(norm):
        raise ValueError("a vector with infinite numbers")
    return [value / norm for value in vector] if norm else vector
