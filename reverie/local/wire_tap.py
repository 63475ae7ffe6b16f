"""The two connections of a channel layer: one hears other processes, one speaks to them.

Neither is needed for delivery inside the process; both come back by themselves.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
from django.db import connections

from reverie.local.wire import TOPIC

logger = logging.getLogger(__name__)

NOTIFY = "SELECT count(pg_notify(%s, part)) FROM unnest(%s::text[]) AS part"
_HEARTBEAT_SECONDS = 20.0  # finds a connection that was cut without a word
_BACKOFF_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0)
_FIRST_SECONDS = 2.0
_OUTBOX_PARTS = 2000  # beyond this the oldest are dropped, as layers do

Connection = psycopg.AsyncConnection[Any]


@asynccontextmanager
async def connected() -> AsyncIterator[Connection]:
    """A connection of our own to Django's database."""
    given = connections["default"].get_connection_params()
    for ours_not_theirs in ("cursor_factory", "context"):
        given.pop(ours_not_theirs, None)
    connection = await psycopg.AsyncConnection.connect(**given, autocommit=True)
    try:
        yield connection
    finally:
        await connection.close()


async def hear(
    arrive: Callable[[str], None], ready: asyncio.Event, missed: Callable[[], None]
) -> None:
    """Hand every notification to `arrive`, for ever; `ready` is set while we listen.

    `missed` is called when we listen again: what was said meanwhile is lost.
    """
    heard_before = False

    async def listen(connection: Connection) -> None:
        nonlocal heard_before
        await connection.execute(f"LISTEN {TOPIC}")
        ready.set()
        if heard_before:
            missed()
        heard_before = True
        while True:
            async for notification in connection.notifies(timeout=_HEARTBEAT_SECONDS):
                arrive(notification.payload)
            await connection.execute("SELECT 1")

    await _again_and_again(listen, ready)


class Outbox:
    """What other processes shall hear; whoever speaks never waits for the database."""

    def __init__(self) -> None:
        self._parts: deque[str] = deque(maxlen=_OUTBOX_PARTS)
        self._filled = asyncio.Event()
        self._sent = asyncio.Event()

    def put(self, parts: list[str]) -> None:
        self._parts.extend(parts)
        self._sent.clear()
        self._filled.set()

    async def speak(self) -> None:
        """Send what is put in, in order, for ever."""
        await _again_and_again(self._empty, asyncio.Event())

    async def _empty(self, connection: Connection) -> None:
        while True:
            await self._filled.wait()
            self._filled.clear()
            waiting = list(self._parts)
            self._parts.clear()
            try:
                await connection.execute(NOTIFY, [TOPIC, waiting])
            except psycopg.Error:
                self._put_back(waiting)
                raise
            if not self._parts:
                self._sent.set()

    async def emptied(self) -> None:
        """Wait until everything is sent, or a moment if the database is away."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._sent.wait(), _FIRST_SECONDS)

    def _put_back(self, waiting: list[str]) -> None:
        self._parts = deque([*waiting, *self._parts], maxlen=_OUTBOX_PARTS)
        self._filled.set()


async def _again_and_again(
    work: Callable[[Connection], Awaitable[None]], ready: asyncio.Event
) -> None:
    """Do `work` on a connection; when that is lost, wait a little longer each time and redo it."""
    failures = 0
    while True:
        try:
            async with connected() as connection:
                failures = 0
                await work(connection)
        except (psycopg.Error, OSError) as error:
            if failures == 0:
                logger.warning("channel layer lost the database: %s", type(error).__name__)
        ready.clear()
        await asyncio.sleep(_BACKOFF_SECONDS[min(failures, len(_BACKOFF_SECONDS) - 1)])
        failures += 1
