"""Which models an endpoint says it has: GET /models."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2

from . import failures, safe_http
from .errors import ProviderError

MOST_BYTES = 8 * 1024 * 1024
MOST_LISTED = 1_000
LISTING_SECONDS = 8.0
# What the servers call the tokens that a model reads at once.
_CONTEXT_FIELDS = ("context_length", "max_model_len", "max_context_length", "n_ctx_train")


@dataclass(frozen=True)
class Listed:
    name: str
    context_tokens: int | None = None


async def listed(base_url: str, key: str, allowed: frozenset[str]) -> list[Listed]:
    """The models of an endpoint, in its order. Raises `ProviderError`; many have no such list."""
    try:
        body = await _fetched(base_url, key, allowed)
        payload = json.loads(body)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise failures.from_network(error, key) from error
    except (ValueError, RecursionError) as error:
        raise ProviderError("bad_response", "the list of models is no JSON", secret=key) from error
    rows = payload.get("data") if isinstance(payload, Mapping) else None
    if not isinstance(rows, list):
        raise ProviderError("bad_response", "the answer has no list of models", secret=key)
    return [_row(row) for row in rows[:MOST_LISTED] if isinstance(row, Mapping) and row.get("id")]


async def _fetched(base_url: str, key: str, allowed: frozenset[str]) -> bytes:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    address = base_url.rstrip("/") + "/models"
    body = b""
    async with (
        safe_http.client(base_url, allowed_private=allowed, idle_seconds=LISTING_SECONDS) as http,
        http.stream("GET", address, headers=headers) as response,
    ):
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > MOST_BYTES:
                raise ProviderError("bad_response", "the list of models is endless")
    if response.status_code != 200:
        said = body.decode("utf-8", "replace")
        code = failures.code_for(response.status_code, said)
        raise ProviderError(code, said, status=response.status_code, secret=key)
    return body


def _row(row: Mapping[str, Any]) -> Listed:
    meta = row.get("meta")
    found = [row.get(name) for name in _CONTEXT_FIELDS]
    found += [meta.get(name) for name in _CONTEXT_FIELDS] if isinstance(meta, Mapping) else []
    tokens = next((n for n in found if isinstance(n, int) and not isinstance(n, bool)), None)
    return Listed(str(row["id"])[:200], tokens if tokens and 0 < tokens < 2**31 else None)
