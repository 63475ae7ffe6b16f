"""The journal read backwards: undoing one change, when nothing came after it (X4)."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from memories import embedding, journal, keeping, queue, telling
from memories.models import Memory, MemoryChange, MemoryScope
from reverie.accounts.models import User

BY_ITSELF = (MemoryChange.Kind.SLEPT, MemoryChange.Kind.WOKE)  # nobody did it
SAID = ("text", "strength", "held", "scope")  # decay goes on meanwhile and is no reason to refuse


@transaction.atomic
def undo(user: User, change_id: UUID) -> Memory | None:
    """Make a memory what it was before this change; None when it did not exist then.

    Raises `DoesNotExist`, and `ValidationError` with code `already_undone`, `changed_since`,
    `erased`, `by_itself`, `already_there` or `character_gone`, and those of limits:
    `ScopeFullError` and `pins_full`.
    """
    line = MemoryChange.objects.of(user).select_related("scope").get(pk=change_id)
    was, now = line.before, line.after
    scopes = _held(user, {kept["scope"] for kept in (was, now) if kept})
    _refuse_useless(line)
    memory = Memory.objects.of(user).filter(pk=line.memory_uid).select_related("scope").first()
    if _said(journal.picture(memory) if memory else None) != _said(now):
        raise ValidationError(
            _("This memory was changed after that, so it cannot be undone."), code="changed_since"
        )
    back = _restored(line.memory_uid, memory, was, scopes)
    subject = back or memory
    assert subject, "a line of the journal has a memory before it, after it, or both"
    journal.note(subject, MemoryChange.Kind.UNDONE, before=now, after=was, undoes=line)
    if back:
        embedding.forget(back)
        queue.embed()
    telling.changed(user.pk)
    return back


def undoable(user: User, lines: Sequence[MemoryChange]) -> set[UUID]:
    """The lines that `undo` would take back now, if there is room. Fetch them with `undone_by`."""
    scopes = set(MemoryScope.objects.of(user).values_list("pk", flat=True))
    found = Memory.objects.of(user).filter(pk__in={line.memory_uid for line in lines})
    now = {memory.pk: _said(journal.picture(memory)) for memory in found}
    return {line.pk for line in lines if _can_go_back(line, now.get(line.memory_uid), scopes)}


def _can_go_back(line: MemoryChange, now: dict[str, Any] | None, scopes: set[int]) -> bool:
    was = line.before
    if hasattr(line, "undone_by") or now != _said(line.after) or line.kind in BY_ITSELF:
        return False
    return not was or (bool(was["text"]) and was["scope"] in scopes)


def _held(user: User, scope_ids: set[int]) -> dict[int, MemoryScope]:
    owned = set(MemoryScope.objects.of(user).filter(pk__in=scope_ids).values_list("pk", flat=True))
    if owned != scope_ids:
        raise ValidationError(
            _("The character that this belonged to is gone."), code="character_gone"
        )
    return {pk: keeping.hold(pk) for pk in sorted(scope_ids)}


def _refuse_useless(line: MemoryChange) -> None:
    if line.kind in BY_ITSELF:
        raise ValidationError(
            _("Sleeping and waking go by what is talked about, and are not undone."),
            code="by_itself",
        )
    if line.before and not line.before["text"]:
        raise ValidationError(
            _("Its text was erased for good, so it cannot come back."), code="erased"
        )
    if MemoryChange.objects.filter(undoes=line).exists():
        raise ValidationError(_("This was undone already."), code="already_undone")


def _said(kept: dict[str, Any] | None) -> dict[str, Any] | None:
    return kept and {name: kept[name] for name in SAID}


def _restored(
    pk: UUID, memory: Memory | None, was: dict[str, Any] | None, scopes: dict[int, MemoryScope]
) -> Memory | None:
    """Put the memory back into its place, within the limits."""
    back = _as_it_was(pk, memory, was, scopes) if was else None
    _recount(memory, back, scopes)
    if back is None:
        Memory.objects.filter(pk=pk).delete()
    else:
        back.save(force_insert=memory is None, force_update=memory is not None)
    return back


def _as_it_was(
    pk: UUID, memory: Memory | None, was: dict[str, Any], scopes: dict[int, MemoryScope]
) -> Memory:
    """The memory of before, but for the days that went by meanwhile. Raises `already_there`."""
    back = journal.memory_of(pk, was)
    back.scope = scopes[back.scope_id]
    if Memory.objects.filter(scope=back.scope, text=back.text).exclude(pk=pk).exists():
        raise keeping.already_there()
    if memory and memory.strength == back.strength:
        for name in ("unused_days", "last_counted_on", "last_matched_at"):
            setattr(back, name, getattr(memory, name))
    return back


def _recount(memory: Memory | None, back: Memory | None, scopes: dict[int, MemoryScope]) -> None:
    """Take the place that is needed first; then give the other one back."""
    places: Counter[tuple[int, str]] = Counter()
    for row, step in ((back, 1), (memory, -1)):
        if row:
            places[row.scope_id, "pinned" if row.pinned else "unpinned"] += step
    for (scope_id, kind), step in sorted(places.items(), key=lambda place: -place[1]):
        keeping.take(scopes[scope_id], **{kind: step})
