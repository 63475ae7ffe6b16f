"""Sockets of a real web process as strangers and browsers open them."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import websockets
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from reverie.accounts.models import User
from tests.live import Web

TRACES = ("Traceback", "level='error'", "Exception")
HELLO = json.dumps({"type": "hello", "revision": 0})


def session_of(user: User) -> str:
    """The cookie of a browser in which this person is signed in."""
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    return f"{settings.SESSION_COOKIE_NAME}={store.session_key}"


@asynccontextmanager
async def socket(web: Web, talk: str, *, path: str = "", **headers: str) -> AsyncIterator[Any]:
    """A socket at a talk; header names are written with underscores."""
    address = f"ws://127.0.0.1:{web.port}{path or f'/ws/conversations/{talk}/'}"
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    async with websockets.connect(address, additional_headers=told, max_size=None) as wire:
        yield wire


async def outcome(web: Web, talk: str, **headers: str) -> int | str:
    """What somebody gets who says hello: a status, a close code, or "state"."""
    try:
        async with socket(web, talk, **headers) as wire:
            await wire.send(HELLO)
            return str(json.loads(await asyncio.wait_for(wire.recv(), 10))["type"])
    except websockets.InvalidStatus as refused:
        return refused.response.status_code
    except websockets.ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else 0


def quiet(web: Web) -> bool:
    """The process logged nothing that looks like a crash."""
    said = web.said()
    assert not [trace for trace in TRACES if trace in said], said[-3000:]
    return web.process.poll() is None


async def close_code(wire: Any) -> int:
    """The code with which it closes; a socket that stays open for 30 seconds fails the test."""
    async with asyncio.timeout(30):
        while True:
            try:
                await wire.recv()
            except websockets.ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else 0
