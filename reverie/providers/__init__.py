"""Models that the product talks to, as the environment names them. `choosing` has the connected."""

from functools import lru_cache

import httpx2
from django.conf import settings

from .base import ChatModel, EmbeddingModel, Price
from .compatible import CompatibleModel
from .demo import DemoModel
from .embedding import CompatibleEmbedder
from .local import LocalEmbedder

__all__ = ["embedding_model", "environment_model", "model_at", "private_hosts"]


def environment_model() -> ChatModel:
    """The chat model of the environment; the demo while it names no address."""
    if not settings.CHAT_BASE_URL:
        return _demo(settings.DEMO_DELAY_SECONDS)
    return model_at(
        settings.CHAT_BASE_URL,
        settings.CHAT_MODEL,
        settings.CHAT_API_KEY,
        settings.CHAT_CONTEXT_TOKENS,
        private_hosts(),
        settings.PROVIDER_IDLE_SECONDS,
        getattr(settings, "CHAT_CACHE_MARKS", None),
    )


def embedding_model() -> EmbeddingModel | None:
    """The embedder of the settings: the bundled one unless told otherwise, None for "none"."""
    if settings.EMBEDDING_MODEL == "none":
        return None
    if not settings.EMBEDDING_BASE_URL:
        return _local()
    return _embedder(
        settings.EMBEDDING_BASE_URL,
        settings.EMBEDDING_MODEL,
        settings.EMBEDDING_API_KEY,
        private_hosts(),
        settings.PROVIDER_IDLE_SECONDS,
    )


def private_hosts() -> frozenset[str]:
    """Hosts that may be private: those the operator typed into the environment (A6)."""
    typed = (settings.CHAT_BASE_URL, settings.EMBEDDING_BASE_URL)
    return frozenset(settings.PROVIDER_PRIVATE_HOSTS) | {_host(url) for url in typed if url}


def _host(base_url: str) -> str:
    url = httpx2.URL(base_url)
    return f"{url.host}:{url.port or (443 if url.scheme == 'https' else 80)}"


@lru_cache(maxsize=4)
def _demo(delay_seconds: float) -> DemoModel:
    return DemoModel(delay_seconds=delay_seconds)


@lru_cache(maxsize=64)
def model_at(
    base_url: str,
    model: str,
    api_key: str,
    context_tokens: int,
    allowed_private: frozenset[str],
    idle_seconds: float,
    cache_marks: bool | None = None,
    price: Price | None = None,
    tools: bool = True,
) -> CompatibleModel:
    """The model at this address, made once: what it learns and its connections are kept."""
    return CompatibleModel(
        base_url,
        model,
        api_key=api_key,
        context_tokens=context_tokens,
        allowed_private=allowed_private,
        idle_seconds=idle_seconds,
        cache_marks=cache_marks,
        price=price,
        tools=tools,
    )


@lru_cache(maxsize=1)
def _local() -> LocalEmbedder:
    return LocalEmbedder()


@lru_cache(maxsize=8)
def _embedder(
    base_url: str,
    model: str,
    api_key: str,
    allowed_private: frozenset[str],
    idle_seconds: float,
) -> CompatibleEmbedder:
    return CompatibleEmbedder(
        base_url,
        model,
        api_key=api_key,
        allowed_private=allowed_private,
        idle_seconds=idle_seconds,
    )
