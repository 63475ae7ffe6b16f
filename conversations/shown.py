"""The prompt of a reply, put in words and drawn for people (X1)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from conversations.models import Fold

BAR = 1000  # width of the drawing, in its own units
SHADES = 8  # that the stylesheet knows

SECTIONS: dict[str, Promise] = {
    "character": _("Character and instructions"),
    "persona": _("Your persona"),
    "bond": _("Your relationship"),
    "pins": _("Pinned memories"),
    "memories": _("Active memories"),
    "waiting": _("Older messages that still fit"),
    "live": _("Latest messages, word for word"),
    "saved": _("Memories saved since"),
    "instructions": _("Instructions after the talk"),
    "time": _("The time"),
    "newest": _("Your newest message"),
    "partial": _("The reply so far"),
    "continue": _("The request to go on"),
}
ROLES: dict[str, Promise] = {
    "system": _("Instructions"),
    "user": _("You"),
    "assistant": _("Character"),
}


@dataclass(frozen=True)
class Slice:
    """One section of a prompt, and its place in the bar."""

    name: str
    label: Promise | str
    tokens: int
    pieces: list[dict[str, Any]]
    shade: int
    x: float
    width: float


def prompt(row: dict[str, Any]) -> dict[str, Any]:
    """The row of `sent.prompt_row` with everything that the page says about it."""
    fold = row["fold"]
    return {
        **row,
        "slices": slices(row),
        "room": room(row),
        "fold_reason": fold and Fold.Reason(fold["reason"]).label,
        "fold_time": fold and datetime.fromisoformat(fold["created_at"]),
        "messages": [_piece(message) for message in row["messages"]],
        "left_out": sum(last - first + 1 for first, last in row["skipped"]),
    }


def slices(row: dict[str, Any]) -> list[Slice]:
    """The sections, drawn to the scale of what was sent."""
    scale = BAR / max(sum(section["tokens"] for section in row["sections"]), 1)
    drawn, x = [], 0.0
    for shade, section in enumerate(row["sections"]):
        width = section["tokens"] * scale
        drawn.append(_slice(section, shade % SHADES, x, width))
        x += width
    return drawn


def _slice(section: dict[str, Any], shade: int, x: float, width: float) -> Slice:
    label = SECTIONS.get(section["name"], section["name"])
    pieces = [_piece(piece) for piece in section["pieces"]]
    return Slice(section["name"], label, section["tokens"], pieces, shade, x, width)


def room(row: dict[str, Any]) -> dict[str, float]:
    """What was sent and what is kept for the reply, to the scale of the model's context."""
    scale = BAR / max(row["context_tokens"], row["total_tokens"] + row["reserve_tokens"], 1)
    kept = row["reserve_tokens"] * scale
    return {"sent": row["total_tokens"] * scale, "kept": kept, "kept_from": BAR - kept}


def _piece(piece: dict[str, Any]) -> dict[str, Any]:
    return {**piece, "role_label": ROLES.get(piece["role"], piece["role"])}
