"""The end of a web process: replies finish, or are kept as far as they came (P20)."""

import asyncio
import os
import signal
import threading
import time
from types import FrameType

from django.conf import settings

from conversations import drafts
from conversations.models import Reply

CLOSE_SECONDS = 5.0  # to write down what is cut off
LEAVE_SECONDS = 2.0  # for the server to end after that

_told = False


def listen(loop: asyncio.AbstractEventLoop) -> None:
    """Let SIGTERM first end what is written here, and then do what the server made it do."""
    if threading.current_thread() is not threading.main_thread():
        return
    server_ends = signal.getsignal(signal.SIGTERM)
    if not callable(server_ends):
        return

    async def leave(number: int, frame: FrameType | None) -> None:
        await finish(settings.FINISH_SECONDS)
        # A thread that waits for the loop would keep the process for ever once the loop is gone.
        threading.Thread(target=_leave_anyway, daemon=True).start()
        server_ends(number, frame)

    def hear(number: int, frame: FrameType | None) -> None:
        global _told
        if _told or loop.is_closed():
            server_ends(number, frame)
            return
        _told = True
        asyncio.run_coroutine_threadsafe(leave(number, frame), loop)

    signal.signal(signal.SIGTERM, hear)


async def finish(seconds: float) -> None:
    """Wait so long for replies to end; what is unfinished then is kept and ends `interrupted`."""
    await _emptied(seconds)
    for draft in list(drafts.live.values()):
        draft.ends_as = Reply.Status.INTERRUPTED
        draft.ending.set()
    await _emptied(CLOSE_SECONDS)


async def _emptied(seconds: float) -> None:
    end = time.monotonic() + seconds
    while drafts.live and time.monotonic() < end:
        await asyncio.sleep(0.02)


def _leave_anyway() -> None:
    time.sleep(LEAVE_SECONDS)
    os._exit(0)
