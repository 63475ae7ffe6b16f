"""The real thing for tests: web processes on the test database, and a client that talks to them."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self
from urllib.parse import quote
from uuid import UUID, uuid4

import websockets
from django.db import connection

from reverie.accounts.models import ApiToken, User

READY_SECONDS = 30


def database_address() -> str:
    """The URL of the database that this test process uses."""
    told = connection.settings_dict
    host, port = quote(str(told["HOST"]), safe=""), told["PORT"]
    login = f"{told['USER']}:{quote(str(told['PASSWORD']), safe='')}"
    return f"postgresql://{login}@{host}:{port}/{quote(str(told['NAME']))}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Process:
    """A process of the product on the test database."""

    def __init__(self, *command: str, **environment: str) -> None:
        told = {**os.environ, "DATABASE_URL": database_address(), **environment}
        self.log = open(os.path.join(told["REVERIE_HOME"], f"{uuid4().hex}.log"), "w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, *command], env=told, stdout=self.log, stderr=self.log
        )

    def kill(self) -> None:
        """End it without a word, as a crash does."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()

    def said(self) -> str:
        self.log.flush()
        self.log.seek(0)
        return self.log.read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.log.close()


class Web(Process):
    """A web process, ready when this returns."""

    def __init__(self, **environment: str) -> None:
        self.port = free_port()
        serve = (
            "-m",
            "daphne",
            "-v",
            "0",
            "-b",
            "127.0.0.1",
            "-p",
            str(self.port),
            "reverie.asgi:application",
        )
        super().__init__(*serve, REVERIE_PROCESS="web", **environment)
        self._await()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _await(self) -> None:
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.address}/healthz", timeout=2).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"the web process did not start:\n{self.said()}")


class Client:
    """A program of one person: bearer token, HTTP for commands, a socket for events."""

    def __init__(self, web: Web, user: User) -> None:
        self.web, self.token = web, ApiToken.issue(user)

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and JSON of a call to the API."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.web.address}/api/v1/{path}", data, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as refused:
            return refused.code, json.loads(refused.read() or b"null")

    def send(self, talk: UUID, text: str, client_id: UUID | None = None) -> tuple[int, Any]:
        body = {"client_id": str(client_id or uuid4()), "text": text}
        return self.call("POST", f"conversations/{talk}/messages", body)

    def reply(self, talk: UUID, reply_id: str) -> Any:
        return self.call("GET", f"conversations/{talk}/replies/{reply_id}")[1]

    def await_end(self, talk: UUID, reply_id: str, seconds: float = 20) -> Any:
        """The reply once it has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            reply = self.reply(talk, reply_id)
            if reply["status"] not in ("queued", "streaming"):
                return reply
            time.sleep(0.05)
        raise AssertionError(f"the reply is still {reply['status']}")

    @asynccontextmanager
    async def socket(self, talk: UUID) -> AsyncIterator["Listener"]:
        address = f"ws://127.0.0.1:{self.web.port}/ws/conversations/{talk}/"
        headers = {"Authorization": f"Bearer {self.token}"}
        async with websockets.connect(address, additional_headers=headers, max_size=None) as wire:
            yield Listener(wire)


class Listener:
    """Follows a talk as a page does: snapshot, deltas, changes; catches up over gaps."""

    def __init__(self, wire: Any) -> None:
        self.wire = wire
        self.revision = 0
        self.messages: dict[str, Any] = {}
        self.reply: str | None = None
        self.text = ""
        self.gaps = 0
        self.frames: list[Any] = []

    async def hello(self, revision: int | None = None) -> Any:
        known = self.revision if revision is None else revision
        hello = {"type": "hello", "revision": known, "reply": self.reply, "seq": len(self.text)}
        await self.wire.send(json.dumps(hello))
        return await self.until(lambda frame: frame["type"] == "state")

    async def next(self, seconds: float = 20) -> Any:
        frame = json.loads(await asyncio.wait_for(self.wire.recv(), seconds))
        self.frames.append(frame)
        self._take(frame)
        return frame

    async def until(self, wanted: Any, seconds: float = 20) -> Any:
        """The next frame that `wanted` says yes to; everything before it is taken in."""
        while True:
            frame = await self.next(seconds)
            if wanted(frame):
                return frame

    async def until_ended(self, seconds: float = 20) -> Any:
        """The newest reply row once no reply is under way."""

        def ended(frame: Any) -> bool:
            return frame["type"] in ("state", "changed") and frame["reply"] is None

        await self.until(ended, seconds)
        return self.newest()

    def newest(self) -> Any:
        last = max(self.messages.values(), key=lambda message: message["position"])
        return next(r for r in last["replies"] if r["id"] == last["chosen_reply_id"])

    def _take(self, frame: Any) -> None:
        if frame["type"] in ("state", "changed"):
            self.revision = max(self.revision, frame["revision"])
            self.messages |= {message["id"]: message for message in frame["messages"]}
        if frame["type"] == "state" and frame["reply"]:
            self.reply, self.text = frame["reply"]["id"], frame["reply"]["text"]
        if frame["type"] == "delta":
            self._append(frame)

    def _append(self, frame: Any) -> None:
        if frame["reply"] != self.reply or frame.get("reset"):
            self.reply, self.text = frame["reply"], ""
        start = frame["seq"] - len(frame["text"])
        if start > len(self.text):
            self.gaps += 1
        self.text += frame["text"][len(self.text) - start :]
