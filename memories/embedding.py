"""Vectors of memories, made in the background: saving and editing never wait for them (D11)."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from threading import Event
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet

from memories import queue
from memories.models import Dimensions, Memory, MemoryVector, has_vectors
from memories.recall import Query
from reverie.providers import embedding_model
from reverie.providers.base import EmbeddingModel

threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="embed")
_loaded = Event()
BATCH = 32  # texts of one step

STORE = """
INSERT INTO memories_memoryvector (memory_id, model, vector)
SELECT id, %(model)s, %(vector)s FROM memories_memory WHERE id = %(id)s AND text = %(text)s
FOR NO KEY UPDATE
ON CONFLICT (memory_id) DO UPDATE SET model = excluded.model, vector = excluded.vector
"""


def embedder() -> EmbeddingModel | None:
    """The model that memories are searched with; None when there is no search (S8, S79)."""
    return embedding_model() if has_vectors() else None


def query(text: str) -> Query | None:
    """The query of these words; None without an embedder. Blocks. Raises `ProviderError`."""
    if (model := embedder()) is None:
        return None
    (vector,) = model.embed([text], kind="query")
    return Query(tuple(vector), model.name)


def warm() -> None:
    """Load the bundled model beside everything else, once there is something to search: it takes
    seconds, which the first reply would not wait for."""
    if settings.PROCESS == "web" and not settings.EMBEDDING_BASE_URL and not _loaded.is_set():
        threads.submit(_load)


def _load() -> None:
    # With the database away the first search loads the model.
    with suppress(DatabaseError), closing(connection):
        if not _loaded.is_set() and (model := embedder()) and Memory.objects.exists():
            _loaded.set()
            model.embed(["."], kind="query")


def due(model: EmbeddingModel) -> QuerySet[Memory]:
    """Memories without a vector of this model, the newest first."""
    current = MemoryVector.objects.filter(model=model.name)
    if model.dimensions:
        current = current.annotate(size=Dimensions("vector")).filter(size=model.dimensions)
    return Memory.objects.exclude(pk__in=current.values("memory")).order_by("-id")


def take_step() -> bool:
    """Embed a batch of what is due; whether more is left. Raises `ProviderError`."""
    model = embedder()
    if model is None:
        return False
    waiting = list(due(model).values_list("id", "text")[: BATCH + 1])
    batch = waiting[:BATCH]
    vectors = model.embed([text for _, text in batch], kind="passage") if batch else []
    rows: list[dict[str, Any]] = [
        {"id": pk, "text": text, "model": model.name, "vector": str(vector)}
        for (pk, text), vector in zip(batch, vectors, strict=True)
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(STORE, rows)
    return len(waiting) > BATCH


def ring_again() -> int:
    """Ask for what is still due: the embedder was away, or is another one now; how many are due."""
    if (model := embedder()) is None:
        return 0
    if waiting := due(model)[: BATCH + 1].count():
        queue.embed()
    return waiting


def forget(memory: Memory) -> None:
    """Let go of a vector whose text has changed; a new one is made in the background."""
    if has_vectors():
        MemoryVector.objects.filter(memory=memory).delete()
