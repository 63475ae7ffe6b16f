"""Cards for tests, in every dress that they travel in; all of it is built here."""

import json
import struct
import zipfile
import zlib
from base64 import b64encode
from io import BytesIO
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.fields.files import FieldFile
from PIL import Image

from characters.cards import png

Card = dict[str, Any]


def card(**data: Any) -> Card:
    """A card of version 2 with something in it that we do not know."""
    return {
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": {
            "name": "Tomori",
            "description": "{{char}} sings in a small band.",
            "personality": "shy",
            "scenario": "A rehearsal room.",
            "first_mes": "Hello, {{user}}.",
            "mes_example": "<START>",
            "creator_notes": "",
            "system_prompt": "",
            "post_history_instructions": "",
            "alternate_greetings": ["Hi."],
            "tags": ["band"],
            "creator": "juno",
            "character_version": "1.0",
            "extensions": {"z": 1, "a": {"deep": [1, 2.5, None, "灯"]}},
            **data,
        },
    }


def raw(told: Any) -> bytes:
    return json.dumps(told, ensure_ascii=False).encode()


def picture(size: tuple[int, int] = (8, 12), kind: str = "PNG") -> bytes:
    kept = BytesIO()
    Image.new("RGB", size, "purple").save(kept, kind)
    return kept.getvalue()


def text_chunk(keyword: str, text: bytes) -> bytes:
    return png.chunk(b"tEXt", keyword.encode("latin-1") + b"\0" + text)


def packed_chunk(keyword: str, text: bytes) -> bytes:
    return png.chunk(b"zTXt", keyword.encode("latin-1") + b"\0\0" + zlib.compress(text, 9))


def unicode_chunk(keyword: str, text: bytes, *, packed: bool = False) -> bytes:
    head = keyword.encode("latin-1") + b"\0" + bytes([packed, 0]) + b"ja\0\xe7\x81\xaf\0"
    return png.chunk(b"iTXt", head + (zlib.compress(text, 9) if packed else text))


def in_png(*chunks: bytes, last: bool = False, size: tuple[int, int] = (8, 12)) -> bytes:
    """A picture with these chunks after its heading, or behind its very end."""
    whole = picture(size)
    place = len(whole) if last else 8 + 25
    return whole[:place] + b"".join(chunks) + whole[place:]


def png_of(told: Card, keyword: str = "chara") -> bytes:
    return in_png(text_chunk(keyword, b64encode(raw(told))))


def zipped(files: dict[str, bytes], before: bytes = b"", *, pack: bool = True) -> bytes:
    kept = BytesIO()
    kept.write(before)
    with zipfile.ZipFile(kept, "a", zipfile.ZIP_DEFLATED if pack else zipfile.ZIP_STORED) as told:
        for name, content in files.items():
            told.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED if pack else None)
    return kept.getvalue()


def charx_of(told: Card, files: dict[str, bytes] | None = None, before: bytes = b"") -> bytes:
    return zipped({"card.json": raw(told), **(files or {})}, before)


def exists(file: FieldFile) -> bool:
    return bool(file.name) and file.storage.exists(str(file.name))


def upload(content: bytes, name: str = "Tomori.png") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def huge_picture(side: int = 60_000) -> bytes:
    """A PNG that claims to be `side` pixels wide and high, with a card in it."""
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    parts = [
        png.chunk(b"IHDR", head),
        text_chunk("chara", b64encode(raw(card()))),
        png.chunk(b"IDAT", zlib.compress(b"\0" * 1_000)),
        png.chunk(b"IEND", b""),
    ]
    return png.SIGNATURE + b"".join(parts)


def oddly_turned() -> bytes:
    """A JPEG whose EXIF turns it, and holds a number that does not fit its place."""
    turn = struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0)
    large = struct.pack("<HHII", 0x0103, 4, 1, 0xFFFFFFFF)
    exif = b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<H", 2) + turn + large + bytes(4)
    kept = BytesIO()
    Image.new("RGB", (8, 12), "purple").save(kept, "JPEG", exif=exif)
    return kept.getvalue()


def many_zeros(size: int) -> bytes:
    """What `size` zeros are packed to, without ever being in memory whole."""
    pump, block = zlib.compressobj(9), b"\0" * 1_000_000
    parts = [pump.compress(block) for _ in range(size // len(block))]
    return b"".join(parts) + pump.flush()


def zip_of_one(name: bytes, packed: bytes, *, claims: int = 10, method: int = 8) -> bytes:
    """A zip by hand, whose heading may say anything of its file."""
    head = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 0, 0, len(packed), claims, len(name), 0)
    local = b"PK\x03\x04" + head + name + packed
    listed = (
        b"PK\x01\x02" + struct.pack("<H", 20) + head + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    )
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(listed), len(local), 0)
    return local + listed + end


def zip_of_many(count: int) -> bytes:
    """A zip of so many empty files."""
    kept = BytesIO()
    with zipfile.ZipFile(kept, "w") as told:
        for number in range(count):
            told.writestr(zipfile.ZipInfo(f"{number}"), b"")
    return kept.getvalue()
