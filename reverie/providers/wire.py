"""A request as a provider wants it, and what we learn from one that wants it otherwise (C27)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from reverie.text.clean import scrub, strip_invalid

from .base import ChatMessage, Request, ToolSpec

MOST_MARKS: Final = 4
"""Cache breakpoints that a provider takes in one request."""

# In the order in which a refusal that names several is read.
_DROPPABLE: Final = {
    "stream_options": r"stream_options|include_usage",
    "prompt_cache_key": r"prompt_cache_key",
    "cache_control": r"cache_control",
    "temperature": r"temperature",
    "tools": r"\btools?\b|tool_choice|function.?call",
    "max_tokens": r"max_(completion_)?tokens",
}
_ROLES: Final = re.compile(
    r"roles? must alternate|alternat\w+ (between )?[\"'`]?user|conversation roles"
    r"|system (message|role|prompt).{0,60}(first|begin|start|support|only)"
    r"|(first|last) message must|consecutive (user|assistant|system)"
    r"|only user and assistant roles|unexpected role|invalid role",
    re.IGNORECASE | re.DOTALL,
)
_NO_SYSTEM: Final = re.compile(r"system.{0,30}(not supported|unsupported)", re.IGNORECASE)


@dataclass(frozen=True)
class Quirks:
    """What one model at one address wants otherwise."""

    dropped: frozenset[str] = frozenset()
    completion_tokens: bool = False
    """The limit is called max_completion_tokens."""
    strict_roles: bool = False
    no_system: bool = False
    thinking: bool = False
    """Answers begin inside the thinking."""


def body(model: str, request: Request, quirks: Quirks, *, marks: bool, key: bool) -> dict[str, Any]:
    """The JSON of a streamed chat completion. `marks`, `key`: the provider takes these hints."""
    marks = marks and "cache_control" not in quirks.dropped
    sent: dict[str, Any] = {
        "model": model,
        "messages": _messages(request.messages, quirks, marks),
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "tools": [_tool(tool) for tool in request.tools] or None,
        "prompt_cache_key": request.cache_key if key and request.cache_key else None,
    }
    kept = {name: value for name, value in sent.items() if value is not None}
    for name in quirks.dropped:
        kept.pop(name, None)
    if quirks.completion_tokens and "max_tokens" in kept:
        kept["max_completion_tokens"] = kept.pop("max_tokens")
    return kept


def learn(quirks: Quirks, refusal: str, sent: dict[str, Any]) -> Quirks | None:
    """Quirks with which a refused request is worth one more try, or None."""
    if _NO_SYSTEM.search(refusal) and not quirks.no_system:
        return replace(quirks, strict_roles=True, no_system=True)
    if _ROLES.search(refusal) and not quirks.strict_roles:
        return replace(quirks, strict_roles=True)
    if "max_completion_tokens" in refusal and "max_tokens" in sent:
        return replace(quirks, completion_tokens=True)
    for name, pattern in _DROPPABLE.items():
        if _is_sent(name, sent) and re.search(pattern, refusal, re.IGNORECASE):
            return replace(quirks, dropped=quirks.dropped | {name})
    return None


def strict_roles(
    messages: Sequence[ChatMessage], *, keep_system: bool = True
) -> tuple[ChatMessage, ...]:
    """The same words for a template that wants one system message, then user and assistant in turn.

    System texts that are not first (none may stay without `keep_system`) go into the next user
    message; neighbours of one role become one; a "…" stands before an assistant who speaks first.
    """
    found: list[ChatMessage] = []
    for message in messages:
        talking = any(earlier.role != "system" for earlier in found)
        role = message.role
        if role == "system" and (talking or not keep_system):
            role = "user"
        if role == "assistant" and not talking:
            found.append(ChatMessage("user", "…"))
        if found and found[-1].role == role:
            found[-1] = _joined(found[-1], message)
        else:
            found.append(replace(message, role=role))
    return tuple(found)


def _joined(first: ChatMessage, second: ChatMessage) -> ChatMessage:
    content = "\n\n".join(text for text in (first.content, second.content) if text)
    return replace(first, content=content, cache_mark=first.cache_mark or second.cache_mark)


def _messages(
    messages: tuple[ChatMessage, ...], quirks: Quirks, marks: bool
) -> list[dict[str, Any]]:
    if quirks.strict_roles:
        messages = strict_roles(messages, keep_system=not quirks.no_system)
    marked = [place for place, message in enumerate(messages) if message.cache_mark]
    ends = set(marked[-MOST_MARKS:]) if marks else set()
    return [_message(message, place in ends) for place, message in enumerate(messages)]


def _message(message: ChatMessage, marked: bool) -> dict[str, Any]:
    text = strip_invalid(message.content)
    if not marked or not text:
        return {"role": message.role, "content": text}
    part = {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
    return {"role": message.role, "content": [part]}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": scrub(function)}


def _is_sent(name: str, sent: dict[str, Any]) -> bool:
    if name == "cache_control":
        return any(isinstance(message["content"], list) for message in sent["messages"])
    return name in sent or (name == "max_tokens" and "max_completion_tokens" in sent)
