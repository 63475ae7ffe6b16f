"""A reply is generated here, in an asyncio task of its own, apart from any socket."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from contextvars import Context
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import structlog
from channels.layers import get_channel_layer
from django.core.exceptions import ValidationError
from django.db import Error as DatabaseError

from conversations import leases, sync, turns
from conversations.engine.prompt import TooLongError
from conversations.hop import hop
from conversations.models import Reply
from conversations.turns import Outcome, Prepared
from reverie.providers.base import ReasoningDelta, Retracted, TextDelta, Usage
from reverie.providers.errors import ProviderError

PROCESS = uuid4().hex
FRAME_SECONDS = 0.05  # at most 20 frames a second to a socket
FRAMES_PER_CHECKPOINT = 5  # so every 250 ms
CLOSE_PATIENCE_SECONDS = 60  # how long a finished reply waits for the database to come back
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
    ending: asyncio.Event = field(default_factory=asyncio.Event)


live: dict[UUID, Draft] = {}
watchers: dict[UUID, set[Watcher]] = defaultdict(set)
_tasks: set[asyncio.Task[None]] = set()
_loop: asyncio.AbstractEventLoop | None = None
_pulse: asyncio.Task[None] | None = None


def use_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Let replies of this process run on `loop`: the one that serves its sockets."""
    global _loop
    _loop = loop


def start(reply_id: UUID) -> None:
    """Generate a queued reply. Without a loop it stays queued until the sweep ends it."""
    if _loop and not _loop.is_closed():
        # In a context of its own: the request that asks for it ends long before the reply does.
        _loop.call_soon_threadsafe(_spawn, reply_id, context=Context())


def stop(reply_id: UUID) -> None:
    """End a reply at once if it is written here; elsewhere the next checkpoint ends it."""
    if _loop and (draft := live.get(reply_id)):
        _loop.call_soon_threadsafe(draft.ending.set)


def _spawn(reply_id: UUID) -> None:
    task = asyncio.get_running_loop().create_task(run(reply_id))
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def run(reply_id: UUID) -> None:
    """Generate one reply from claim to close."""
    if (prepared := await _prepared(reply_id)) is None:
        return
    draft = live[reply_id] = Draft(prepared)
    _beat()
    try:
        outcome = await _outcome(draft)
        await _show(draft)
        await _close(draft, outcome)
    finally:
        live.pop(reply_id, None)


async def _prepared(reply_id: UUID) -> Prepared | None:
    """The claimed reply; None when it is another's, or when it failed before anything was sent."""
    try:
        return await hop(turns.prepare, reply_id)
    except (TooLongError, ValidationError) as problem:
        code = "context" if isinstance(problem, TooLongError) else str(problem.code)
        await hop(turns.refuse, reply_id, code)
    except Exception:
        log.exception("a reply could not be prepared", reply=str(reply_id))
        await hop(turns.refuse, reply_id, "internal")
    return None


async def _outcome(draft: Draft) -> Outcome:
    """Listen to the provider until it ends, fails, or the reply has to end."""
    listening = asyncio.create_task(_listen(draft))
    ending = asyncio.create_task(draft.ending.wait())
    await asyncio.wait({listening, ending}, return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if not listening.done():
        listening.cancel()
        with suppress(asyncio.CancelledError, ProviderError):
            await listening
        return _ended(draft, Reply.Status.STOPPED)
    return _heard(draft, listening)


def _heard(draft: Draft, listening: "asyncio.Task[None]") -> Outcome:
    problem = listening.exception()
    if problem is None:
        return _ended(draft, Reply.Status.DONE)
    if not isinstance(problem, ProviderError):
        log.error("generation failed", reply=str(draft.prepared.reply_id), exc_info=problem)
        problem = ProviderError("bad_response", detail=type(problem).__name__)
    return _ended(
        draft,
        Reply.Status.FAILED,
        error_code=problem.code,
        error_detail=problem.detail,
        retry_after=problem.retry_after,
    )


def _ended(draft: Draft, status: Reply.Status, **error: Any) -> Outcome:
    return Outcome(status, draft.text, draft.reasoning, usage=draft.usage, **error)


async def _listen(draft: Draft) -> None:
    prepared = draft.prepared
    async with aclosing(prepared.model.stream(prepared.request)) as events:
        async for event in events:
            match event:
                case TextDelta(text):
                    draft.text += text
                case ReasoningDelta(text):
                    draft.reasoning += text
                case Retracted():
                    _retract(draft)
                case Usage():
                    draft.usage = _usage(event)


def _retract(draft: Draft) -> None:
    """What looked like text was reasoning: it is no part of the reply (D21)."""
    draft.reasoning, draft.text = draft.text + draft.reasoning, ""
    draft.shown = draft.kept = 0
    draft.resets = {"here", "elsewhere"}


def _usage(usage: Usage) -> dict[str, int | Decimal | None]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "cached_tokens": usage.cached_tokens,
        "completion_tokens": usage.completion_tokens,
        "cost": usage.cost,
    }


async def _close(draft: Draft, outcome: Outcome) -> None:
    """Store the outcome, waiting for a database that restarts (P9)."""
    prepared = draft.prepared
    for seconds in range(CLOSE_PATIENCE_SECONDS):
        try:
            await hop(turns.close, prepared.reply_id, prepared.attempt, outcome)
            return
        except DatabaseError:
            log.warning("reply waits for the database", reply=str(prepared.reply_id))
            await asyncio.sleep(min(1 + seconds / 10, 3))


def _beat() -> None:
    """One pulse serves all replies of this process, while there are any."""
    global _pulse
    if _pulse is None or _pulse.done():
        _pulse = asyncio.create_task(_pulses())


async def _pulses() -> None:
    """Show what is new every frame, and keep it every few frames."""
    count = 0
    while live:
        await asyncio.sleep(FRAME_SECONDS)
        count += 1
        try:
            await _pulse_once(keep=count % FRAMES_PER_CHECKPOINT == 0)
        except Exception:
            # A pulse that stops would let every lease of this process run out.
            log.exception("a pulse failed")


async def _pulse_once(*, keep: bool) -> None:
    drafts = list(live.values())
    for draft in drafts:
        await _show(draft)
    if keep:
        await _keep(drafts)


async def _show(draft: Draft) -> None:
    """Push what is new to the sockets of this process."""
    if len(draft.text) > draft.shown or "here" in draft.resets:
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
    for draft, kept in zip(drafts, texts, strict=True):
        if draft.prepared.reply_id in ending:
            draft.ending.set()
        elif draft.text.startswith(kept.text):
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
    for draft in live.values():
        prepared = draft.prepared
        if prepared.conversation_id == conversation_id:
            text = draft.text[: draft.shown]
            return sync.snapshot(prepared.reply_id, prepared.message_id, text, "streaming")
    return None
