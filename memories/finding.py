"""Finding memories: by scope, by state, and by words."""

from uuid import UUID

from django.db.models import F

from characters.models import Character
from memories.engine.values import State
from memories.models import Memory, MemoryQuerySet
from reverie.accounts.finding import place
from reverie.accounts.models import User


def find(
    user: User,
    *,
    scope: str | None = None,
    character_id: UUID | None = None,
    state: State | None = None,
    words: str = "",
) -> MemoryQuerySet:
    """A person's memories that are all of this. Raises `Character.DoesNotExist`.

    With a character and no scope: what that character reads, its own and the global ones.
    """
    found = (
        Memory.objects.of(user).select_related("scope__character").defer("scope__character__rest")
    )
    if character_id:
        character = Character.objects.of(user).get(pk=character_id)
        found = found.in_force(character)
    if scope:
        found = found.filter(scope__character__isnull=scope == "global")
    if state:
        found = found.in_state(state)
    if wanted := words.strip():
        found = found.annotate(at=place(F("text"), wanted)).filter(at__gt=0)
    return found
