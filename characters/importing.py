"""A card comes in: looked into, kept as a draft for its preview, then made a character."""

import json
from dataclasses import asdict
from datetime import timedelta
from io import BytesIO
from pathlib import PurePath
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models.fields.files import FieldFile
from django.utils import timezone

from characters import avatars, card_words, keeping
from characters.cards import charx, files, limits, mapping
from characters.cards.values import Line, Reading, Rest, State
from characters.models import CardDraft, Character
from reverie.accounts.models import User
from reverie.text.clean import clean, cut

DRAFTS = 20  # that one person has at a time
KEPT = timedelta(days=1)
BATCH = 200  # drafts that one purge deletes


def look(file: UploadedFile, owner: User) -> CardDraft:
    """What is in a file, not yet saved.

    Raises `ValidationError` with one of the codes in `card_words.REFUSALS`, or `too_many_pixels`.
    """
    try:
        if (file.size or 0) > limits.FILE:
            raise limits.RefusedError("file_too_big")
        found = files.opened(file.read())
        mapping.read(found.card)
    except limits.RefusedError as refused:
        raise ValidationError(card_words.refusal(refused.code), code=refused.code) from refused
    notes = [line.why for line in found.lines]
    draft = CardDraft(owner=owner, file_name=_stem(file.name or ""), card=json.dumps(found.card))
    draft.picture, lost = _picture(found.portrait)
    draft.assets = _content("assets.zip", charx.packed(found.files)) if found.files else ""
    draft.notes = notes + lost
    return draft


def receive(file: UploadedFile, owner: User) -> CardDraft:
    """As `look`, kept for its preview; the oldest of too many others goes."""
    return _kept(look(file, owner), owner)


@transaction.atomic
def _kept(draft: CardDraft, owner: User) -> CardDraft:
    draft.save()
    for old in CardDraft.objects.of(owner).order_by("-pk")[DRAFTS:]:
        discard(old)
    return draft


def read(draft: CardDraft) -> Reading:
    """What becomes of every part of the card."""
    reading = mapping.read(json.loads(draft.card), draft.file_name)
    told = tuple(Line("", State.CHANGED, why=why) for why in draft.notes)
    return Reading(reading.fields, reading.rest, (*told, *reading.lines))


@transaction.atomic
def accept(draft: CardDraft, changes: dict[str, Any]) -> Character:
    """The character of a draft, with what a person has changed of it; once, then it is gone.

    Raises `ValidationError` with the fields that cannot be kept as they are.
    """
    if not draft._state.adding:
        draft = CardDraft.objects.select_for_update().get(pk=draft.pk)
    reading = read(draft)
    character = Character(owner=draft.owner, rest=dumped(reading.rest))
    keeping.filled(character, reading.fields | changes)
    for mine, theirs, ending in (
        (character.avatar, draft.picture, "webp"),
        (character.assets, draft.assets, "zip"),
    ):
        if theirs:
            mine.save(f"{character.pk}.{ending}", ContentFile(_bytes(theirs)), save=False)
    character.save()
    if not draft._state.adding:
        discard(draft)
    return character


@transaction.atomic
def discard(draft: CardDraft) -> None:
    keeping.drop_files([draft.picture, draft.assets])
    draft.delete()


def purge() -> int:
    """Delete drafts that nobody decided on for a day; how many. Safe to run again."""
    old = CardDraft.objects.filter(created_at__lt=timezone.now() - KEPT)[:BATCH]
    for draft in (found := list(old)):
        discard(draft)
    return len(found)


def dumped(rest: Rest) -> str:
    """As `Character.rest` keeps it."""
    return json.dumps(asdict(rest)) if rest != Rest() else ""


def _stem(name: str) -> str:
    return cut(clean(PurePath(name.replace("\\", "/")).stem).strip(), 80)


def _picture(raw: bytes) -> tuple[Any, list[str]]:
    """The picture made small; one that cannot be read is no reason to refuse its card."""
    if not raw:
        return "", []
    try:
        return _content("picture.webp", _bytes(avatars.portrait(BytesIO(raw), 0))), []
    except ValidationError as problem:
        if problem.code != "not_a_picture":
            raise
        return "", ["no_picture"]


def _content(name: str, raw: bytes) -> ContentFile:
    return ContentFile(raw, name)


def _bytes(file: "FieldFile | ContentFile") -> bytes:
    file.open("rb")
    raw: bytes = file.read()
    return raw
