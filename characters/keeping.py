"""Acts on characters, personas and bonds, for pages and API alike."""

from functools import partial
from pathlib import PurePath
from typing import Any, TypeVar

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models.fields.files import FieldFile
from django.utils.translation import gettext as _

from characters import personas
from characters.models import Bond, Character, Persona, Tidy
from reverie.accounts.models import User
from reverie.accounts.pokes import person_group, poke
from reverie.text.clean import cut, length

NOT_TWICE = {"id", "owner", "avatar", "assets", "created_at", "updated_at"}
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
    """Delete a character and its files. Chats with it stay readable."""
    drop_files(_files(character))
    character.delete()


@transaction.atomic
def duplicate_character(character: Character) -> Character:
    """Another one like it, with files of its own; chats, memories and the bond stay behind."""
    twin = Character(owner=character.owner)
    for field in Character._meta.fields:
        if field.name not in NOT_TWICE:
            setattr(twin, field.attname, getattr(character, field.attname))
    ending = _(" (copy)")
    twin.name = cut(character.name, Character.NAME_LENGTH - length(ending)) + ending
    for old, new in zip(_files(character), _files(twin), strict=True):
        if old.name:
            with old.open("rb") as file:
                new.save(f"{twin.pk}{PurePath(old.name).suffix}", ContentFile(file.read()), False)
    twin.save()
    return twin


def drop_files(files: list[FieldFile]) -> None:
    """Delete these from the storage, once the transaction under way is committed."""
    for storage, name in [(file.storage, file.name) for file in files if file.name]:
        transaction.on_commit(partial(storage.delete, name))


def _files(character: Character) -> list[FieldFile]:
    return [character.avatar, character.assets]


def write_persona(persona: Persona, fields: dict[str, Any]) -> Persona:
    return personas.keep(filled(persona, fields))


@transaction.atomic
def write_bond(user: User, character: Character, fields: dict[str, Any]) -> Bond:
    """Change these fields of what is between these two; a persona has to be their own."""
    made = Bond.objects.between(user, character)
    bond = Bond.objects.select_for_update(of=("self",)).get(pk=made.pk)
    if persona_id := fields.get("persona_id"):
        Persona.objects.of(user).get(pk=persona_id)
    filled(bond, fields).save(update_fields=[*fields, "updated_at"])
    poke(person_group(user.pk), {"type": "memories"})  # it says whether they are read
    return bond
