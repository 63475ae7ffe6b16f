"""The prompt of a reply, put in words and drawn for people (X1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from conversations.budgeting import Estimate
from conversations.models import Fold

BAR = 1000  # width of the drawing, in its own units


@dataclass(frozen=True)
class Look:
    """How one part of a prompt is called, and its shade and grain in every drawing."""

    label: Promise | str
    shade: int = 3
    grain: str = ""


LOOKS = {
    "character": Look(_("Character and instructions"), 0),
    "persona": Look(_("Your persona"), 1),
    "bond": Look(_("Your relationship"), 2),
    "pins": Look(_("Pinned memories"), 5),
    "memories": Look(_("Active memories"), 6),
    "waiting": Look(_("Older messages that still fit"), 4, "dashes"),
    "live": Look(_("Latest messages, word for word"), 4),
    "saved": Look(_("Memories saved since"), 6, "bars"),
    "recalled": Look(_("Memories that your message touched"), 6, "dashes"),
    "instructions": Look(_("Instructions after the talk"), 0, "bars"),
    "time": Look(_("The time"), 3),
    "newest": Look(_("Your newest message"), 7),
    "partial": Look(_("The reply so far"), 2, "bars"),
    "continue": Look(_("The request to go on"), 1, "bars"),
}
BUDGET = {
    "character": Look(_("Character"), 0),
    "memories": Look(_("Memories"), 6),
    "talk": Look(_("Messages"), 4),
}
ROLES: dict[str, Promise] = {
    "system": _("Instructions"),
    "user": _("You"),
    "assistant": _("Character"),
}
WHY: dict[str, Promise] = {
    "pinned": _("pinned: always sent"),
    "active": _("active"),
    "saved": _("saved after the beginning was laid"),
    "recalled": _("touched by your message"),
}
NOW: dict[str, Promise] = {"changed": _("changed since"), "deleted": _("deleted since")}


@dataclass(frozen=True)
class Slice:
    """One part of a prompt, and its place in the bar."""

    look: Look
    tokens: int
    x: float
    width: float
    pieces: Sequence[dict[str, Any]] = ()


def prompt(row: dict[str, Any]) -> dict[str, Any]:
    """The row of `sent.prompt_row` with everything that the page says about it."""
    fold = row["fold"]
    return {
        **row,
        "slices": slices(row),
        "room": room(row["total_tokens"], row["reserve_tokens"], row["context_tokens"]),
        "fold_reason": fold and Fold.Reason(fold["reason"]).label,
        "fold_time": fold and datetime.fromisoformat(fold["created_at"]),
        "memories": [_memory(memory) for memory in row["memories"]],
        # Pins are never searched: with them alone there was nothing to search.
        "missed": not row["searched"] and any(m["why"] != "pinned" for m in row["memories"]),
        "messages": [_piece(message) for message in row["messages"]],
        "skipped_messages": sum(last - first + 1 for first, last in row["skipped"]),
        "cached_percent": _percent(row["usage"]),
    }


def slices(row: dict[str, Any]) -> list[Slice]:
    """The sections, drawn to the scale of what was sent."""
    sections = row["sections"]
    scale = BAR / max(sum(section["tokens"] for section in sections), 1)
    looks = [LOOKS.get(section["name"], Look(section["name"])) for section in sections]
    texts = [[_piece(piece) for piece in section["pieces"]] for section in sections]
    tokens = [section["tokens"] for section in sections]
    return list(_drawn(zip(looks, tokens, texts, strict=True), scale))


def budget(estimate: Estimate) -> dict[str, Any]:
    """The parts of the next prompt, drawn to the scale of the model's context."""
    whole = max(estimate.context, estimate.used + estimate.reserve, 1)
    parts = [(BUDGET[name], tokens, ()) for name, tokens in estimate.parts.items()]
    return {
        "estimate": estimate,
        "slices": list(_drawn(parts, BAR / whole)),
        "room": room(estimate.used, estimate.reserve, estimate.context),
    }


def _drawn(
    parts: Iterable[tuple[Look, int, Sequence[dict[str, Any]]]], scale: float
) -> Iterable[Slice]:
    x = 0.0
    for look, tokens, pieces in parts:
        yield Slice(look, tokens, x, tokens * scale, pieces)
        x += tokens * scale


def room(sent: int, reserve: int, context: int) -> dict[str, float]:
    """What is sent and what is kept for the reply, to the scale of the model's context."""
    scale = BAR / max(context, sent + reserve, 1)
    return {"sent": sent * scale, "kept": reserve * scale, "kept_from": BAR - reserve * scale}


def _memory(memory: dict[str, Any]) -> dict[str, Any]:
    why = _("woke up: your message touched it") if memory["woke"] else WHY[memory["why"]]
    words = {"why_label": why, "now_label": NOW.get(memory["now"], "")}
    return {**memory, **words, "mark": "pinned" if memory["why"] == "pinned" else "active"}


def _percent(usage: dict[str, Any]) -> int | None:
    """The share of what was sent that the provider had in its cache."""
    sent, cached = usage["prompt_tokens"], usage["cached_tokens"]
    return int(100 * cached / sent + 0.5) if sent and cached is not None else None


def _piece(piece: dict[str, Any]) -> dict[str, Any]:
    return {**piece, "role_label": ROLES.get(piece["role"], piece["role"])}
