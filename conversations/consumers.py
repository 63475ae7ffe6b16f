"""The socket of a talk: it pushes what is new and decides nothing."""

import asyncio
import json
from contextlib import suppress
from typing import Any
from uuid import UUID

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.utils import translation

from conversations import drafts, faults, sync
from conversations.hop import patient_hop
from conversations.models import Conversation
from reverie.accounts import presence
from reverie.accounts.models import User

FRAME_LIMIT = 64 * 1024  # bytes of one message from a client (A2)
SIGNED_OUT, NOT_FOUND, TOO_BIG = 4401, 4404, 4413


class ConversationConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """`hello` first; then state, deltas and changes. Commands go over HTTP."""

    conversation_id: UUID
    user: User | None = None
    revision: int | None = None  # what this client has; None before its hello
    guard: "asyncio.Task[None] | None" = None

    async def connect(self) -> None:
        self.conversation_id = self.scope["url_route"]["kwargs"]["pk"]
        self.turn = asyncio.Lock()  # frames leave in the order in which they were made
        await self.accept()
        self.user = await patient_hop(presence.person, self.scope)
        if self.user is None:
            await self.close(code=SIGNED_OUT)
            return
        if not await patient_hop(self._exists):
            await self.close(code=NOT_FOUND)
            return
        await self.channel_layer.group_add(sync.group(self.conversation_id), self.channel_name)
        self.guard = asyncio.create_task(self._keep_checking())

    def _exists(self) -> bool:
        assert self.user is not None  # a socket without a person was closed
        return Conversation.objects.of(self.user).filter(pk=self.conversation_id).exists()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Whatever ends a socket, an error or a lost process of dispatch, lets go of it (C52)."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._let_go()

    async def _let_go(self) -> None:
        if self.guard:
            self.guard.cancel()
        drafts.unwatch(self.conversation_id, self.push)
        await self.channel_layer.group_discard(sync.group(self.conversation_id), self.channel_name)

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
        faults.point("sockets.receive:inside")
        if len(bytes_data or b"") + len((text_data or "").encode(errors="replace")) > FRAME_LIMIT:
            await self.close(code=TOO_BIG)
            return
        revision = _hello(text_data)
        if revision is None:
            await self.push({"type": "error", "code": "bad_message", "detail": ""})
            return
        await self._greet(revision)

    async def _greet(self, revision: int) -> None:
        state = await patient_hop(self._changes, revision)
        if state is None:
            await self.close(code=NOT_FOUND)
            return
        async with self.turn:
            self.revision = state["revision"]
            here = drafts.watch(self.conversation_id, self.push)
            await self._write({"type": "state", **state, "reply": here or state["reply"]})

    def _changes(self, after: int) -> dict[str, Any] | None:
        assert self.user is not None  # a socket without a person was closed
        with translation.override(self.user.language or None):
            return sync.changes(self.user, self.conversation_id, after)

    async def changed(self, event: dict[str, Any]) -> None:
        """Something of this talk has a newer revision: push what is newer than this client has."""
        if self.revision is not None and event["revision"] > self.revision:
            await self._catch_up(self.revision)

    async def missed(self, event: dict[str, Any]) -> None:
        """Pokes of other processes may have been lost with the database: look by ourselves (P9)."""
        if self.revision is not None:
            await self._catch_up(self.revision)

    async def _catch_up(self, revision: int) -> None:
        if (rows := await patient_hop(self._changes, revision)) is None:
            await self.close(code=NOT_FOUND)
            return
        self.revision = rows["revision"]
        await self.push({"type": "changed", **rows})

    async def delta(self, event: dict[str, Any]) -> None:
        """Text of a reply that another process writes; our own comes without this way round."""
        if self.revision is not None and event["process"] != drafts.PROCESS:
            await self.push({key: event[key] for key in event if key != "process"})

    async def push(self, frame: dict[str, Any]) -> None:
        async with self.turn:
            await self._write(frame)

    async def _write(self, frame: dict[str, Any]) -> None:
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
