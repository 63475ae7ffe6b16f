"""A card in whatever file it comes: PNG, JSON or zip (CHARX), told by content, not by name."""

from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass, field
from typing import Any

from . import charx, png
from .limits import FILE, UNPACKED, RefusedError
from .mapping import PORTRAIT, is_card
from .parsing import Card, card_of, from_base64, is_unicode
from .values import Line, State

CHUNKS = ("ccv3", "chara")  # the newer one first
ASSET = "chara-ext-asset_"
ASSET_CHUNK = f"{ASSET}:"
PLACEHOLDER = "reverie-placeholder"  # keyword: the picture was drawn by us for want of one
DAMAGED = ("unreadable", "no_card")  # there may still be a card in the next chunk
PICTURES = (png.SIGNATURE, b"\xff\xd8\xff", b"RIFF", b"GIF8")
SCHEMES = ("embeded://", "embedded://", "__asset:")


@dataclass(frozen=True, slots=True)
class CardFile:
    """A card with its files and its picture, as bytes that nobody has looked into yet."""

    card: Card
    files: dict[str, bytes] = field(default_factory=dict)
    picture: bytes = b""
    lines: tuple[Line, ...] = ()

    @property
    def portrait(self) -> bytes:
        """The picture without whatever else a PNG carries."""
        drawn = self.picture.startswith(png.SIGNATURE)
        return png.drawn(self.picture) if drawn else self.picture


def opened(raw: bytes) -> CardFile:
    """Raises `RefusedError`; nothing outside the file is ever asked for."""
    if len(raw) > FILE:
        raise RefusedError("file_too_big")
    if raw.startswith(png.SIGNATURE):
        return _from_png(raw)
    if raw.lstrip()[:1] in (b"{", b"[") or not charx.is_zip(raw):
        return CardFile(_card(raw), lines=_encoding(raw))
    return _from_zip(raw)


def _from_png(raw: bytes) -> CardFile:
    """Of two cards of one kind the last that can be read: editors add the new one at the end."""
    texts = png.texts(raw, (*CHUNKS, ASSET, PLACEHOLDER))
    names = {name.lower() for name, _ in texts}
    problem: RefusedError | None = None
    for wanted in CHUNKS:
        for text in [text for name, text in reversed(texts) if name.lower() == wanted]:
            try:
                plain = from_base64(text)
                card, lines = _card(plain), _encoding(plain)
            except RefusedError as refused:
                if refused.code not in DAMAGED:
                    raise  # each such chunk costs time: one is enough
                problem = problem or refused
                continue
            picture = b"" if PLACEHOLDER in names else raw
            files, lost = _assets(texts)
            return CardFile(card, files, picture, (*lines, *_skipped(problem), *lost))
    if problem:
        raise problem
    if charx.is_zip(raw):
        return _from_zip(raw)
    raise RefusedError("no_card")


def _card(raw: bytes) -> Card:
    card = card_of(raw)
    if not is_card(card):
        raise RefusedError("no_card")
    return card


def _skipped(problem: RefusedError | None) -> tuple[Line, ...]:
    return (Line("", State.CHANGED, why="older_card"),) if problem else ()


def _encoding(raw: bytes) -> tuple[Line, ...]:
    return () if is_unicode(raw) else (Line("", State.CHANGED, why="encoding"),)


def _assets(texts: list[tuple[str, bytes]]) -> tuple[dict[str, bytes], tuple[Line, ...]]:
    """Files that a PNG carries in chunks of their own, and a line when some of them are lost."""
    files: dict[str, bytes] = {}
    room, lost = UNPACKED, False
    for name, text in texts:
        path = name[len(ASSET) :].removeprefix(":")
        if not name.lower().startswith(ASSET) or not charx.is_safe(path):
            continue
        try:
            found = from_base64(text)
        except RefusedError as refused:
            if refused.code not in DAMAGED:
                raise
            lost = True  # the card itself is whole
            continue
        lost = lost or path in files
        files[path] = found
        room -= len(found)
        if room < 0:
            raise RefusedError("unpacks_too_big")
    return files, (Line("", State.CHANGED, why="lost_file"),) if lost else ()


def _from_zip(raw: bytes) -> CardFile:
    files = charx.files_of(raw)
    written = next((name for name in files if name.lower() == charx.CARD), None)
    if written is None:
        raise RefusedError("no_card")
    plain = files.pop(written)
    card = _card(plain)
    picture = files.pop(PORTRAIT, b"") or icon(card, files) or _before(raw)
    return CardFile(card, files, picture, _encoding(plain))


def _before(raw: bytes) -> bytes:
    """The picture that the zip was hung onto, if it was one."""
    before = raw[: raw.find(b"PK\x03\x04")]
    return before if before.startswith(PICTURES) else b""


def icon(card: Card, files: dict[str, bytes]) -> bytes:
    """The picture that the card's assets call its main one; nothing if it is not in the file."""
    data = card.get("data")
    assets = data.get("assets") if isinstance(data, dict) else None
    icons = [
        asset
        for asset in (assets if isinstance(assets, list) else [])
        if isinstance(asset, dict) and asset.get("type") == "icon"
    ]
    icons.sort(key=lambda asset: asset.get("name") != "main")
    return next((found for asset in icons if (found := content(asset.get("uri"), files))), b"")


def content(uri: Any, files: dict[str, bytes]) -> bytes:
    """What an asset's address means within its file. Nothing is fetched (C83)."""
    if not isinstance(uri, str):
        return b""
    for scheme in SCHEMES:
        if uri.lower().startswith(scheme):
            path = uri[len(scheme) :]
            return files.get(path, b"")
    if uri.startswith("data:"):
        kind, _, told = uri.partition(",")
        try:
            return b64decode(told) if kind.endswith(";base64") else b""
        except Base64Error:
            return b""
    return b""
