"""Characters, personas and bonds over HTTP."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from ninja import File, Query, Router, Status, UploadedFile

from characters import card_words, demo, exporting, importing, keeping, personas
from characters.models import Bond, Character, Persona
from characters.schemas import (
    BondOut,
    BondPatch,
    CardPreview,
    CharacterIn,
    CharacterOut,
    CharacterPage,
    CharacterPatch,
    ImportedOut,
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


@router.post(
    "characters/import", response={200: CardPreview, 201: ImportedOut}, tags=["characters"]
)
def import_card(
    request: PersonRequest, file: File[UploadedFile], preview: bool = False
) -> Status[dict[str, Any]] | Status[Character]:
    """A card as PNG, JSON or CHARX; with `preview` it is only looked at."""
    draft = importing.look(file, request.user)
    reading = importing.read(draft)
    report = card_words.told(reading)
    if preview:
        return Status(200, {"fields": reading.fields, "report": report})
    character = importing.accept(draft, {})
    character.report = report  # type: ignore[attr-defined]  # for the answer alone
    return Status(201, character)


@router.get("characters/{uuid:pk}/export", tags=["characters"])
def export_character(
    request: PersonRequest,
    pk: UUID,
    kind: str = Query("json", alias="format"),
    version: int = 3,
) -> HttpResponse:
    character = get_object_or_404(Character.objects.of(request.user), pk=pk)
    return exporting.response(character, kind, version)


@router.post("characters/{uuid:pk}/duplicate", response={201: CharacterOut}, tags=["characters"])
def duplicate_character(request: PersonRequest, pk: UUID) -> Status[Character]:
    character = get_object_or_404(Character.objects.of(request.user), pk=pk)
    return Status(201, keeping.duplicate_character(character))


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
    told = body.dict(exclude_unset=True)
    # Only a persona can be taken away; elsewhere a null says nothing.
    fields = {k: v for k, v in told.items() if v is not None or k == "persona_id"}
    return keeping.write_bond(request.user, character, fields)


def _set_fields(body: CharacterPatch | PersonaPatch) -> dict[str, Any]:
    """The fields that were sent; a null says nothing."""
    return body.dict(exclude_unset=True, exclude_none=True)
