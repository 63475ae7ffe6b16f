"""What a streamed token costs the web process, with many replies at once and a socket on each."""

import asyncio
from collections.abc import AsyncIterator

import websockets

from bench import stage
from bench.figures import Figure
from conversations.models import Conversation
from tests.live import Client
from tests.scripted import Script, ScriptedProvider

STREAMS, TOKENS, PER_SECOND = 20, 300, 50
PATIENCE_SECONDS = 60
WORDS = ["Well", *(f" word{number}" for number in range(1, TOKENS))]


def measure() -> list[Figure]:
    if not stage.COUNTS_PROCESSOR:
        print("streaming is measured on Linux only")
        return []
    person, talks = stage.talks(STREAMS)
    with ScriptedProvider(responder=lambda _: _script()) as provider:
        with stage.web(provider) as web:
            ours, frames = asyncio.run(_follow(Client(web, person), talks))
        with stage.Bare(provider) as bare:
            least = asyncio.run(_follow_bare(bare))
    return [
        Figure(
            "processor per token",
            _per_token(ours),
            "µs",
            f"{STREAMS} replies of {TOKENS} tokens at {PER_SECOND}/s, turns and sockets included; "
            "reference: passes tokens on",
            _per_token(least),
        ),
        Figure(
            "frames per reply",
            frames / STREAMS,
            "",
            "what a socket gets of one reply; reference: a frame a token",
            TOKENS,
        ),
    ]


def _script() -> Script:
    return Script(text=WORDS, delay=1 / PER_SECOND)


def _per_token(seconds: float) -> float:
    return seconds * 1e6 / (STREAMS * TOKENS)


async def _follow(client: Client, talks: list[Conversation]) -> tuple[float, int]:
    """Processor seconds of the web process for a turn in each talk, and frames that sockets got."""
    await _talk(client, talks[0])  # warm-up
    pid = client.web.process.pid
    before = stage.processor_seconds(pid)
    frames = await asyncio.gather(*(_talk(client, talk) for talk in talks))
    return stage.processor_seconds(pid) - before, sum(frames)


async def _talk(client: Client, talk: Conversation) -> int:
    async with client.socket(talk.pk) as listener:
        await listener.hello()
        await asyncio.to_thread(client.send, talk.pk, "Tell me a story.")
        # Its end comes as a change that has no reply under way; the first change opens the turn.
        await listener.until(lambda frame: frame["type"] == "delta", PATIENCE_SECONDS)
        reply = await listener.until_ended(PATIENCE_SECONDS)
    if reply["text"] != "".join(WORDS):
        raise RuntimeError(f"the reply is {reply['status']} and not whole")
    return sum(frame["type"] == "delta" for frame in listener.frames)


async def _follow_bare(bare: stage.Bare) -> float:
    await _listen(bare)  # warm-up
    before = stage.processor_seconds(bare.process.pid)
    await asyncio.gather(*(_listen(bare) for _ in range(STREAMS)))
    return stage.processor_seconds(bare.process.pid) - before


async def _listen(bare: stage.Bare) -> None:
    async with websockets.connect(f"ws://127.0.0.1:{bare.port}/") as wire:
        await wire.send("begin")
        async with asyncio.timeout(PATIENCE_SECONDS):
            heard = [frame async for frame in _until_end(wire)]
    if len(heard) != TOKENS:
        raise RuntimeError(f"the bare reference passed on {len(heard)} tokens of {TOKENS}")


async def _until_end(wire: websockets.ClientConnection) -> AsyncIterator[str]:
    while (frame := str(await wire.recv())) != "end":
        yield frame
