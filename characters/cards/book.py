"""The world book of a card: kept whole, its types put right, none of its entries lost."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from . import coercing
from .limits import ENTRIES, RefusedError
from .values import Line, State

FIELD = "character_book"
_Fix = Callable[[Any], coercing.Coerced]

ENTRY: dict[str, _Fix] = {
    "keys": coercing.words,
    "secondary_keys": coercing.words,
    "content": coercing.text,
    "enabled": lambda value: coercing.switch(value, True),
    "insertion_order": lambda value: coercing.whole(value, 100),
    "extensions": coercing.mapping,
}
# Null is a value of these: not set.
OPTIONAL_ENTRY: dict[str, _Fix] = {
    "priority": lambda value: coercing.whole(value, None),
    "selective": lambda value: coercing.switch(value, False),
    "constant": lambda value: coercing.switch(value, False),
    "case_sensitive": lambda value: coercing.switch(value, False),
    "use_regex": lambda value: coercing.switch(value, False),
}
OPTIONAL_BOOK: dict[str, _Fix] = {
    "scan_depth": lambda value: coercing.whole(value, None),
    "token_budget": lambda value: coercing.whole(value, None),
    "recursive_scanning": lambda value: coercing.switch(value, False),
}
PLAIN = {"keys", "content", "name", "comment", "id", "extensions", "enabled", "insertion_order"}


def tidied(value: Any) -> tuple[dict[str, Any], list[Line]]:
    """The book and lines about it. Raises `RefusedError` with `too_many_entries`."""
    changes: Counter[tuple[str, str]] = Counter()
    if isinstance(value, list):
        book: dict[str, Any] = {"entries": value}
        changes[FIELD, "list_of_entries"] += 1
    else:
        book, why = coercing.mapping(value)
        changes[FIELD, why] += bool(why)
    book = _fixed(book, {}, OPTIONAL_BOOK, FIELD, changes)
    if book:
        book["entries"] = _entries(book.get("entries"), changes)
    lines = [Line(name, State.CHANGED, why=why, count=n) for (name, why), n in changes.items() if n]
    return book, [_about(book), *lines] if book else lines


def _entries(value: Any, changes: "Counter[tuple[str, str]]") -> list[dict[str, Any]]:
    """Every entry in its place; two with one id are two (CS4)."""
    where = f"{FIELD}.entries"
    if isinstance(value, dict):
        value, why = list(value.values()), "entries_from_object"
    else:
        value, why = (value, "") if isinstance(value, list) else ([], "null")
    changes[where, why] += bool(why)
    if len(value) > ENTRIES:
        raise RefusedError("too_many_entries")
    found = []
    for entry in value:
        if not isinstance(entry, dict):
            changes[where, "entry_wrapped"] += 1
            entry = {"keys": [], "content": coercing.text(entry)[0]}
        found.append(_fixed(entry, ENTRY, OPTIONAL_ENTRY, where, changes))
    return found


def _fixed(
    row: dict[str, Any],
    needed: dict[str, _Fix],
    optional: dict[str, _Fix],
    where: str,
    changes: "Counter[tuple[str, str]]",
) -> dict[str, Any]:
    fixed = dict(row)
    for name, value in row.items():
        fix = needed.get(name) or (optional.get(name) if value is not None else None)
        if fix is not None:
            fixed[name], why = fix(value)
            changes[f"{where}.{name}", why] += bool(why)
    return fixed


def _about(book: dict[str, Any]) -> Line:
    """How many entries there are, and which settings of theirs wait for the world book."""
    settings: set[str] = set()
    for entry in book["entries"]:
        settings |= entry.keys() - PLAIN
        extensions = entry.get("extensions")
        settings |= extensions.keys() if isinstance(extensions, dict) else set()
    count = len(book["entries"])
    return Line(FIELD, State.UNUSED, why="book", count=count, items=tuple(sorted(settings)))
