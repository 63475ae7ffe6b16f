"""A channel layer on PostgreSQL's LISTEN and NOTIFY: groups, and nothing else.

Membership is in memory. Inside the process a message goes straight to its channels; other
processes get it as notifications. Like every layer it may drop: the database is the truth.
When notifications were lost with a connection, every channel gets `{"type": "missed"}`.
"""

import asyncio
import time
from contextlib import suppress
from typing import ClassVar, NamedTuple
from uuid import uuid4

from asgiref.sync import sync_to_async
from channels.layers import BaseChannelLayer
from django.db import connection, transaction

from reverie.local.wire import TOPIC, Arrived, Assembly, Message, parts
from reverie.local.wire_tap import NOTIFY, Outbox, hear


class _Waiting(NamedTuple):
    since: float
    message: Message


class PostgresLayer(BaseChannelLayer):  # type: ignore[misc]  # channels has no types
    """The layer of one process. It lives in the event loop that first asks it for a channel."""

    extensions: ClassVar = ["groups"]

    def __init__(self, capacity: int = 100, expiry: float = 60) -> None:
        """`capacity` messages wait in a channel; if none was taken in `expiry` s, it is dead."""
        super().__init__(expiry=expiry, capacity=capacity)
        self._own = uuid4().hex
        self._loop: asyncio.AbstractEventLoop | None = None
        self._forget_everything()

    def _forget_everything(self) -> None:
        self._queues: dict[str, asyncio.Queue[_Waiting]] = {}
        self._members: dict[str, set[str]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._outbox = Outbox()
        self._assembly = Assembly(self._own)
        self.listening = asyncio.Event()

    async def new_channel(self, prefix: str = "specific") -> str:
        """A name for a channel that only this process receives from."""
        self._settle()
        return f"{prefix}.{self._own}!{uuid4().hex}"

    async def receive(self, channel: str) -> Message:
        """The next message of a channel; waits for it."""
        self._settle()
        queue = self._queue(channel)
        try:
            return (await queue.get()).message
        finally:
            if queue.empty():
                self._queues.pop(channel, None)

    async def send(self, channel: str, message: Message) -> None:
        """Send to a channel of this process; a full one loses its oldest message."""
        self._put(channel, message)

    async def group_add(self, group: str, channel: str) -> None:
        """Let `channel` receive what is sent to `group`."""
        self.require_valid_group_name(group)
        self._settle()
        self._members.setdefault(group, set()).add(channel)

    async def group_discard(self, group: str, channel: str) -> None:
        """End a membership, if there is one."""
        members = self._members.get(group, set())
        members.discard(channel)
        if not members:
            self._members.pop(group, None)

    async def group_send(self, group: str, message: Message) -> None:
        """Send to every channel of the group, in every process."""
        self.require_valid_group_name(group)
        if new := self._loop is None or self._loop.is_closed():
            self._settle()
        self._deliver_from_any_thread(group, message)
        cut = parts(self._own, group, message)
        if self._settled_here():
            self._outbox.put(cut)
            if new:  # a loop of `async_to_sync` lives for this one call
                await self._outbox.emptied()
        else:
            await sync_to_async(self._notify)(cut)

    def send_with_transaction(self, group: str, message: Message) -> None:
        """Send when the current transaction commits, and never if it does not.

        For synchronous code. The notification is part of the transaction itself.
        """
        self.require_valid_group_name(group)
        self._notify(parts(self._own, group, message))
        transaction.on_commit(lambda: self._deliver_from_any_thread(group, message))

    async def close(self) -> None:
        """Let go of the database and of all channels."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._loop = None
        self._forget_everything()

    def _notify(self, cut: list[str]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(NOTIFY, [TOPIC, cut])

    def _settle(self) -> None:
        """Take this event loop as ours; the members of one that is gone are gone with it."""
        if self._settled_here():
            return
        self._loop = asyncio.get_running_loop()
        self._forget_everything()
        self._tasks = [
            self._loop.create_task(hear(self._arrive, self.listening, self._missed)),
            self._loop.create_task(self._outbox.speak()),
        ]

    def _settled_here(self) -> bool:
        return self._loop is asyncio.get_running_loop()

    def _arrive(self, payload: str) -> None:
        match self._assembly.add(payload):
            case Arrived(group, message):
                self._deliver(group, message)

    def _missed(self) -> None:
        """Notifications of a time without a connection never come: let everybody look (P9, P10)."""
        for group in list(self._members):
            self._deliver(group, {"type": "missed"})

    def _deliver_from_any_thread(self, group: str, message: Message) -> None:
        loop = self._loop
        if loop is None or loop.is_closed():
            return
        try:
            inside = asyncio.get_running_loop() is loop
        except RuntimeError:
            inside = False
        if inside:
            self._deliver(group, message)
        else:
            with suppress(RuntimeError):  # the loop closed just now, and its sockets with it
                loop.call_soon_threadsafe(self._deliver, group, message)

    def _deliver(self, group: str, message: Message) -> None:
        for channel in tuple(self._members.get(group, ())):
            self._put(channel, dict(message))

    def _queue(self, channel: str) -> asyncio.Queue[_Waiting]:
        return self._queues.setdefault(channel, asyncio.Queue(self.capacity))

    def _put(self, channel: str, message: Message) -> None:
        queue, now = self._queue(channel), time.monotonic()
        if queue.full() and now - queue.get_nowait().since > self.expiry:
            self._bury(channel)
            return
        queue.put_nowait(_Waiting(now, message))

    def _bury(self, channel: str) -> None:
        """Forget a channel that nobody has received from for long: its consumer died untidily."""
        self._queues.pop(channel, None)
        for group in list(self._members):
            members = self._members[group]
            members.discard(channel)
            if not members:
                del self._members[group]
