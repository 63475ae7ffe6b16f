"""Tries a model out: does it list itself, does it answer, does it call a tool, and how quickly."""

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from .base import ChatMessage, Finished, Request, TextDelta, ToolCall, ToolSpec
from .compatible import CompatibleModel
from .errors import ProviderError
from .listing import LISTING_SECONDS, Listed

PROBE_SECONDS = 20.0
TALK = Request((ChatMessage("user", "Answer with one short sentence: how are you?"),))
TOOL = ToolSpec(
    "note_down",
    "Writes a short text down.",
    {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
)
CALL = Request(
    (ChatMessage("user", "Call the tool note_down with the text: Mochi is a cat."),), (TOOL,)
)

Tools = Literal["called", "silent", "refused", "unknown"]


@dataclass(frozen=True)
class Findings:
    """What came of it. Times are in seconds from the call on."""

    listed: tuple[Listed, ...] | ProviderError
    failed: ProviderError | None = None
    """Why no whole answer came."""
    first_word: float | None = None
    pieces: int = 0
    tools: Tools = "unknown"


async def probe(model: CompatibleModel, seconds: float = PROBE_SECONDS) -> Findings:
    """Two short calls to the model, and one for the endpoint's list; done within `seconds`."""
    end = time.monotonic() + seconds
    try:
        found = await _listed(model, min(LISTING_SECONDS, seconds / 2))
        talked = await _talk(model, end - time.monotonic())
        if isinstance(talked, ProviderError):
            return Findings(found, talked)
        first_word, pieces = talked
        tools = await _tools(model, end - time.monotonic())
        return Findings(found, None, first_word, pieces, tools)
    finally:
        await model.aclose()


async def _listed(model: CompatibleModel, seconds: float) -> tuple[Listed, ...] | ProviderError:
    try:
        async with asyncio.timeout(seconds):
            return tuple(await model.listed())
    except TimeoutError:
        return ProviderError("network", "the list of models did not come in time")
    except ProviderError as error:
        return error


async def _talk(model: CompatibleModel, seconds: float) -> tuple[float, int] | ProviderError:
    """Seconds to the first word and the number of pieces; or why there was no whole answer."""
    began, first, pieces = time.monotonic(), 0.0, 0
    try:
        async with asyncio.timeout(seconds), aclosing(model.stream(TALK)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    first = first or time.monotonic() - began
                    pieces += 1
    except TimeoutError:
        if pieces:  # a long answer is an answer
            return first, pieces
        return ProviderError("network", f"no word within {PROBE_SECONDS:.0f} seconds")
    except ProviderError as error:
        return error
    return first, pieces


async def _tools(model: CompatibleModel, seconds: float) -> Tools:
    """A provider that refuses tools by name is asked without them, which its quirks then tell."""
    called = finished = False
    try:
        async with asyncio.timeout(max(seconds, 0)), aclosing(model.stream(CALL)) as events:
            async for event in events:
                called = called or (isinstance(event, ToolCall) and bool(event.arguments))
                finished = finished or isinstance(event, Finished)
    except TimeoutError:
        return "unknown"
    except ProviderError as error:
        return "refused" if error.status in (400, 404, 422, 501) else "unknown"
    if called:
        return "called"
    return "silent" if model.supports_tools else "refused"
