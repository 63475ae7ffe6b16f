"""People who use a talk while everything breaks: random acts by seed, all of them noted."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from tests.faults.history import NOBODY, History, Said
from tests.faults.moods import tale
from tests.faults.programs import WebProgram
from tests.faults.wire import Answer, Wire

TRIES = 12
PAUSE_SECONDS = 0.25
LOST_ACK = 0.2  # how often the answer to a send is not waited for


class Person:
    """One of those who talk. Everything random comes from `dice`."""

    def __init__(
        self, name: str, talk: str, webs: list[WebProgram], token: str, history: History, seed: str
    ) -> None:
        self.name, self.talk, self.webs, self.token = name, talk, webs, token
        self.history = history
        self.dice = random.Random(f"{seed} {name}")
        self.count = 0

    async def live(self, acts: int) -> None:
        deeds: list[tuple[int, Callable[[], Awaitable[None]]]] = [
            (10, self.send),
            (2, self.stop),
            (3, self.regenerate),
            (2, self.go_on),
            (2, self.edit),
            (1, self.edit_reply),
            (1, self.delete),
            (1, self.restore),
            (2, self.choose),
        ]
        weights = [weight for weight, _ in deeds]
        for _ in range(acts):
            await self.dice.choices([deed for _, deed in deeds], weights)[0]()
            await asyncio.sleep(self.dice.random() * PAUSE_SECONDS)

    # --- acts ---------------------------------------------------------------------------------
    async def send(self) -> None:
        """Send as the page does: the same id until somebody answers, on whatever process."""
        self.count += 1
        words = f"{self.name} {self.count}: {''.join(tale(self.dice, 1, 6)).strip()}"
        client_id = str(UUID(int=self.dice.getrandbits(128), version=4))
        said = Said(self.talk, client_id, words)
        self.history.said.append(said)
        patience = self.dice.choice((1, TRIES, TRIES, TRIES))
        for _ in range(patience):
            answer = await self._try(said)
            if said.acked or answer.status == 422:
                return
            await asyncio.sleep(0.05 + self.dice.random() * 0.2)

    async def _try(self, said: Said) -> Answer:
        web = self.dice.choice(self.webs)
        life = (web.name, web.life)
        lost = self.dice.random() * 0.05 if self.dice.random() < LOST_ACK else None
        body = {"client_id": said.client_id, "text": said.text}
        answer = await self._call("POST", "messages", body, web=web, leave_after=lost)
        if answer.status == 202:
            said.acked = True
            if not said.unknown:
                self.history.writers[answer.body["reply"]["id"]] = life
        said.unknown |= answer.unknown
        return answer

    async def stop(self) -> None:
        await self._call("POST", "stop")

    async def regenerate(self) -> None:
        if answers := await self._messages("character"):
            await self._start(f"messages/{answers[-1]['id']}/regenerate")

    async def go_on(self) -> None:
        if answers := await self._messages("character"):
            reply = answers[-1]["chosen_reply_id"]
            self.history.writers[reply] = NOBODY  # from now on there may be two
            await self._call("POST", f"replies/{reply}/continue")

    async def _start(self, path: str) -> None:
        web = self.dice.choice(self.webs)
        life = (web.name, web.life)
        answer = await self._call("POST", path, web=web)
        # Pressed twice is pressed once, so another press may have started it elsewhere.
        if answer.status == 202:
            reply = answer.body["reply"]["id"]
            if self.history.writers.setdefault(reply, life) != life:
                self.history.writers[reply] = NOBODY

    async def edit(self) -> None:
        if said := await self._messages("user"):
            message = self.dice.choice(said)["id"]
            text = f"edited by {self.name} {self.dice.random()}"
            self.history.edits.setdefault(message, set()).add(text)
            await self._call("PATCH", f"messages/{message}", {"text": text})

    async def edit_reply(self) -> None:
        if answers := await self._messages("character"):
            chosen = self.dice.choice(answers)["chosen_reply_id"]
            await self._call("PATCH", f"replies/{chosen}", {"text": f"told anew {self.name}"})

    async def delete(self) -> None:
        if found := await self._messages():
            following = self.dice.choice(("true", "false", "false"))
            message = self.dice.choice(found[-6:])["id"]
            await self._call("DELETE", f"messages/{message}?following={following}")

    async def restore(self) -> None:
        deletes = [a for a in self.history.acts if a.kind.startswith("DELETE") and a.status == 200]
        if deletes:
            message = self.dice.choice(deletes).target.split("/")[1].split("?")[0]
            await self._call("POST", f"messages/{message}/restore")

    async def choose(self) -> None:
        answers = [m for m in await self._messages("character") if len(m["replies"]) > 1]
        if answers:
            version = self.dice.choice(self.dice.choice(answers)["replies"])["id"]
            await self._call("POST", f"replies/{version}/choose")

    # --- how ----------------------------------------------------------------------------------
    async def _messages(self, role: str = "") -> list[dict[str, Any]]:
        answer = await self._call("GET", "messages?limit=50")
        items = answer.body["items"] if answer.status == 200 else []
        return [item for item in items if not role or item["role"] == role]

    async def _call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        web: WebProgram | None = None,
        leave_after: float | None = None,
    ) -> Answer:
        wire = Wire((web or self.dice.choice(self.webs)).port, self.token)
        whole = f"conversations/{self.talk}/{path}"
        answer = await wire.call(method, whole, body, leave_after=leave_after)
        self.history.note(self.name, method, path[-60:], answer.status)
        return answer
