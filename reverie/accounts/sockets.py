"""What every socket does: it knows its person, keeps asking for them, and answers a hello."""

import asyncio
import json
from contextlib import suppress
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from reverie.accounts import presence
from reverie.accounts.hop import patient_hop
from reverie.accounts.models import User

FRAME_LIMIT = 64 * 1024  # bytes of one message from a client (A2)
SIGNED_OUT, NOT_FOUND, TOO_BIG = 4401, 4404, 4413


class PersonConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """A socket of one person. Who inherits says what it watches and how it answers a hello."""

    user: User | None = None
    guard: "asyncio.Task[None] | None" = None

    def watched(self) -> tuple[str, ...]:
        """The groups whose pokes this socket gets."""
        raise NotImplementedError

    def exists(self) -> bool:
        """Whether what it shows is there, and this person's."""
        return True

    async def greet(self, revision: int) -> None:
        """Answer a hello of a client that has this revision."""
        raise NotImplementedError

    async def connect(self) -> None:
        self.turn = asyncio.Lock()  # frames leave in the order in which they were made
        await self.accept()
        self.user = await patient_hop(presence.person, self.scope)
        if self.user is None:
            await self.close(code=SIGNED_OUT)
            return
        if not await patient_hop(self.exists):
            await self.close(code=NOT_FOUND)
            return
        for group in self.watched():
            await self.channel_layer.group_add(group, self.channel_name)
        self.guard = asyncio.create_task(self._keep_checking())

    @property
    def person(self) -> User:
        assert self.user is not None  # a socket without a person was closed
        return self.user

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Whatever ends a socket, an error or a lost process of dispatch, lets go of it (C52)."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self.let_go()

    async def let_go(self) -> None:
        if self.guard:
            self.guard.cancel()
        for group in self.watched() if self.user else ():
            await self.channel_layer.group_discard(group, self.channel_name)

    async def _keep_checking(self) -> None:
        """Close the socket soon after its person signed out or was suspended (A2)."""
        while True:
            await asyncio.sleep(settings.SOCKET_RECHECK_SECONDS)
            if await patient_hop(presence.person, self.scope) is None:
                await self.close(code=SIGNED_OUT)
                return

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.guard is None:
            return
        if len(bytes_data or b"") + len((text_data or "").encode(errors="replace")) > FRAME_LIMIT:
            await self.close(code=TOO_BIG)
            return
        revision = _hello(text_data)
        if revision is None:
            await self.push({"type": "error", "code": "bad_message", "detail": ""})
            return
        await self.greet(revision)

    async def push(self, frame: dict[str, Any]) -> None:
        async with self.turn:
            await self.write(frame)

    async def write(self, frame: dict[str, Any]) -> None:
        """Send a frame; whoever calls has the turn."""
        # Each server has its own error for a socket that closed just now; `disconnect` is coming.
        text = json.dumps(frame, ensure_ascii=False)
        with suppress(Exception):
            await self.send(text_data=text)


def _hello(text: str | None) -> int | None:
    """The revision that a client has, from its hello; None for anything else."""
    try:
        message = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("type") != "hello":
        return None
    revision = message.get("revision", 0)
    known = isinstance(revision, int) and not isinstance(revision, bool) and 0 <= revision < 2**63
    return revision if known else None
