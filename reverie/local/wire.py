"""Group messages as PostgreSQL notifications: cut to what one may hold, and put together again."""

import json
from collections import OrderedDict
from typing import Any, NamedTuple
from uuid import uuid4

Message = dict[str, Any]

TOPIC = "reverie"
PART_BYTES = 7600  # a notification holds fewer than 8000 bytes, our heading included
_UNFINISHED = 100  # messages whose other parts never came are dropped beyond this many


class Arrived(NamedTuple):
    """A whole message for a group."""

    group: str
    message: Message


def parts(sender: str, group: str, message: Message) -> list[str]:
    """The notifications that carry `message`. JSON in ASCII, so that any cut is a clean one."""
    text = json.dumps([group, message], separators=(",", ":"))
    pieces = [text[start : start + PART_BYTES] for start in range(0, len(text), PART_BYTES)]
    name = uuid4().hex
    return [f"{sender}:{name}:{i}:{len(pieces)}:{piece}" for i, piece in enumerate(pieces)]


class Assembly:
    """Puts parts together. Keeps nothing of `own`, the sender that is us."""

    def __init__(self, own: str) -> None:
        self._own = own
        self._waiting: OrderedDict[str, dict[int, str]] = OrderedDict()

    def add(self, payload: str) -> Arrived | None:
        """The message that this part completes, if it does. What is not ours is passed over."""
        try:
            sender, name, index, total, piece = payload.split(":", 4)
            if sender == self._own:
                return None
            text = self._complete(name, int(index), int(total), piece)
            return Arrived(*json.loads(text)) if text else None
        except (ValueError, TypeError):
            return None

    def _complete(self, name: str, index: int, total: int, piece: str) -> str:
        pieces = self._waiting.setdefault(name, {})
        pieces[index] = piece
        if len(pieces) < total:
            while len(self._waiting) > _UNFINISHED:
                self._waiting.popitem(last=False)
            return ""
        del self._waiting[name]
        return "".join(pieces[number] for number in range(total))
