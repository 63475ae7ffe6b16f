"""Bytes to the JSON of a card, whatever they claim to be, and never more than the limits allow."""

import json
import math
import re
from base64 import b64decode
from binascii import Error as Base64Error
from typing import Any

from reverie.text.clean import scrub

from .limits import DEPTH, JSON, VALUES, RefusedError

Card = dict[str, Any]
# A string, or what has one more value behind it: a comma, or a list or object with something in it.
_MARKS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|,|[\[{](?!\s*+[\]}])', re.DOTALL)


def card_of(raw: bytes) -> Card:
    """The object that `raw` holds, without NUL and lone surrogates.

    Raises `RefusedError`: `json_too_big`, `unreadable`, `too_deep`, `too_many_values`, `no_card`.
    """
    if len(raw) > JSON:
        raise RefusedError("json_too_big")
    text = _text(raw)
    if _too_many(text):
        raise RefusedError("too_many_values")
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_number)
    except RecursionError as problem:
        raise RefusedError("too_deep") from problem
    except ValueError as problem:
        raise RefusedError("unreadable") from problem
    _measure(value)
    if not isinstance(value, dict):
        raise RefusedError("no_card")
    card: Card = scrub(value)
    return card


def from_base64(raw: bytes) -> bytes:
    """What a chunk of a picture holds: base64 of either alphabet with any spaces, or plain JSON.

    Raises `RefusedError` with `unreadable`.
    """
    packed = b"".join(raw.split())
    if packed[:1] == b"{":
        return raw
    bare = packed.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        return b64decode(bare + b"=" * (-len(bare) % 4))
    except Base64Error as problem:
        raise RefusedError("unreadable") from problem


def is_unicode(raw: bytes) -> bool:
    """Whether these bytes are text as JSON is to be written."""
    try:
        raw.decode(json.detect_encoding(raw))
    except UnicodeDecodeError:
        return False
    return True


def _text(raw: bytes) -> str:
    """The text, also where one character of it is broken, or its program knew Latin-1 only."""
    if is_unicode(raw):
        return raw.decode(json.detect_encoding(raw))
    loose = raw.decode("utf-8", "replace")
    strange = len(loose) - len(loose.encode("ascii", "ignore"))
    return loose if loose.count("\ufffd") * 4 <= strange else raw.decode("cp1252", "replace")


def _too_many(text: str) -> bool:
    """Counted before anything is built: a value of three letters takes fifty bytes and more."""
    if text.count(",") + text.count("[") + text.count("{") < VALUES:
        return False
    values = 1
    for mark in _MARKS.finditer(text):
        values += text[mark.start()] != '"'
        if values > VALUES:
            return True
    return False


def _refuse(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("JSON has no infinite numbers")
    return number


def _measure(value: Any) -> None:
    """Level by level and not by recursion, so that depth costs nothing."""
    level, depth, seen = [value], 0, 0
    while level:
        seen += len(level)
        if seen > VALUES:
            raise RefusedError("too_many_values")
        deeper = [item for item in level if isinstance(item, dict | list)]
        depth += bool(deeper)
        if depth > DEPTH:
            raise RefusedError("too_deep")
        level = [
            inner
            for item in deeper
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
