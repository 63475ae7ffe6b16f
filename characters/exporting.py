"""A character goes out as a card: JSON, PNG or CHARX, with all that it came in with."""

import json
from base64 import b64encode
from collections.abc import Callable
from io import BytesIO

from django.core.exceptions import SuspiciousFileOperation, ValidationError
from django.http import HttpResponse
from django.utils.http import content_disposition_header
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _
from PIL import Image, ImageDraw

from characters.cards import charx, files, mapping, png
from characters.cards.parsing import Card
from characters.models import Character

TYPES = {"json": "application/json", "png": "image/png", "charx": "application/zip"}
GROUND, LAMP = (43, 39, 58), (226, 190, 120)


def export(character: Character, kind: str, version: int = 3) -> bytes:
    """The file; `version` (2 or 3) is heard for JSON only.

    Raises `ValidationError` with the code `format` for a kind or version that there is not.
    """
    makers: dict[str, Callable[[], bytes]] = {
        "json": lambda: as_json(character, version),
        "png": lambda: as_png(character),
        "charx": lambda: as_charx(character),
    }
    if kind not in makers or version not in mapping.VERSIONS:
        raise ValidationError(_("Cards go out as json, png or charx."), code="format")
    return makers[kind]()


def response(character: Character, kind: str, version: int = 3) -> HttpResponse:
    """The file as a download; raises as `export`."""
    made = HttpResponse(export(character, kind, version), content_type=TYPES[kind])
    name = file_name(character, kind)
    made["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    made["X-Content-Type-Options"] = "nosniff"
    made["Cache-Control"] = "private, no-store"
    return made


def file_name(character: Character, kind: str) -> str:
    """A name that every system takes."""
    try:
        return f"{get_valid_filename(character.name)}.{kind}"
    except SuspiciousFileOperation:  # nothing was left of the name
        return f"character.{kind}"


def as_json(character: Character, version: int = 3) -> bytes:
    return json.dumps(card(character, version), ensure_ascii=False, indent=2).encode()


def as_png(character: Character) -> bytes:
    """Both versions, for programs that know only one, and the files in chunks of their own."""
    told = [(f"{files.ASSET_CHUNK}{k}", b64encode(v)) for k, v in assets(character).items()]
    if not character.avatar:
        told.append((files.PLACEHOLDER, b"drawn"))
    told += [("chara", b64encode(as_json(character, 2))), ("ccv3", b64encode(as_json(character)))]
    return png.with_texts(_picture(character), told)


def as_charx(character: Character) -> bytes:
    """A zip; the picture is its main icon, unless the card came with a list of its own."""
    told, kept = card(character), {**assets(character)}
    if character.avatar:
        kept[mapping.PORTRAIT] = avatar(character)
        told["data"].setdefault("assets", [mapping.ICON])
    written = json.dumps(told, ensure_ascii=False, indent=2).encode()
    return charx.packed({charx.CARD: written, **kept})


def card(character: Character, version: int = 3) -> Card:
    fields = {name: getattr(character, name) for name in mapping.FIELDS}
    return mapping.write(fields, character.kept_rest, version)


def assets(character: Character) -> dict[str, bytes]:
    """The files that its card came with."""
    if not character.assets:
        return {}
    with character.assets.open("rb") as file:
        return charx.files_of(file.read())


def avatar(character: Character) -> bytes:
    with character.avatar.open("rb") as file:
        return bytes(file.read())


def _picture(character: Character) -> bytes:
    kept = BytesIO()
    if character.avatar:
        with Image.open(BytesIO(avatar(character))) as image:
            image.save(kept, "PNG")
    else:
        _drawn().save(kept, "PNG")
    return kept.getvalue()


def _drawn() -> Image.Image:
    """A lamp in the dark, for who has no picture: a card in a PNG needs one."""
    image = Image.new("RGB", (400, 600), GROUND)
    draw = ImageDraw.Draw(image)
    draw.polygon([(165, 210), (235, 210), (280, 320), (120, 320)], outline=LAMP, width=6)
    draw.line([(200, 320), (200, 430)], fill=LAMP, width=6)
    draw.line([(150, 432), (250, 432)], fill=LAMP, width=6)
    return image
