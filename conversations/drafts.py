"""Replies under way in this process: what of them is shown to sockets and kept in the database."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import structlog
from channels.layers import get_channel_layer
from django.db import Error as DatabaseError

from conversations import leases, sync
from conversations.models import Reply
from conversations.turns import Prepared
from reverie.accounts.hop import hop

PROCESS = uuid4().hex
FRAME_SECONDS = 0.05  # at most 20 frames a second to a socket
FRAMES_PER_CHECKPOINT = 5  # so every 250 ms
log = structlog.get_logger()

Watcher = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass
class Draft:
    """A reply under way in this process."""

    prepared: Prepared
    text: str = ""
    reasoning: str = ""
    shown: int = 0  # characters that sockets of this process have
    kept: int = 0  # characters that the database and the other processes have
    resets: set[str] = field(default_factory=set)  # who still has to forget what they were shown
    usage: dict[str, int | Decimal | None] = field(default_factory=dict)
    reason: str = ""  # why the model finished, in the provider's word
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    ends_as: Reply.Status = Reply.Status.STOPPED  # when it is told to end
    showing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def retract(self) -> None:
        """What looked like text was reasoning: it is no part of the reply (D21)."""
        begun = self.prepared.text
        self.reasoning, self.text = self.text[len(begun) :] + self.reasoning, begun
        self.shown = self.kept = 0
        self.resets = {"here", "elsewhere"}


live: dict[UUID, Draft] = {}
watchers: dict[UUID, set[Watcher]] = defaultdict(set)
_pulse: asyncio.Task[None] | None = None


def beat() -> None:
    """One pulse serves all replies of this process, while there are any."""
    global _pulse
    if _pulse is None or _pulse.done():
        _pulse = asyncio.create_task(_pulses())


async def _pulses() -> None:
    """Show what is new every frame, and keep it every few frames."""
    count, keeping = 0, None
    while live:
        await asyncio.sleep(FRAME_SECONDS)
        count += 1
        for draft in list(live.values()):
            await _surely(show(draft))
        # Beside the frames: people go on reading while the database is away (P9).
        if count % FRAMES_PER_CHECKPOINT == 0 and (keeping is None or keeping.done()):
            keeping = asyncio.create_task(_surely(_keep(list(live.values()))))


async def _surely(part: Coroutine[Any, Any, None]) -> None:
    """Do a part of the pulse; one that stopped would let every lease of this process run out."""
    try:
        await part
    except Exception:
        log.exception("a pulse failed")


async def show(draft: Draft) -> None:
    """Push what is new to the sockets of this process."""
    async with draft.showing:  # the last frame must not overtake the one before it
        if len(draft.text) == draft.shown and "here" not in draft.resets:
            return
        frame = _delta(draft, "here", draft.shown, len(draft.text))
        draft.shown = frame["seq"]
        for push in list(watchers.get(draft.prepared.conversation_id, ())):
            await push(frame)


async def _keep(drafts: list[Draft]) -> None:
    """Checkpoint the drafts, and show other processes what is new."""
    texts = [leases.Checkpoint(d.prepared.reply_id, d.prepared.attempt, d.text) for d in drafts]
    try:
        ending = await hop(leases.checkpoint, texts) if texts else set()
    except DatabaseError:
        return
    for draft in drafts:
        if draft.prepared.reply_id in ending:
            draft.ending.set()
    for draft, kept in zip(drafts, texts, strict=True):
        if not draft.ending.is_set() and draft.text.startswith(kept.text):
            await _tell_others(draft, len(kept.text))


async def _tell_others(draft: Draft, end: int) -> None:
    if end > draft.kept or "elsewhere" in draft.resets:
        frame = _delta(draft, "elsewhere", draft.kept, end)
        draft.kept = end
        group = sync.group(draft.prepared.conversation_id)
        await get_channel_layer().group_send(group, {**frame, "process": PROCESS})


def _delta(draft: Draft, audience: str, start: int, end: int) -> dict[str, Any]:
    """The text from `start` to `end`. `seq` counts the characters of the reply after it."""
    frame = {
        "type": "delta",
        "reply": str(draft.prepared.reply_id),
        "seq": end,
        "text": draft.text[start:end],
    }
    if audience in draft.resets:
        draft.resets.discard(audience)
        frame["reset"] = True
    return frame


def watch(conversation_id: UUID, push: Watcher) -> dict[str, Any] | None:
    """Push every coming delta of this talk, and give the reply so far: no gap, no repeat (P5)."""
    watchers[conversation_id].add(push)
    return snapshot(conversation_id)


def unwatch(conversation_id: UUID, push: Watcher) -> None:
    watchers[conversation_id].discard(push)
    if not watchers[conversation_id]:
        del watchers[conversation_id]


def snapshot(conversation_id: UUID) -> dict[str, Any] | None:
    """The reply of this talk that is being written here, as far as sockets have been shown it."""
    for draft in reversed(live.values()):
        prepared = draft.prepared
        if prepared.conversation_id == conversation_id:
            text = draft.text[: draft.shown]
            return sync.snapshot(prepared.reply_id, prepared.message_id, text, "streaming")
    return None
