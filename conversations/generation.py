"""A reply is generated here, in an asyncio task of its own, apart from any socket."""

import asyncio
from contextlib import aclosing
from contextvars import Context
from decimal import Decimal
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError, connection

from conversations import drafts, ending, faults, turns
from conversations.drafts import Draft
from conversations.engine.prompt import TooLongError
from conversations.models import Reply
from conversations.turns import Outcome, Prepared
from memories import embedding
from memories.recall import Query
from reverie.accounts.hop import hop, patient_hop
from reverie.providers.base import (
    ChatModel,
    Finished,
    Price,
    ReasoningDelta,
    Request,
    Retracted,
    TextDelta,
    Usage,
)
from reverie.providers.errors import ProviderError
from reverie.text import clean

COMPOSE_SECONDS = 90  # how long a person waits for a drafted line
HANG_UP_SECONDS = 1.0
MOST_TOKENS, MOST_COST = 2**31, 100_000  # beyond these a provider's count is nonsense
CLOSE_PATIENCE_SECONDS = 60  # how long a finished reply waits for the database to come back
log = structlog.get_logger()


_tasks: set[asyncio.Task[None]] = set()
_loop: asyncio.AbstractEventLoop | None = None


def use_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Let replies of this process run on `loop`: the one that serves its sockets."""
    global _loop
    if _loop is not loop:
        _loop = loop
        ending.listen(loop)


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
        if drafts.live.get(reply_id) is draft:
            del drafts.live[reply_id]


def compose(model: ChatModel, request: Request) -> str:
    """Draft a person's next line, for synchronous callers; nothing is stored.

    Raises `ProviderError`.
    """
    if not connection.in_atomic_block:
        connection.close()  # the model may take a minute, and the pool is small
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
        return await patient_hop(turns.prepare, reply_id, await _query(reply_id))
    except (TooLongError, ValidationError) as problem:
        code = "context" if isinstance(problem, TooLongError) else str(problem.code)
        await patient_hop(turns.refuse, reply_id, code)
    except Exception:
        log.exception("a reply could not be prepared", reply=str(reply_id))
        await patient_hop(turns.refuse, reply_id, "internal")
    return None


async def _query(reply_id: UUID) -> Query | None:
    """What memories are searched for; None when nothing is, when it fails, or takes too long: then
    the reply goes on without a search (S8, S30)."""
    try:
        async with asyncio.timeout(settings.RECALL_SECONDS):
            text = await hop(turns.searched_for, reply_id)
            if not text:
                return None
            run = asyncio.get_running_loop().run_in_executor
            return await run(embedding.threads, embedding.query, text)
    except (TimeoutError, ProviderError, DatabaseError) as problem:
        log.warning("a reply goes on without a search", problem=type(problem).__name__)
        return None


async def _outcome(draft: Draft) -> Outcome:
    """Listen to the provider until it ends, fails, or the reply has to end."""
    listening = asyncio.create_task(_listen(draft))
    told_to_end = asyncio.create_task(draft.ending.wait())
    await asyncio.wait(
        {listening, told_to_end},
        return_when=asyncio.FIRST_COMPLETED,
        timeout=settings.REPLY_MAX_SECONDS,
    )
    told_to_end.cancel()
    if not listening.done():
        listening.cancel()
        # The provider's side may hang while it closes; the person does not wait for that (P6).
        await asyncio.wait({listening}, timeout=HANG_UP_SECONDS)
        return _ended(draft, draft.ends_as)
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
    done = status == Reply.Status.DONE
    return Outcome(
        status,
        draft.text,
        draft.reasoning,
        usage=draft.usage,
        cut_by_length=done and draft.reason == "length",
        **error,
    )


async def _listen(draft: Draft) -> None:
    prepared = draft.prepared
    faults.point("generation:before-first-token")
    async with aclosing(prepared.model.stream(prepared.request)) as events:
        async for event in events:
            faults.point("generation:after-first-token")
            match event:
                case TextDelta(text):
                    draft.text += text
                    if len(draft.text) > settings.REPLY_MAX_LENGTH:
                        draft.ending.set()
                case ReasoningDelta(text):
                    draft.reasoning += text
                case Retracted():
                    draft.retract()
                case Usage():
                    draft.usage = believable(event, prepared.model.price)
                case Finished(reason):
                    draft.reason = reason


def believable(usage: Usage, price: Price | None = None) -> dict[str, int | Decimal | None]:
    """What a provider counted, as far as it is a count that can be believed and stored.

    What it costs is worked out from `price` when the provider does not say it.
    """

    def tokens(count: int | None) -> int | None:
        return count if count is not None and 0 <= count < MOST_TOKENS else None

    cost = usage.cost if usage.cost is not None or price is None else price.of(usage)
    return {
        "prompt_tokens": tokens(usage.prompt_tokens),
        "cached_tokens": tokens(usage.cached_tokens),
        "completion_tokens": tokens(usage.completion_tokens),
        "cost": cost if cost is not None and 0 <= cost < MOST_COST else None,
    }


async def _close(draft: Draft, outcome: Outcome) -> None:
    """Store the outcome, waiting for a database that restarts (P9)."""
    prepared = draft.prepared
    for seconds in range(CLOSE_PATIENCE_SECONDS):
        try:
            faults.point("turns.close:before")
            await hop(turns.close, prepared.reply_id, prepared.attempt, outcome)
            faults.point("turns.close:after-commit")
            return
        except (OperationalError, InterfaceError):
            log.warning("reply waits for the database", reply=str(prepared.reply_id))
            await asyncio.sleep(min(1 + seconds / 10, 3))
        except Exception:
            log.exception("an outcome cannot be stored", reply=str(prepared.reply_id))
            failed = Outcome(Reply.Status.FAILED, clean.clean(draft.text), error_code="internal")
            await hop(turns.close, prepared.reply_id, prepared.attempt, failed)
            return
