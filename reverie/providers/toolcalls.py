"""Tool calls put together from the fragments in which they arrive."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reverie.text.clean import scrub

from .base import ToolCall


@dataclass
class _Slot:
    id: str = ""
    name: str = ""
    raw: str = ""


class ToolCalls:
    """Collects fragments by index, and by id where servers give no index or the same for all.

    A call that is sent twice under one id is one call (C17).
    """

    def __init__(self) -> None:
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}

    def feed(self, fragments: object) -> None:
        for fragment in fragments if isinstance(fragments, list) else []:
            if isinstance(fragment, Mapping):
                self._feed_one(fragment)

    def finish(self) -> list[ToolCall]:
        """The whole calls, in the order in which they began."""
        named = [slot for slot in self._slots if slot.name]
        return [
            ToolCall(slot.id or f"call_{number}", slot.name, _arguments(slot.raw), slot.raw)
            for number, slot in enumerate(named, start=1)
        ]

    def _feed_one(self, fragment: Mapping[str, Any]) -> None:
        function = fragment.get("function")
        function = function if isinstance(function, Mapping) else {}
        slot = self._slot(fragment.get("index"), str(fragment.get("id") or ""))
        slot.name = slot.name or str(function.get("name") or "")
        more = _as_text(function.get("arguments"))
        if not (slot.raw and more == slot.raw and _arguments(more) is not None):
            slot.raw += more

    def _slot(self, index: object, call_id: str) -> _Slot:
        found = self._find(index, call_id)
        if found is None or (call_id and found.id and found.id != call_id):
            found = _Slot()
            self._slots.append(found)
        found.id = found.id or call_id
        if isinstance(index, int):
            self._by_index[index] = found
        return found

    def _find(self, index: object, call_id: str) -> _Slot | None:
        if call_id and (same := [slot for slot in self._slots if slot.id == call_id]):
            return same[0]
        if isinstance(index, int):
            return self._by_index.get(index)
        return self._slots[-1] if self._slots else None


def _as_text(arguments: object) -> str:
    if isinstance(arguments, Mapping):
        return json.dumps(arguments, ensure_ascii=False)
    return arguments if isinstance(arguments, str) else ""


def _arguments(raw: str) -> dict[str, Any] | None:
    """The arguments as an object of valid strings, or None. No arguments are an empty object."""
    try:
        value = scrub(json.loads(raw)) if raw.strip() else {}
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
