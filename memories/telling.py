"""The poke that says a person's memories changed; whoever watches asks for what is new."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q, Sum

from characters.models import Bond
from memories.models import MemoryScope
from reverie.accounts import pokes
from reverie.accounts.models import User


def group(owner_id: UUID) -> str:
    """The group of the channel layer that every page of this person is in."""
    return pokes.person_group(owner_id)


def changed(owner_id: UUID) -> None:
    """Poke this person's pages with the current transaction."""
    pokes.poke(group(owner_id), {"type": "memories"})


def revision(user: User, character_ids: Collection[UUID] | None = None) -> int:
    """A number that is another one after every change of what these characters read, or of the
    bonds that say whether they may. None: all of this person's characters."""
    scopes, bonds = MemoryScope.objects.of(user), Bond.objects.of(user)
    if character_ids is not None:
        scopes = scopes.filter(Q(character__in=character_ids) | Q(character=None))
        bonds = bonds.filter(character__in=character_ids)
    changes = scopes.aggregate(sum=Sum("revision"))["sum"] or 0
    written = bonds.values_list("updated_at", flat=True)
    return int(changes + sum(int(at.timestamp() * 1000) for at in written))
