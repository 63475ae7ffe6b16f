"""Characters, personas and bonds over HTTP."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from ninja import Router, Status

from characters import demo, keeping, personas
from characters.models import Bond, Character, Persona
from characters.schemas import (
    BondOut,
    BondPatch,
    CharacterIn,
    CharacterOut,
    CharacterPage,
    CharacterPatch,
    PersonaIn,
    PersonaOut,
    PersonaPage,
    PersonaPatch,
)
from reverie.accounts.middleware import PersonRequest
from reverie.accounts.paging import PageQuery, page_of

router = Router()


@router.get("characters", response=CharacterPage, tags=["characters"])
def list_characters(request: PersonRequest, page: PageQuery) -> dict[str, Any]:
    demo.welcome(request.user)
    items, following = page_of(Character.objects.of(request.user), ("-id",), page)
    return {"items": items, "next": following}


@router.post("characters", response={201: CharacterOut}, tags=["characters"])
def create_character(request: PersonRequest, body: CharacterIn) -> Status[Character]:
    return Status(201, keeping.write_character(Character(owner=request.user), _set_fields(body)))


@router.get("characters/{uuid:pk}", response=CharacterOut, tags=["characters"])
def read_character(request: PersonRequest, pk: UUID) -> Character:
    return get_object_or_404(Character.objects.of(request.user), pk=pk)


@router.patch("characters/{uuid:pk}", response=CharacterOut, tags=["characters"])
def change_character(request: PersonRequest, pk: UUID, body: CharacterPatch) -> Character:
    character = get_object_or_404(Character.objects.of(request.user), pk=pk)
    return keeping.write_character(character, _set_fields(body))


@router.get("personas", response=PersonaPage, tags=["personas"])
def list_personas(request: PersonRequest, page: PageQuery) -> dict[str, Any]:
    items, following = page_of(Persona.objects.of(request.user), ("-id",), page)
    return {"items": items, "next": following}


@router.post("personas", response={201: PersonaOut}, tags=["personas"])
def create_persona(request: PersonRequest, body: PersonaIn) -> Status[Persona]:
    return Status(201, keeping.write_persona(Persona(owner=request.user), _set_fields(body)))


@router.patch("personas/{uuid:pk}", response=PersonaOut, tags=["personas"])
def change_persona(request: PersonRequest, pk: UUID, body: PersonaPatch) -> Persona:
    persona = get_object_or_404(Persona.objects.of(request.user), pk=pk)
    return keeping.write_persona(persona, _set_fields(body))


@router.delete("personas/{uuid:pk}", response={204: None}, tags=["personas"])
def delete_persona(request: PersonRequest, pk: UUID) -> Status[None]:
    personas.remove(get_object_or_404(Persona.objects.of(request.user), pk=pk))
    return Status(204, None)


@router.get("bonds/{uuid:character_id}", response=BondOut, tags=["bonds"])
def read_bond(request: PersonRequest, character_id: UUID) -> Bond:
    character = get_object_or_404(Character.objects.of(request.user), pk=character_id)
    return Bond.objects.known(request.user, character)


@router.patch("bonds/{uuid:character_id}", response=BondOut, tags=["bonds"])
def change_bond(request: PersonRequest, character_id: UUID, body: BondPatch) -> Bond:
    character = get_object_or_404(Character.objects.of(request.user), pk=character_id)
    return keeping.write_bond(request.user, character, body.dict(exclude_unset=True))


def _set_fields(body: CharacterPatch | PersonaPatch) -> dict[str, Any]:
    """The fields that were sent; a null says nothing."""
    return body.dict(exclude_unset=True, exclude_none=True)
