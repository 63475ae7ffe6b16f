"""Between the JSON of a card and a character's fields, both ways."""

from collections.abc import Callable
from typing import Any

from reverie.text import language

from . import book, coercing
from .values import Line, Reading, Rest, State

COLUMNS = {
    "name": "name",
    "nickname": "nickname",
    "description": "description",
    "personality": "personality",
    "scenario": "scenario",
    "first_mes": "greeting",
    "mes_example": "example_dialogue",
    "creator_notes": "creator_notes",
    "system_prompt": "system_prompt",
    "post_history_instructions": "post_history_instructions",
    "alternate_greetings": "alternate_greetings",
    "tags": "tags",
    "creator": "creator",
    "character_version": "character_version",
}
FIELDS = (*COLUMNS.values(), "tagline", "language")
LISTS: dict[str, Callable[[Any], coercing.Coerced]] = {
    "alternate_greetings": coercing.texts,
    "tags": coercing.tags,
}
# What the first programs called these, before there was a specification.
OLD_NAMES = {
    "char_name": "name",
    "char_persona": "description",
    "world_scenario": "scenario",
    "char_greeting": "first_mes",
    "example_dialogue": "mes_example",
    "creatorcomment": "creator_notes",
}
FRAME = ("spec", "spec_version", "data")
OURS = "reverie"  # our own extension, for what the specifications have no field for
PORTRAIT = "reverie/portrait.webp"  # the picture in a CHARX of ours
ICON = {"type": "icon", "uri": f"embeded://{PORTRAIT}", "name": "main", "ext": "webp"}
VERSIONS = {2: ("chara_card_v2", "2.0"), 3: ("chara_card_v3", "3.0")}


def is_card(card: dict[str, Any]) -> bool:
    """Whether this is any version of a card, and not some other JSON."""
    found = _data(card)
    if str(card.get("spec")).startswith("chara_card"):
        return True
    return bool({"first_mes", "description", "personality", *OLD_NAMES} & found.keys()) or (
        "name" in found and "entries" not in found
    )


def read(card: dict[str, Any], file_name: str = "") -> Reading:
    """Every part of `card`, in a field or in the rest; `file_name` is its name if it has none.

    Raises `RefusedError` with `too_many_entries`.
    """
    data = _data(card)
    lines: list[Line] = []
    fields = _columns(data, lines)
    if not fields.get("name", "").strip():
        fields["name"] = file_name
        lines = [line for line in lines if line.field != "name"]
        lines.insert(0, Line("name", State.CHANGED, "name", "name_missing"))
    extensions = _extensions(data.pop("extensions", {}), fields, lines)
    for name, ours in (("group_only_greetings", []), ("assets", [ICON])):
        if data.get(name) == ours:
            del data[name]  # what we write where there is nothing to say
    _rest(data, lines)
    top = _top(card)
    lines += [Line(name, State.UNUSED) for name in top]
    fields.setdefault("language", _language(fields))
    return Reading(fields, Rest(data, extensions, top), tuple(lines))


def write(fields: dict[str, Any], rest: Rest, version: int = 3) -> dict[str, Any]:
    """The card of these fields, as version 2 or 3."""
    spec, spec_version = VERSIONS[version]
    told = {name: fields[column] for name, column in COLUMNS.items()}
    if not told["nickname"]:
        del told["nickname"]
    extensions = dict(rest.extensions)
    if (own := _own(fields)) and isinstance(extensions.setdefault(OURS, {}), dict):
        extensions[OURS] = {**extensions[OURS], **own}
    data = {**told, "extensions": extensions, **rest.data}
    if version == 3:
        data.setdefault("group_only_greetings", [])
    return {**rest.top, "spec": spec, "spec_version": spec_version, "data": data}


def _data(card: dict[str, Any]) -> dict[str, Any]:
    """The part with the fields: version 1 is flat."""
    inner = card.get("data")
    flat = not isinstance(inner, dict)
    found = {k: v for k, v in card.items() if k not in FRAME or (k == "data" and inner is not None)}
    return found if flat else dict(inner or {})


def _top(card: dict[str, Any]) -> dict[str, Any]:
    """What stands beside the data; copies of what is in it, for old programs, are left out."""
    data = card.get("data")
    if not isinstance(data, dict):
        return {}
    beside = {k: v for k, v in card.items() if k not in FRAME}
    return {
        k: v
        for k, v in beside.items()
        if OLD_NAMES.get(k, k) not in data or data[OLD_NAMES.get(k, k)] != v
    }


def _columns(data: dict[str, Any], lines: list[Line]) -> dict[str, Any]:
    """Take what has a column out of `data`."""
    for old, name in OLD_NAMES.items():
        if old in data and (name not in data or data[name] == data[old]):
            data[name] = data.pop(old)
    fields = {}
    for name, column in COLUMNS.items():
        if name not in data:
            continue
        fix = LISTS.get(name, coercing.text)
        fields[column], why = fix(data.pop(name))
        if why or fields[column]:
            state = State.KEPT if name == column else State.MAPPED
            lines.append(Line(name, State.CHANGED if why else state, column, why))
    return fields


def _extensions(value: Any, fields: dict[str, Any], lines: list[Line]) -> dict[str, Any]:
    found, why = coercing.mapping(value)
    extensions = dict(found)
    if why:
        lines.append(Line("extensions", State.CHANGED, why=why))
    if isinstance(own := extensions.get(OURS), dict) and (known := _known(own)):
        fields.update(known)
        extensions[OURS] = {k: v for k, v in own.items() if k not in known}
        if not extensions[OURS]:
            del extensions[OURS]
    deep = extensions.get("depth_prompt")
    if isinstance(deep, dict) and "depth" in deep:
        depth, why = coercing.whole(deep["depth"], 4)
        extensions["depth_prompt"] = {**deep, "depth": depth}
        if why:
            lines.append(Line("extensions.depth_prompt.depth", State.CHANGED, why=why))
    lines += [Line(f"extensions.{name}", State.UNUSED) for name in extensions]
    return extensions


def _rest(data: dict[str, Any], lines: list[Line]) -> None:
    """Lines about what has no column; the world book is put right in place."""
    for name in list(data):
        if name == book.FIELD:
            data[name], about = book.tidied(data[name])
            lines += about
            if not data[name]:
                del data[name]
        elif name == "assets" and isinstance(data[name], list):
            remote = tuple(uri for uri in map(_uri, data[name]) if uri.startswith("http"))
            why = "remote" if remote else "assets"
            lines.append(Line(name, State.UNUSED, why=why, count=len(data[name]), items=remote))
        else:
            lines.append(Line(name, State.UNUSED))


def _uri(asset: Any) -> str:
    uri = asset.get("uri") if isinstance(asset, dict) else None
    return uri if isinstance(uri, str) else ""


def _own(fields: dict[str, Any]) -> dict[str, str]:
    """What only we have, if it says something that reading the card would not guess."""
    own = {"tagline": fields["tagline"]} if fields["tagline"] else {}
    return own | (
        {"language": fields["language"]} if fields["language"] != _language(fields) else {}
    )


def _known(own: dict[str, Any]) -> dict[str, Any]:
    known = {k: own[k] for k in ("tagline",) if isinstance(own.get(k), str) and own[k]}
    return known | {k: own[k] for k in ("language",) if own.get(k) in ("en", "ja")}


def _language(fields: dict[str, Any]) -> str:
    told = ("description", "greeting", "personality", "scenario")
    return language.guess("\n".join(fields.get(name, "") for name in told))
