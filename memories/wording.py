"""Lines of the journal in plain words."""

from typing import Any

from django.utils.translation import gettext as _

from memories.engine.decay import DORMANT_AFTER
from memories.models import MemoryChange

By, Kind = MemoryChange.By, MemoryChange.Kind


def said(line: MemoryChange) -> str:
    """What happened, as a sentence. Fetch the line with `undoes` and `scope__character`."""
    before, after = line.before or {}, line.after or {}
    words = {"who": who(line), "text": _text(after or before), "before": _text(before)}
    words["days"] = str(DORMANT_AFTER)
    words["name"] = after.get("from_character", "")
    return _sentence(line, before, after) % words


def who(line: MemoryChange) -> str:
    """Who did it; the character by its name."""
    if line.by == By.CHARACTER and line.scope.character:
        return line.scope.character.called
    names = {
        By.PERSON: _("You"),
        By.CHARACTER: _("The character"),
        By.BACKGROUND: _("Deeper memory"),
        By.STAFF: _("The staff"),
    }
    return names.get(By(line.by), _("Reverie"))


def _sentence(line: MemoryChange, before: dict[str, Any], after: dict[str, Any]) -> str:
    if line.kind == Kind.UNDONE:
        return _undone(before, after)
    if line.kind == Kind.MOVED and after.get("from_character") != before.get("from_character"):
        return _("“%(text)s” became global when %(name)s was deleted.")
    sentences = {
        Kind.ADDED: _("%(who)s saved “%(text)s”."),
        Kind.EDITED: _("%(who)s changed “%(before)s” to “%(text)s”."),
        Kind.DELETED: _("%(who)s deleted “%(text)s”."),
        Kind.PINNED: _("%(who)s pinned “%(text)s”."),
        Kind.UNPINNED: _("%(who)s unpinned “%(text)s”."),
        Kind.MOVED: _("%(who)s made “%(text)s” global."),
        Kind.SLEPT: _("“%(text)s” fell asleep after %(days)s days without mention."),
        Kind.WOKE: _("“%(text)s” woke up when the talk came back to it."),
        Kind.FORGOTTEN: _("%(who)s let go of “%(text)s” to make room."),
    }
    return sentences.get(Kind(line.kind), _("%(who)s changed “%(text)s”."))


def _undone(before: dict[str, Any], after: dict[str, Any]) -> str:
    """An undo, by what it brought about."""
    if not after:
        return _("%(who)s took back “%(text)s”: it is not saved any more.")
    if not before:
        return _("%(who)s brought back “%(text)s”.")
    if before["text"] != after["text"]:
        return _("%(who)s changed “%(before)s” back to “%(text)s”.")
    if before["scope"] != after["scope"]:
        return _("%(who)s moved “%(text)s” back to where it was.")
    if after["strength"] == "pinned":
        return _("%(who)s pinned “%(text)s” again.")
    return _("%(who)s took back a change of “%(text)s”.")


def _text(kept: dict[str, Any]) -> str:
    return str(kept.get("text") or _("(erased)"))
