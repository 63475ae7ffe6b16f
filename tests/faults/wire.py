"""HTTP as a faulty network gives it: calls whose answer is lost, and calls that are answered."""

import asyncio
import json
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

PATIENCE_SECONDS = 15.0


@dataclass(frozen=True)
class Answer:
    """Status and JSON; status 0 when nobody knows what became of the call."""

    status: int
    body: Any = None

    @property
    def unknown(self) -> bool:
        """Whether the act may or may not have happened."""
        return self.status == 0 or self.status >= 500


@dataclass(frozen=True)
class Wire:
    """The way of one person's program to one web process."""

    port: int
    token: str

    def now(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of a call that has to succeed. Blocks."""
        data = None if body is None else json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}"
        request = urllib.request.Request(url, data, self._headers(), method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{path}: {refused.code} {refused.read()!r}") from None

    async def call(
        self, method: str, path: str, body: Any = None, *, leave_after: float | None = None
    ) -> Answer:
        """The answer of a call; with `leave_after` the line is cut so many seconds after it."""
        writer: asyncio.StreamWriter | None = None
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write(self._request(method, path, body))
            await writer.drain()
            if leave_after is not None:
                await asyncio.sleep(leave_after)
                return Answer(0)
            return _parsed(await asyncio.wait_for(reader.read(), PATIENCE_SECONDS))
        except (OSError, TimeoutError, ValueError, IndexError):
            return Answer(0)
        finally:
            if writer:
                with suppress(Exception):
                    writer.transport.abort()

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}

    def _request(self, method: str, path: str, body: Any) -> bytes:
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} /api/v1/{path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        lines += [f"{name}: {value}" for name, value in self._headers().items()]
        lines += [f"Content-Length: {len(data)}", "Connection: close", "", ""]
        return "\r\n".join(lines).encode() + data


def _parsed(raw: bytes) -> Answer:
    """Raises ValueError or IndexError for an answer that was cut."""
    head, _, body = raw.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    if b"chunked" in head.lower():
        body = _unchunked(body)
    return Answer(status, json.loads(body or b"null") if status < 500 else None)


def _unchunked(body: bytes) -> bytes:
    found = b""
    while True:
        size, _, body = body.partition(b"\r\n")
        if int(size, 16) == 0:
            return found
        found, body = found + body[: int(size, 16)], body[int(size, 16) + 2 :]
