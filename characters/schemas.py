"""What the API says and takes of characters, personas and bonds."""

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Schema


class CharacterPatch(Schema):
    """The fields that a person may set; what is left out stays."""

    name: str | None = None
    nickname: str | None = None
    tagline: str | None = None
    description: str | None = None
    personality: str | None = None
    scenario: str | None = None
    greeting: str | None = None
    alternate_greetings: list[str] | None = None
    example_dialogue: str | None = None
    system_prompt: str | None = None
    post_history_instructions: str | None = None
    tags: list[str] | None = None
    language: str | None = None
    creator: str | None = None
    creator_notes: str | None = None
    character_version: str | None = None


class CharacterIn(CharacterPatch):
    name: str


class CharacterOut(Schema):
    id: UUID
    name: str
    nickname: str
    tagline: str
    description: str
    personality: str
    scenario: str
    greeting: str
    alternate_greetings: list[str]
    example_dialogue: str
    system_prompt: str
    post_history_instructions: str
    tags: list[str]
    language: str
    creator: str
    creator_notes: str
    character_version: str
    extensions: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class CardLine(Schema):
    """What became of one part of a card; `field` as the card calls it, `to` as we do."""

    field: str
    state: str
    to: str
    note: str


class ImportedOut(CharacterOut):
    report: list[CardLine]


class CardPreview(Schema):
    """A card that was looked at and not saved; `fields` as a character would have them."""

    fields: dict[str, Any]
    report: list[CardLine]


class CharacterPage(Schema):
    items: list[CharacterOut]
    next: str | None


class PersonaPatch(Schema):
    name: str | None = None
    description: str | None = None
    is_default: bool | None = None


class PersonaIn(PersonaPatch):
    name: str


class PersonaOut(Schema):
    id: UUID
    name: str
    description: str
    is_default: bool
    created_at: datetime
    updated_at: datetime


class PersonaPage(Schema):
    items: list[PersonaOut]
    next: str | None


class BondPatch(Schema):
    note: str | None = None
    learns: bool | None = None
    memory_detail: str | None = None
    persona_id: UUID | None = None


class BondOut(Schema):
    character_id: UUID
    note: str
    learns: bool
    memory_detail: str
    persona_id: UUID | None
    updated_at: datetime | None  # null: never written
