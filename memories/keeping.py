"""Acts of a person on memories. Each holds its scope's row, is journalled, and tells the pages."""

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from characters.models import Character
from memories import embedding, journal, queue, telling
from memories.engine.limits import candidate
from memories.models import Memory, MemoryChange, MemoryScope, limits
from reverie.accounts.models import User
from reverie.text import clean

Kind, Strength = MemoryChange.Kind, Memory.Strength


class ScopeFullError(ValidationError):
    """A scope has no place; `candidate` could be forgotten for it, if the person says so (D4)."""

    def __init__(self, scope: MemoryScope) -> None:
        self.candidate = forgettable(scope)
        super().__init__(
            _("%(limit)s memories are here already. Delete one, pin one, or make one global."),
            code="scope_full",
            params={"limit": limits().unpinned},
        )


@transaction.atomic
def add(
    user: User,
    text: str,
    *,
    character: Character | None = None,
    pinned: bool = False,
    forget: UUID | None = None,
) -> Memory:
    """Save what a person typed, for this character or for all (R52, R72); it is protected (D5).

    A text that the scope holds already stays one row (D32). Raises `ValidationError` with code
    `empty`, `too_long` or `pins_full`, and `ScopeFullError`; `forget` makes room by letting go of
    the candidate that the error named.
    """
    text = worded(text)
    scope = hold(MemoryScope.objects.within(user, character).pk)
    if same := Memory.objects.filter(scope=scope, text=text).select_related("scope").first():
        return pin(user, same.pk) if pinned else _meant(same)
    if forget and not pinned:
        let_go(scope, forget)
    take(scope, pinned=1) if pinned else take(scope, unpinned=1)
    memory = Memory(
        scope=scope,
        text=text,
        strength=Strength.PINNED if pinned else Strength.PROTECTED,
        last_counted_on=today(),
    )
    memory.save(force_insert=True)
    journal.note(memory, Kind.ADDED, before=None, after=journal.picture(memory))
    queue.embed()
    transaction.on_commit(embedding.warm)
    telling.changed(scope.owner_id)
    return memory


@transaction.atomic
def edit(user: User, memory_id: UUID, text: str, *, seen: datetime | None = None) -> Memory:
    """Change the words of a memory, which protects it (S57, D5).

    `seen` is the `updated_at` that the editor knew. Raises `ValidationError` with code `empty`,
    `too_long`, `already_there` or `changed_elsewhere`.
    """
    memory = held(user, memory_id)
    if seen is not None and _to_millisecond(memory.updated_at) != _to_millisecond(seen):
        raise changed_elsewhere()
    text = worded(text)
    if text == memory.text:
        return memory
    if Memory.objects.filter(scope=memory.scope, text=text).exists():
        raise already_there()
    embedding.forget(memory)
    queue.embed()
    return change(memory, Kind.EDITED, text=text, updated_at=timezone.now(), **_protected(memory))


@transaction.atomic
def delete(user: User, memory_id: UUID) -> MemoryChange:
    """Delete a memory, pinned or not (R88); the journal's line can bring it back."""
    return drop(held(user, memory_id), Kind.DELETED)


@transaction.atomic
def pin(user: User, memory_id: UUID) -> Memory:
    """Let a memory be sent with every reply (R84). Raises `ValidationError` (`pins_full`)."""
    memory = held(user, memory_id)
    if memory.pinned:
        return memory
    take(memory.scope, pinned=1, unpinned=-1)
    return change(memory, Kind.PINNED, strength=Strength.PINNED, unused_days=0, held=False)


@transaction.atomic
def unpin(user: User, memory_id: UUID, *, forget: UUID | None = None) -> Memory:
    """Leave a memory protected, active and counted from today (D5). Raises `ScopeFullError`."""
    memory = held(user, memory_id)
    if not memory.pinned:
        return memory
    if forget:
        let_go(memory.scope, forget)
    take(memory.scope, unpinned=1, pinned=-1)
    fresh = {"unused_days": 0, "last_counted_on": today()}
    return change(memory, Kind.UNPINNED, strength=Strength.PROTECTED, **fresh)


@transaction.atomic
def make_global(user: User, memory_id: UUID) -> Memory:
    """Let every character know it (R53). Raises `ValidationError` with code `pins_full` or
    `already_there`, and `ScopeFullError`."""
    everywhere = MemoryScope.objects.within(user, None)
    # Two scopes are held in the order of their keys, so that no two acts wait for each other.
    found = Memory.objects.of(user).get(pk=memory_id)
    scopes = {everywhere.pk, found.scope_id}
    for scope_id in sorted(scopes):
        hold(scope_id)
    if Memory.objects.of(user).get(pk=memory_id).scope_id not in scopes:
        raise changed_elsewhere()
    memory = held(user, memory_id)
    if memory.scope.is_global:
        return memory
    if Memory.objects.filter(scope=everywhere, text=memory.text).exists():
        raise already_there()
    return move(memory, everywhere)


def move(memory: Memory, scope: MemoryScope) -> Memory:
    """Take a memory's place in another scope of its owner; both are held by the caller."""
    mine = {"pinned": 1} if memory.pinned else {"unpinned": 1}
    take(scope, **mine)
    take(memory.scope, **dict.fromkeys(mine, -1))
    return change(memory, Kind.MOVED, scope=scope, **_protected(memory))


def worded(text: str) -> str:
    """A memory's words as they are stored (D2). Raises `ValidationError` (`empty`, `too_long`)."""
    text, most = clean.clean(text).strip(), limits().length
    if not text:
        raise ValidationError(_("There is nothing to remember."), code="empty")
    if (length := clean.length(text)) > most:
        raise ValidationError(
            _("This has %(length)s characters; a memory has at most %(limit)s."),
            code="too_long",
            params={"length": length, "limit": most},
        )
    return text


def today() -> date:
    """The UTC day (S18)."""
    return timezone.now().astimezone(UTC).date()


def hold(scope_id: int) -> MemoryScope:
    """Lock a scope until the transaction ends, and give it as it is now."""
    return MemoryScope.objects.select_for_update(of=("self",)).get(pk=scope_id)


def held(user: User, memory_id: UUID) -> Memory:
    """A memory of this user, its scope locked. Raises `Memory.DoesNotExist`."""
    scope = hold(MemoryScope.objects.of(user).get(memories=memory_id).pk)
    memory = Memory.objects.of(user).get(pk=memory_id, scope=scope)
    memory.scope = scope
    return memory


def take(scope: MemoryScope, *, unpinned: int = 0, pinned: int = 0) -> None:
    """Change the counts of a scope by at most one each, never past its limits (D3, P17)."""
    most, row = limits(), MemoryScope.objects.filter(pk=scope.pk)
    if pinned > 0:
        row = row.filter(pinned_count__lt=most.pinned)
    elif unpinned > 0:
        row = row.filter(unpinned_count__lt=most.unpinned)
    counts: dict[str, Any] = {"unpinned_count": F("unpinned_count") + unpinned}
    counts |= {"pinned_count": F("pinned_count") + pinned, "revision": F("revision") + 1}
    if not row.update(**counts):
        raise pins_full() if pinned > 0 else ScopeFullError(scope)


def change(memory: Memory, kind: str, **fields: Any) -> Memory:
    """Set `fields`, write the journal's line and tell the pages."""
    before, left = journal.picture(memory), memory.scope
    for name, value in fields.items():
        setattr(memory, name, value)
    memory.save()
    MemoryScope.objects.filter(pk=left.pk).update(revision=F("revision") + 1)
    journal.note(memory, kind, before=before, after=journal.picture(memory))
    telling.changed(memory.scope.owner_id)
    return memory


def drop(memory: Memory, kind: str, **more: Any) -> MemoryChange:
    """Delete a memory, give its place back and write the journal's line."""
    take(memory.scope, **({"pinned": -1} if memory.pinned else {"unpinned": -1}))
    line = journal.note(memory, kind, before=journal.picture(memory), after=None, **more)
    Memory.objects.filter(pk=memory.pk).delete()
    telling.changed(memory.scope.owner_id)
    return line


def forgettable(scope: MemoryScope) -> Memory | None:
    """Whom a full scope would forget; nobody in the global one (S55)."""
    if scope.is_global:
        return None
    rows = {row.pk: row for row in Memory.objects.filter(scope=scope).unpinned()}
    found = candidate(row.note for row in rows.values())
    return rows[found.id] if found else None


def let_go(scope: MemoryScope, memory_id: UUID) -> None:
    """Forget the candidate that a person agreed to, when there is need; another one asks anew."""
    if scope.unpinned_count < limits().unpinned:
        return
    memory = forgettable(scope)
    if memory is None or memory.pk != memory_id:
        raise ScopeFullError(scope)
    memory.scope = scope
    drop(memory, Kind.FORGOTTEN)


def pins_full() -> ValidationError:
    return ValidationError(
        _("%(limit)s memories are pinned here already. Unpin one first."),
        code="pins_full",
        params={"limit": limits().pinned},
    )


def changed_elsewhere() -> ValidationError:
    return ValidationError(
        _("This was changed elsewhere meanwhile. Look at it again; your text is kept here."),
        code="changed_elsewhere",
    )


def _to_millisecond(time: datetime) -> datetime:
    """As JSON carries it."""
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def _meant(memory: Memory) -> Memory:
    """What a person saves that is there already is awake and theirs from now on (D5, D32)."""
    awake = {"unused_days": 0, "last_counted_on": today(), "strength": Strength.PROTECTED}
    settled = all(getattr(memory, name) == value for name, value in awake.items())
    if memory.held or memory.pinned or settled:
        return memory
    return change(memory, Kind.ADDED, **awake)


def already_there() -> ValidationError:
    return ValidationError(_("This is saved here already."), code="already_there")


def _protected(memory: Memory) -> dict[str, str]:
    return {} if memory.pinned else {"strength": Strength.PROTECTED}
