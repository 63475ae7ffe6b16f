"""The socket of a talk: it pushes what is new and decides nothing."""

from typing import Any
from uuid import UUID

from django.utils import translation

from conversations import drafts, faults, sync
from conversations.models import Conversation
from memories import telling
from reverie.accounts.hop import patient_hop
from reverie.accounts.sockets import NOT_FOUND, PersonConsumer


class ConversationConsumer(PersonConsumer):
    """`hello` first; then state, deltas, changes and pokes. Commands go over HTTP."""

    revision: int | None = None  # what this client has; None before its hello

    @property
    def conversation_id(self) -> UUID:
        found: UUID = self.scope["url_route"]["kwargs"]["pk"]
        return found

    def watched(self) -> tuple[str, ...]:
        return sync.group(self.conversation_id), telling.group(self.person.pk)

    def exists(self) -> bool:
        return Conversation.objects.of(self.person).filter(pk=self.conversation_id).exists()

    async def let_go(self) -> None:
        drafts.unwatch(self.conversation_id, self.push)
        await super().let_go()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        faults.point("sockets.receive:inside")
        await super().receive(text_data, bytes_data)

    async def greet(self, revision: int) -> None:
        state = await patient_hop(self._changes, revision)
        memories = await patient_hop(self._memories)
        if state is None:
            await self.close(code=NOT_FOUND)
            return
        async with self.turn:
            self.revision = state["revision"]
            here = drafts.watch(self.conversation_id, self.push)
            reply = here or state["reply"]
            await self.write({"type": "state", **state, "memories": memories, "reply": reply})

    def _changes(self, after: int) -> dict[str, Any] | None:
        with translation.override(self.person.language or None):
            return sync.changes(self.person, self.conversation_id, after)

    def _memories(self) -> int:
        return sync.memories(self.person, self.conversation_id)

    async def changed(self, event: dict[str, Any]) -> None:
        """Something of this talk has a newer revision: push what is newer than this client has."""
        if self.revision is not None and event["revision"] > self.revision:
            await self._catch_up(self.revision)

    async def memories(self, event: dict[str, Any]) -> None:
        """What is remembered changed: say which revision it has now, for whom this talk is with."""
        if self.revision is not None:
            revision = await patient_hop(self._memories)
            await self.push({"type": "memories", "revision": revision})

    async def missed(self, event: dict[str, Any]) -> None:
        """Pokes of other processes may have been lost with the database: look by ourselves (P9)."""
        if self.revision is not None:
            await self._catch_up(self.revision)
            await self.memories(event)

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
