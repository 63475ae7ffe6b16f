"""Deleting a character, which moves what it remembered to global (R62, D12)."""

from django.db import transaction
from django.db.models import F

from characters import keeping as characters
from characters.models import Character
from memories import journal, telling
from memories.keeping import hold
from memories.models import Memory, MemoryChange, MemoryScope
from reverie.accounts.models import User


@transaction.atomic
def delete_character(character: Character) -> int:
    """Delete a character; how many of its memories are global now, past the limits if need be."""
    owner = character.owner
    Character.objects.select_for_update().get(pk=character.pk)  # nothing new begins with it now
    own = MemoryScope.objects.of(owner).filter(character=character).first()
    moved = _moved(owner, character.called, own) if own else 0
    characters.delete_character(character)
    return moved


def _moved(owner: User, name: str, own: MemoryScope) -> int:
    everywhere = MemoryScope.objects.within(owner, None)
    scopes = {pk: hold(pk) for pk in sorted((own.pk, everywhere.pk))}
    own, everywhere = scopes[own.pk], scopes[everywhere.pk]
    memories = list(Memory.objects.filter(scope=own).select_for_update(of=("self",)))
    lines = [_relabelled(memory, name, everywhere) for memory in memories]
    Memory.objects.bulk_update(memories, ["scope", "from_character"])
    MemoryChange.objects.filter(scope=own).update(scope=everywhere)
    MemoryChange.objects.bulk_create(lines)
    MemoryScope.objects.filter(pk=everywhere.pk).update(
        unpinned_count=F("unpinned_count") + own.unpinned_count,
        pinned_count=F("pinned_count") + own.pinned_count,
        revision=F("revision") + own.revision + 1,  # a sum over all scopes still grows
    )
    own.delete()
    telling.changed(owner.pk)
    return len(memories)


def _relabelled(memory: Memory, name: str, everywhere: MemoryScope) -> MemoryChange:
    """Move one memory in place, and the line of the journal that says so."""
    before = journal.picture(memory)
    memory.scope, memory.from_character = everywhere, name
    return journal.line(
        memory, MemoryChange.Kind.MOVED, before=before, after=journal.picture(memory)
    )
