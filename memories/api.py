"""Memories over HTTP."""

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from ninja import Query, Router, Status

from characters.api import router as characters
from characters.models import Character
from memories import activity, finding, keeping, moving
from memories.models import Memory, MemoryChange
from memories.schemas import (
    ChangePage,
    DeletedOut,
    MemoryIn,
    MemoryOut,
    MemoryPage,
    MemoryPatch,
    MemoryQuery,
    change_row,
    memory_row,
)
from reverie.accounts.middleware import PersonRequest
from reverie.accounts.models import User
from reverie.accounts.paging import PageQuery, page_of

router = Router(tags=["memories"])


# On the characters' own router, since one path has one view: what a character remembered moves
# with its deletion (D12), so deleting one is an act of memories.
@characters.delete("characters/{uuid:pk}", response={204: None}, tags=["characters"])
def delete_character(request: PersonRequest, pk: UUID) -> Status[None]:
    """Chats with this character stay readable, and its memories become global."""
    moving.delete_character(get_object_or_404(Character.objects.of(request.user), pk=pk))
    return Status(204, None)


@router.get("memories", response=MemoryPage)
def list_memories(
    request: PersonRequest, wanted: Query[MemoryQuery], page: PageQuery
) -> dict[str, Any]:
    """The newest first. With a character and no scope: what it reads, global ones too."""
    found = finding.find(
        request.user,
        scope=wanted.scope,
        character_id=wanted.character_id,
        state=wanted.state,
        words=wanted.q,
    )
    items, following = page_of(found, ("-id",), page)
    return {"items": [memory_row(memory) for memory in items], "next": following}


@router.post("memories", response={201: MemoryOut})
def add_memory(request: PersonRequest, body: MemoryIn) -> Status[dict[str, Any]]:
    """Save a fact for a character or for all. A full scope is 409 `scope_full`."""
    character = _character(request.user, body)
    memory = keeping.add(
        request.user, body.text, character=character, pinned=body.pinned, forget=body.forget
    )
    return Status(201, memory_row(memory))


@router.get("memories/{uuid:pk}", response=MemoryOut)
def read_memory(request: PersonRequest, pk: UUID) -> dict[str, Any]:
    memories = Memory.objects.of(request.user).select_related("scope")
    return memory_row(get_object_or_404(memories, pk=pk))


@router.patch("memories/{uuid:pk}", response=MemoryOut)
def edit_memory(request: PersonRequest, pk: UUID, body: MemoryPatch) -> dict[str, Any]:
    return memory_row(keeping.edit(request.user, pk, body.text, seen=body.updated_at))


@router.delete("memories/{uuid:pk}", response=DeletedOut)
def delete_memory(request: PersonRequest, pk: UUID) -> dict[str, Any]:
    return {"change_id": keeping.delete(request.user, pk).pk}


@router.post("memories/{uuid:pk}/pin", response=MemoryOut)
def pin(request: PersonRequest, pk: UUID) -> dict[str, Any]:
    return memory_row(keeping.pin(request.user, pk))


@router.post("memories/{uuid:pk}/unpin", response=MemoryOut)
def unpin(request: PersonRequest, pk: UUID, forget: UUID | None = None) -> dict[str, Any]:
    """It needs a place among the others; `forget` as when one is added."""
    return memory_row(keeping.unpin(request.user, pk, forget=forget))


@router.post("memories/{uuid:pk}/make-global", response=MemoryOut)
def make_global(request: PersonRequest, pk: UUID) -> dict[str, Any]:
    return memory_row(keeping.make_global(request.user, pk))


@router.get("activity", response=ChangePage)
def list_activity(request: PersonRequest, page: PageQuery) -> dict[str, Any]:
    """Every change of a memory, the newest first."""
    lines = MemoryChange.objects.of(request.user).select_related("undone_by")
    items, following = page_of(lines, ("-id",), page)
    return {"items": [change_row(line) for line in items], "next": following}


@router.post("activity/{uuid:pk}/undo", response={200: MemoryOut, 204: None})
def undo(request: PersonRequest, pk: UUID) -> Status[dict[str, Any] | None]:
    """Take one change back; 204 when the memory did not exist before it."""
    memory = activity.undo(request.user, pk)
    return Status(200, memory_row(memory)) if memory else Status(204, None)


def _character(user: User, body: MemoryIn) -> Character | None:
    """The character of a scope. Raises `ValidationError` with code `scope`."""
    if (body.scope == "global") != (body.character_id is None):
        raise ValidationError(
            _("A memory belongs to one character, or to all without naming one."), code="scope"
        )
    if body.character_id is None:
        return None
    return get_object_or_404(Character.objects.of(user), pk=body.character_id)
