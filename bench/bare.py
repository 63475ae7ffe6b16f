"""The reference: the least ASGI application that calls a provider, served by daphne too.

A POST asks the provider and says 202; a socket gets every token of an answer as a frame.
"""

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx2

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

PROVIDER = "BENCH_PROVIDER"  # environment: base URL of the provider
ASKED = {"model": "bare", "stream": True, "messages": [{"role": "user", "content": "Hello."}]}
_clients: list[httpx2.AsyncClient] = []


async def application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await _forward(receive, send)
    elif scope["method"] == "POST":
        await receive()
        async for _ in _tokens():
            pass
        await _say(send, 202)
    else:
        await _say(send, 200)


async def _forward(receive: Receive, send: Send) -> None:
    """Answer each message of the socket with the provider's tokens, then with `end`."""
    while (event := await receive())["type"] != "websocket.disconnect":
        if event["type"] == "websocket.connect":
            await send({"type": "websocket.accept"})
            continue
        async for token in _tokens():
            await send({"type": "websocket.send", "text": token})
        await send({"type": "websocket.send", "text": "end"})


async def _tokens() -> AsyncIterator[str]:
    address = f"{os.environ[PROVIDER]}/chat/completions"
    async with _client().stream("POST", address, json=ASKED) as answer:
        async for line in answer.aiter_lines():
            if not line.startswith("data: {"):
                continue
            for choice in json.loads(line[6:])["choices"]:
                if text := choice["delta"].get("content"):
                    yield text


def _client() -> httpx2.AsyncClient:
    if not _clients:
        _clients.append(httpx2.AsyncClient(trust_env=False, timeout=60))
    return _clients[0]


async def _say(send: Send, status: int) -> None:
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": b""})
