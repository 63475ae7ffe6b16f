"""The poke that says a person's memories changed; whoever watches asks for what is new."""

from uuid import UUID

from django.db.models import Sum

from memories.models import MemoryScopeQuerySet
from reverie.accounts.pokes import poke


def group(owner_id: UUID) -> str:
    """The group of the channel layer that every page of this person is in."""
    return f"memories.{owner_id.hex}"


def changed(owner_id: UUID) -> None:
    """Poke this person's pages with the current transaction."""
    poke(group(owner_id), {"type": "memories"})


def revision(scopes: MemoryScopeQuerySet) -> int:
    """A number that grows with every change in these scopes."""
    return scopes.aggregate(sum=Sum("revision"))["sum"] or 0
