"""Acts on characters, personas and bonds, for pages and API alike."""

from typing import Any, TypeVar

from django.db import transaction

from characters import personas
from characters.models import Bond, Character, Persona, Tidy
from reverie.accounts.models import User

T = TypeVar("T", bound=Tidy)


def filled(row: T, fields: dict[str, Any]) -> T:
    """`row` with `fields` set and checked, not yet saved. Raises `ValidationError`."""
    for name, value in fields.items():
        setattr(row, name, value)
    row.full_clean(validate_constraints=False)
    return row


def write_character(character: Character, fields: dict[str, Any]) -> Character:
    filled(character, fields).save()
    return character


@transaction.atomic
def delete_character(character: Character) -> None:
    """Delete a character and its picture. Chats with it stay readable."""
    storage, picture = character.avatar.storage, character.avatar.name
    character.delete()
    if picture:
        transaction.on_commit(lambda: storage.delete(picture))


def write_persona(persona: Persona, fields: dict[str, Any]) -> Persona:
    return personas.keep(filled(persona, fields))


@transaction.atomic
def write_bond(user: User, character: Character, fields: dict[str, Any]) -> Bond:
    """Change what is between these two; a persona has to be their own."""
    bond = Bond.objects.between(user, character)
    if persona_id := fields.get("persona_id"):
        Persona.objects.of(user).get(pk=persona_id)
    filled(bond, fields).save()
    return bond
