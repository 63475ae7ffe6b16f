"""A reply is generated here, in an asyncio task of its own, apart from any socket."""

import asyncio
from contextlib import aclosing, suppress
from contextvars import Context
from decimal import Decimal
from typing import Any
from uuid import UUID

import structlog
from django.core.exceptions import ValidationError
from django.db import Error as DatabaseError

from conversations import drafts, turns
from conversations.drafts import Draft
from conversations.engine.prompt import TooLongError
from conversations.hop import hop
from conversations.models import Reply
from conversations.turns import Outcome, Prepared
from reverie.providers.base import (
    ChatModel,
    ReasoningDelta,
    Request,
    Retracted,
    TextDelta,
    Usage,
)
from reverie.providers.errors import ProviderError

COMPOSE_SECONDS = 90  # how long a person waits for a drafted line
CLOSE_PATIENCE_SECONDS = 60  # how long a finished reply waits for the database to come back
log = structlog.get_logger()


_tasks: set[asyncio.Task[None]] = set()
_loop: asyncio.AbstractEventLoop | None = None


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
    if _loop and (draft := drafts.live.get(reply_id)):
        _loop.call_soon_threadsafe(draft.ending.set)


def _spawn(reply_id: UUID) -> None:
    task = asyncio.get_running_loop().create_task(run(reply_id))
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def run(reply_id: UUID) -> None:
    """Generate one reply from claim to close."""
    if (prepared := await _prepared(reply_id)) is None:
        return
    begun = len(prepared.text)
    draft = drafts.live[reply_id] = Draft(prepared, text=prepared.text, shown=begun, kept=begun)
    drafts.beat()
    try:
        outcome = await _outcome(draft)
        await drafts.show(draft)
        await _close(draft, outcome)
    finally:
        drafts.live.pop(reply_id, None)


def compose(model: ChatModel, request: Request) -> str:
    """Draft a person's next line, for synchronous callers; nothing is stored.

    Raises `ProviderError`.
    """
    drafting = _collect(model, request)
    if _loop is None or _loop.is_closed():
        return asyncio.run(drafting)
    waiting = asyncio.run_coroutine_threadsafe(drafting, _loop)
    try:
        return waiting.result(COMPOSE_SECONDS)
    except TimeoutError:
        waiting.cancel()
        raise ProviderError("network") from None


async def _collect(model: ChatModel, request: Request) -> str:
    text = ""
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            match event:
                case TextDelta(more):
                    text += more
                case Retracted():
                    text = ""
    return text.strip()


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
                    draft.retract()
                case Usage():
                    draft.usage = _usage(event)


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
