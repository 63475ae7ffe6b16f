"""From what a provider or the network did to our taxonomy."""

import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai

from .errors import ProviderError
from .safe_http import AddressRefused

_CONTEXT = re.compile(
    r"context.{0,20}(length|window|size|limit)|maximum context|context_length|prompt is too long"
    r"|too many (input )?tokens|input is too long|reduce the length|exceeds? .{0,40}tokens"
    r"|request too large|string_above_max_length",
    re.IGNORECASE | re.DOTALL,
)
_CONTENT = re.compile(
    r"content[_ -](filter|policy|management)|moderation|flagged|safety system|responsible ?ai",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient[_ ](quota|credits?|balance|funds)|exceeded your current quota|billing"
    r"|payment required|out of credits",
    re.IGNORECASE,
)
_OVERLOADED = {500, 502, 503, 504, 520, 521, 522, 523, 524, 529}


def code_for(status: int, body: str) -> str:
    """The code for an HTTP status and the body that came with it."""
    if status in (401, 403):
        return "content" if status == 403 and _CONTENT.search(body) else "auth"
    if status == 402 or (status == 429 and _QUOTA.search(body)):
        return "quota"
    if status in (400, 413, 422):
        return _code_for_refused(status, body)
    if status in _OVERLOADED:
        return "overloaded"
    return {408: "network", 429: "rate"}.get(status, "bad_response")


def _code_for_refused(status: int, body: str) -> str:
    if status == 413 or _CONTEXT.search(body):
        return "context"
    return "content" if _CONTENT.search(body) else "bad_response"


def from_status(error: openai.APIStatusError, secret: str) -> ProviderError:
    """An answer with an HTTP status that is no success."""
    body = body_text(error)
    return ProviderError(
        code_for(error.status_code, body),
        body or f"HTTP {error.status_code}",
        status=error.status_code,
        retry_after=retry_after(error.response.headers),
        secret=secret,
    )


def body_text(error: openai.APIStatusError) -> str:
    """The body as it came; it was read when the error was made."""
    try:
        return error.response.text
    except httpx2.ResponseNotRead:
        return str(error)


def from_network(error: Exception, secret: str) -> ProviderError:
    """A connection that could not be made, timed out, or broke."""
    reason = error.__cause__ or error
    if isinstance(reason, AddressRefused | httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return ProviderError("bad_response", f"address refused: {reason}", secret=secret)
    return ProviderError("network", f"{type(reason).__name__}: {reason}", secret=secret)


def from_payload(payload: Mapping[str, Any], secret: str) -> ProviderError:
    """An error that came inside an answer with status 200."""
    error = payload.get("error")
    status = _status_in(error)
    text = json.dumps(error, ensure_ascii=False, default=str)
    code = code_for(status, text) if status else _code_by_words(text)
    return ProviderError(code, text, status=status, secret=secret)


def _status_in(error: object) -> int | None:
    if not isinstance(error, Mapping):
        return None
    for value in (error.get("code"), error.get("status"), error.get("status_code")):
        if str(value).isdigit() and 400 <= int(str(value)) <= 599:
            return int(str(value))
    return None


def _code_by_words(text: str) -> str:
    found = _code_for_refused(400, text)
    if found != "bad_response":
        return found
    words = {"quota": _QUOTA, "rate": re.compile(r"rate.?limit|too many requests", re.I)}
    words["overloaded"] = re.compile(r"overloaded|server_error|unavailable|capacity", re.I)
    words["auth"] = re.compile(r"invalid.{0,10}(api.?key|token)|unauthori[sz]ed", re.I)
    return next((code for code, known in words.items() if known.search(text)), "bad_response")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as a Retry-After header says it, in seconds or as a date; else None."""
    value = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value)) if value else None
    except ValueError:
        pass
    try:
        # A date that cannot be read raises ValueError.
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
