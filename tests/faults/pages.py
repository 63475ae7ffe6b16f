"""Open pages: sockets that follow a talk through every fault, and some that stop reading."""

import asyncio
import json
import random
from contextlib import suppress
from typing import Any

import websockets

from tests.faults.history import History, Life, Seen
from tests.faults.programs import WebProgram
from tests.live import Listener

ENDED = ("done", "stopped", "failed", "interrupted")
LINE_LOST = (OSError, TimeoutError, websockets.WebSocketException)


class Page(Listener):
    """A tab: reconnects by itself, asks for what is newer, and notes how each reply ended."""

    def __init__(
        self, talk: str, webs: list[WebProgram], token: str, history: History, seed: str
    ) -> None:
        super().__init__(None)
        self.talk, self.webs, self.token, self.history = talk, webs, token, history
        self.dice = random.Random(seed)
        self.life: Life | None = None
        self.line, self.begun_on = 0, 0  # how often it connected, and when `text` began

    def connect(self, web: WebProgram) -> Any:
        return websockets.connect(
            f"ws://127.0.0.1:{web.port}/ws/conversations/{self.talk}/",
            additional_headers={"Authorization": f"Bearer {self.token}"},
            max_size=None,
            open_timeout=5,
            close_timeout=0.5,
        )

    async def follow(self, ending: asyncio.Event) -> None:
        """Stay with the talk until `ending`, whatever happens to the line."""
        while not ending.is_set():
            with suppress(*LINE_LOST):
                await self._stay(self.dice.choice(self.webs), ending)
            await asyncio.sleep(0.05)

    async def _stay(self, web: WebProgram, ending: asyncio.Event) -> None:
        life = (web.name, web.life)
        leave = asyncio.get_running_loop().time() + 0.2 + self.dice.random() * 4
        async with self.connect(web) as self.wire:
            self.line += 1
            self.life = life if life == (web.name, web.life) else None
            await self.hello()
            gaps = self.gaps
            while not ending.is_set() and asyncio.get_running_loop().time() < leave:
                await self._one(0.2)
                if self.gaps > gaps:
                    await self.hello()
                    gaps = self.gaps

    async def _one(self, seconds: float) -> None:
        try:
            frame = await asyncio.wait_for(self.wire.recv(), seconds)
        except TimeoutError:
            return
        self._take(json.loads(frame))

    def _take(self, frame: Any) -> None:
        begins = frame["type"] == "state" and frame["reply"]
        if begins or (frame["type"] == "delta" and frame["reply"] != self.reply):
            self.begun_on = self.line
        super()._take(frame)
        if frame["type"] in ("state", "changed"):
            for message in frame["messages"]:
                for row in message["replies"]:
                    self._note_end(row)

    def _note_end(self, row: dict[str, Any]) -> None:
        if row["id"] == self.reply and row["status"] in ENDED and not row["edited"]:
            whole = self.gaps == 0 and self.begun_on == self.line
            self.history.seen.append(Seen(row["id"], self.text, row, self.life, whole))

    async def catch_up(self, web: WebProgram) -> dict[str, Any]:
        """What this page shows after one more hello, by message."""
        self.life = None
        async with self.connect(web) as self.wire:
            self.line += 1
            await self.hello()
        return {key: _lasting(row) for key, row in self.messages.items() if not row["deleted"]}


def _lasting(row: dict[str, Any]) -> dict[str, Any]:
    """A message without what changes by itself: how long to wait until a retry."""
    replies = [
        {**reply, "error": reply["error"] and {**reply["error"], "retry_after": None}}
        for reply in row["replies"]
    ]
    return {**row, "replies": replies}


async def stall(page: Page, web: WebProgram, ending: asyncio.Event) -> None:
    """A half-open line: says hello, never reads, and is gone one day without a word."""
    with suppress(*LINE_LOST):
        socket = await page.connect(web)
        await socket.send(json.dumps({"type": "hello", "revision": 0, "reply": None, "seq": 0}))
        socket.transport.pause_reading()
        await ending.wait()
        socket.transport.abort()
