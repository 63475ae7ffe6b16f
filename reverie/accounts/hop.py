"""The way from async code to the database: short hops on a few threads of our own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, close_old_connections

P = ParamSpec("P")
T = TypeVar("T")

TRIES, PAUSE_SECONDS = 120, 0.5  # a database may be away for a minute

# Channels' own thread would make every socket wait for every other one.
threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="hop")


async def hop(act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `act` on a thread with a healthy connection, and leave no idle one behind (C54)."""

    def run() -> T:
        close_old_connections()
        try:
            return act(*args, **kwargs)
        finally:
            close_old_connections()

    return await sync_to_async(run, thread_sensitive=False, executor=threads)()


async def patient_hop(act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """`hop`, waiting for a database that restarts (P9). `act` must be safe to do again."""
    for _ in range(TRIES):
        try:
            return await hop(act, *args, **kwargs)
        except (OperationalError, InterfaceError):
            await asyncio.sleep(PAUSE_SECONDS)
    return await hop(act, *args, **kwargs)
