"""The demo: offline, the same answer to the same prompt, and honest that it is no AI."""

import asyncio
import re
from collections.abc import AsyncGenerator
from zlib import crc32

from reverie.text import tokens
from reverie.text.clean import cut

from .base import ChatMessage, Event, Finished, Request, TextDelta, Usage
from .demo_facts import asks_for_memory, facts_in, names_in
from .demo_words import WORDS

LONGEST_QUOTE = 60

_HELLO = re.compile(
    r"\s*(hi|hello|hey|good (morning|evening|afternoon)|greetings)\b"
    r"|\s*(こんにち[はわ]|こんばん[はわ]|おはよう|やあ|はじめまして|ただいま)",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"([?？]|(です|ます|でしょう)か。?)\s*$")
_PIECES = re.compile(r"\s*[^\s\u2e80-\U0003ffff]+|\s*[\u2e80-\U0003ffff]{1,3}|\s+")


class DemoModel:
    """A ChatModel without a model. It answers from what the prompt holds, in its language."""

    name = "demo"
    context_tokens = 32_768
    tokenizer = "o200k"
    is_demo = True
    supports_tools = False
    price = None

    def __init__(self, *, delay_seconds: float = 0.03) -> None:
        """`delay_seconds` between two pieces, so that a newcomer sees a reply being written."""
        self._delay = delay_seconds

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """See ChatModel.stream. Never fails."""
        text = reply_to(request)
        for piece in _PIECES.findall(text):
            yield TextDelta(piece)
            await asyncio.sleep(self._delay)
        yield Usage(
            prompt_tokens=sum(tokens.count(message.content) for message in request.messages),
            cached_tokens=0,
            completion_tokens=tokens.count(text),
        )
        yield Finished("stop")


def reply_to(request: Request) -> str:
    """The whole reply, its label in a paragraph of its own at the end."""
    words = WORDS.get(request.language, WORDS["en"])
    char, user = names_in(request.messages)
    said = _last_said(request.messages)
    known = facts_in(request.messages, request.language)
    new = facts_in([ChatMessage("user", said)], request.language)
    kind = _kind(said, known, new)
    filled = {
        "char": char or words["char"][0],
        "user": user or words["user"][0],
        "said": _quote(said),
        "fact": new[0] if new else "",
        "facts": "\n".join(f"- {fact}" for fact in known),
    }
    lines = words[kind]
    line = lines[crc32(f"{len(request.messages)} {said}".encode(errors="replace")) % len(lines)]
    return f"{line}\n\n{words['label'][0]}".format(**filled)


def _kind(said: str, known: list[str], new: list[str]) -> str:
    if not said:
        return "continue"
    if asks_for_memory(said):
        return "remember" if known else "blank"
    if new:
        return "fact"
    if _HELLO.match(said):
        return "hello"
    return "asked" if _QUESTION.search(said) else "said"


def _last_said(messages: tuple[ChatMessage, ...]) -> str:
    """What the user has just said; empty when the last word was not the user's."""
    talk = [message for message in messages if message.role != "system"]
    return talk[-1].content.strip() if talk and talk[-1].role == "user" else ""


def _quote(said: str) -> str:
    line = " ".join(said.split()).replace("*", "")
    return line if len(line) <= LONGEST_QUOTE else cut(line, LONGEST_QUOTE) + "…"
