"""The socket of the page of memories: it says that there is something new, and decides nothing."""

from typing import Any

from memories import telling
from reverie.accounts.hop import patient_hop
from reverie.accounts.sockets import PersonConsumer


class MemoriesConsumer(PersonConsumer):
    """`hello` first; then the revision of everything that a person's characters remember."""

    greeted = False

    def watched(self) -> tuple[str, ...]:
        return (telling.group(self.person.pk),)

    async def greet(self, revision: int) -> None:
        self.greeted = True
        await self._say("state")

    async def memories(self, event: dict[str, Any]) -> None:
        if self.greeted:
            await self._say("memories")

    missed = memories

    async def _say(self, kind: str) -> None:
        await self.push(
            {"type": kind, "revision": await patient_hop(telling.revision, self.person)}
        )
