"""What every text passes at an edge (A12), and how its length is counted and cut."""

import math
import re
import unicodedata
from typing import Any

from .graphemes import graphemes

_INVALID = re.compile("[\x00\ud800-\udfff]")


def strip_invalid(text: str) -> str:
    """`text` without NUL and lone surrogates; the two halves of a pair become one character."""
    if not _INVALID.search(text):
        return text
    units = text.replace("\x00", "").encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "ignore")


def clean(text: str) -> str:
    """`text` as it may be stored: no NUL, no lone surrogates, LF line ends, NFC."""
    valid = strip_invalid(text).replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", valid)


def length(text: str) -> int:
    """Length in code points, as all limits are counted."""
    return len(text)


def cut(text: str, limit: int) -> str:
    """The longest beginning of at most `limit` code points; splits no visible character (C74)."""
    if len(text) <= limit:
        return text
    end = 0
    for piece in graphemes(text):
        if end + len(piece) > limit:
            break
        end += len(piece)
    return text[:end]


def scrub(value: Any) -> Any:
    """A JSON value with every string and key valid.

    Raises ValueError for NaN and infinite numbers, which JSON does not have.
    """
    if isinstance(value, str):
        return strip_invalid(value)
    if isinstance(value, dict):
        return {scrub(key): scrub(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [scrub(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("JSON has no NaN and no infinite numbers")
    return value
