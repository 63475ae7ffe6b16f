"""Memories as people see them: scopes with their meters, rows with their marks."""

from dataclasses import dataclass
from datetime import UTC
from typing import TypeVar
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Case, Model, QuerySet, Value, When
from django.http import QueryDict
from django.utils import timezone

from characters.models import Bond, Character
from memories import activity, finding, telling, wording
from memories.engine import choice
from memories.engine.decay import DORMANT_AFTER
from memories.engine.limits import Limits
from memories.forms import wanted
from memories.models import Memory, MemoryChange, MemoryScope, limits
from reverie.accounts.models import User
from reverie.accounts.paging import MOST, PAGE, Page, page_of

M = TypeVar("M", bound=Model)
TICK = 5  # units from one tick to the next


@dataclass(frozen=True)
class Meter:
    """How full a scope is."""

    character: Character | None
    unpinned: int = 0
    pinned: int = 0

    @property
    def limits(self) -> Limits:
        return limits()

    @property
    def over(self) -> bool:
        """Only memories that moved here with their character's deletion do that (D12)."""
        return self.unpinned > limits().unpinned or self.pinned > limits().pinned


@dataclass(frozen=True)
class Row:
    """One memory with its marks."""

    memory: Memory
    recent: bool

    width = DORMANT_AFTER * TICK

    @property
    def drawn(self) -> list[tuple[int, bool]]:
        """A tick for each chat day until it sleeps: where it stands, and whether it was unused."""
        days = range(DORMANT_AFTER)
        return [(day * TICK, day < self.memory.unused_days) for day in days]

    @property
    def version(self) -> str:
        """Another one whenever the row looks different."""
        one = self.memory
        said = (one.updated_at.timestamp(), one.strength, one.held, one.unused_days, self.recent)
        return "-".join(map(str, (*said, one.scope_id, one.from_character)))


@dataclass(frozen=True)
class Line:
    """One line of the journal, in words."""

    change: MemoryChange
    said: str
    undoable: bool


class View:
    """What a page shows: everything, or what one character reads, or (`only`) has of its own."""

    def __init__(
        self,
        user: User,
        query: QueryDict,
        character: Character | None = None,
        only: Character | None = None,
    ) -> None:
        self.user, self.query, self.character, self.only = user, query, character, only
        self.wanted = wanted(query)
        if only:
            self.wanted["scope"] = "character"
        elif character:
            self.wanted["scope"] = self.wanted["scope"] or "character"

    def revision(self) -> int:
        return telling.revision(self.user, [self.character.pk] if self.character else None)

    def meters(self) -> list[Meter]:
        """The global scope, then those of characters; here only of this one."""
        found = MemoryScope.objects.of(self.user).with_characters()
        if self.character:
            found = found.in_force(self.character)
        scopes = {scope.character_id: scope for scope in found.order_by("-character_id")}
        for one in {None, self.character}:
            pk = one.pk if one else None
            scopes.setdefault(pk, MemoryScope(owner=self.user, character=one))
        everywhere = scopes.pop(None)
        ordered = [everywhere, *scopes.values()]
        return [Meter(one.character, one.unpinned_count, one.pinned_count) for one in ordered]

    def rows(self) -> tuple[list[Row], str | None]:
        """A page of memories, pins first and then the newest, and the cursor of the next one."""
        found = finding.find(self.user, **self.wanted, character_id=self._of())
        pins_first = Case(When(strength=Memory.Strength.PINNED, then=Value(0)), default=Value(1))
        memories, following = self._page_of(found.annotate(place=pins_first), ("place", "-id"))
        today = timezone.now().astimezone(UTC).date()
        return [Row(one, choice.recent(one.note, today)) for one in memories], following

    def lines(self) -> tuple[list[Line], str | None]:
        """A page of the journal, the newest first, and the cursor of the next one."""
        found = MemoryChange.objects.of(self.user)
        if self.character:
            scopes = MemoryScope.objects.of(self.user).in_force(self.character)
            found = found.filter(scope__in=scopes)
        found = found.select_related("undone_by", "undoes", "scope__character").defer(
            "scope__character__rest"
        )
        changes, following = self._page_of(found, ("-id",))
        can = activity.undoable(self.user, changes)
        return [Line(one, wording.said(one), one.pk in can) for one in changes], following

    def learns(self) -> bool:
        return not self.character or Bond.objects.known(self.user, self.character).learns

    def _of(self) -> UUID | None:
        if self.wanted["scope"] == "global":
            return None
        of = self.only or self.character
        return of.pk if of else None

    def _page_of(self, rows: QuerySet[M], order: tuple[str, ...]) -> tuple[list[M], str | None]:
        """From the beginning, when the query names a place that this list does not have."""
        limit = self.query.get("limit", "")
        number = int(limit) if limit.isascii() and limit.isdecimal() and len(limit) < 9 else PAGE
        page = Page(cursor=self.query.get("cursor", ""), limit=min(max(number, 1), MOST))
        try:
            return page_of(rows, order, page)
        except ValidationError:
            return page_of(rows, order, page.model_copy(update={"cursor": ""}))
