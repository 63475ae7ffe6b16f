"""Reads an answer as server-sent events, or as the one JSON body that some servers send instead."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from .errors import ProviderError

MOST_BYTES = 16 * 1024 * 1024
GRACE_SECONDS = 2.0

Payload = dict[str, Any]


async def payloads(chunks: AsyncIterator[bytes]) -> AsyncGenerator[Payload, None]:
    """The JSON objects of an answer, up to [DONE].

    Raises ProviderError bad_response for what is no JSON object, network for a line cut short.
    """
    reader, received, buffer = _Reader(), 0, b""
    async for chunk in chunks:
        received += len(chunk)
        if received > MOST_BYTES:
            raise ProviderError("bad_response", "the answer is endless")
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            if payload := reader.read(line):
                yield payload
        if reader.done:
            await _drain(chunks)
            return
    if payload := reader.finish(buffer):
        yield payload


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read to the end, so that the connection can be used again, but not for long."""
    try:
        async with asyncio.timeout(GRACE_SECONDS):
            async for _ in chunks:
                pass
    except TimeoutError:
        pass


class _Reader:
    """Line by line. A data line that is whole JSON counts, with a blank line after it or not."""

    def __init__(self) -> None:
        self.done = False
        self._event = ""
        self._data: list[str] = []
        self._stray: list[str] = []
        self._read_any = False

    def read(self, line: bytes) -> Payload | None:
        text = line.decode("utf-8", "replace").removesuffix("\r")
        field, _, value = text.partition(":")
        if self.done or not text:
            self._end_of_event()
        elif field == "data":
            return self._take(value.removeprefix(" "))
        elif field == "event":
            self._event = value.strip()
        elif field not in ("", "id", "retry"):
            self._stray.append(text)
        return None

    def finish(self, rest: bytes) -> Payload | None:
        """The last line without its end, or the whole body when it was no event stream."""
        payload = self.read(rest) if rest else None
        if payload or self._read_any or self.done:
            if self._data:
                raise ProviderError("network", "the answer was cut short")
            return payload
        body = "\n".join(self._stray or self._data).strip()
        return _object(body) if body else None

    def _take(self, value: str) -> Payload | None:
        if value.strip() == "[DONE]":
            self.done = True
            return None
        self._data.append(value)
        try:
            found = json.loads("\n".join(self._data))
        except ValueError:
            return None
        event, self._event, self._data, self._read_any = self._event, "", [], True
        if not isinstance(found, dict):
            raise ProviderError("bad_response", f"no JSON object: {value}")
        return {"error": found} if event == "error" and "error" not in found else found

    def _end_of_event(self) -> None:
        if any(value.strip() for value in self._data):
            raise ProviderError("bad_response", "no JSON: " + "\n".join(self._data))
        self._data, self._event = [], ""


def _object(body: str) -> Payload:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProviderError("bad_response", body) from error
    if not isinstance(found, dict):
        raise ProviderError("bad_response", body)
    return found
