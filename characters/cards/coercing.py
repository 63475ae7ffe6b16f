"""Values of the wrong type, made right (C81). Each gives the value and why it changed, or ""."""

import json
import re
from typing import Any

Coerced = tuple[Any, str]


def text(value: Any) -> Coerced:
    """Text of anything; nothing that was there is lost."""
    if isinstance(value, str):
        return value, ""
    if value is None:
        return "", "null"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value), "joined"
    if isinstance(value, bool | int | float):
        return json.dumps(value), "number"
    return json.dumps(value, ensure_ascii=False), "as_json"


def texts(value: Any) -> Coerced:
    """A list of texts; one text alone is a list of one."""
    if value is None:
        return [], "null"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value, ""
    if isinstance(value, dict):
        value = list(value.values())
    items = value if isinstance(value, list) else [value]
    return [text(item)[0] for item in items if item not in (None, "")], "list"


def words(value: Any) -> Coerced:
    """A list of short texts, which some write in one, with commas between."""
    if isinstance(value, str):
        parts = (part.strip() for part in re.split("[,、，\n]", value))
        return [part for part in parts if part], "split" if value.strip() else "null"
    found, why = texts(value)
    return found, why


def tags(value: Any) -> Coerced:
    """As `words`, each once and none empty."""
    found, why = words(value)
    tidy = list(dict.fromkeys(tag.strip() for tag in found if tag.strip()))
    return tidy, why or ("tidied" if tidy != found else "")


def whole(value: Any, default: int | None) -> Coerced:
    """A number; `default` for what is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value, ""
    if isinstance(value, bool) or value is None:
        return default, "default"
    try:
        return int(str(value).strip()), "number_from_text"
    except ValueError:
        return default, "default"


def switch(value: Any, default: bool) -> Coerced:
    """True or false; "false" in words and 0 are false (CS5)."""
    if isinstance(value, bool):
        return value, ""
    if isinstance(value, int | float):
        return bool(value), "switch"
    said = str(value).strip().lower()
    if said in ("true", "yes", "on", "1"):
        return True, "switch"
    if said in ("false", "no", "off", "0"):
        return False, "switch"
    return default, "default"


def mapping(value: Any) -> Coerced:
    """An object; what else was there stays in it under a name of its own."""
    if isinstance(value, dict):
        return value, ""
    return ({}, "null") if value in (None, "", []) else ({"original": value}, "wrapped")
