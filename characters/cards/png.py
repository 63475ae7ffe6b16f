"""The chunks of a PNG: texts out of them in any dress, and texts into them."""

import struct
import zlib
from collections.abc import Iterator

from .limits import CHUNKS, FILE, RefusedError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# All that drawing needs. Colour profiles and other texts go: they are packed, and may be bombs.
DRAWN = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"gAMA", b"sRGB"}
TEXTS = {b"tEXt", b"zTXt", b"iTXt"}


def texts(png: bytes, wanted: tuple[str, ...]) -> list[tuple[str, bytes]]:
    """Keyword and text of every chunk whose keyword begins with one of `wanted`, in any case.

    In their order, also behind the end of the picture; a chunk that cannot be read is left out.
    Raises `RefusedError`: `too_many_chunks`, `unpacks_too_big`.
    """
    found, room = [], FILE
    for kind, body in _chunks(png):
        if kind not in TEXTS:
            continue
        keyword, _, packed = body.partition(b"\0")
        name = _word(keyword)
        if not name.lower().startswith(wanted):
            continue
        text = _unpacked(kind, packed, room)
        if text is not None:
            room -= len(text)
            found.append((name, text))
    return found


def drawn(png: bytes) -> bytes:
    """The picture alone, without whatever else the file carries."""
    chunks = [chunk(kind, body) for kind, body in _chunks(png) if kind in DRAWN]
    return SIGNATURE + b"".join(chunks)


def with_texts(png: bytes, told: list[tuple[str, bytes]]) -> bytes:
    """`png` with these texts in front of its end."""
    chunks = [chunk(kind, body) for kind, body in _chunks(png) if kind != b"IEND"]
    chunks += [chunk(b"tEXt", name.encode() + b"\0" + text) for name, text in told]
    return SIGNATURE + b"".join(chunks) + chunk(b"IEND", b"")


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _word(keyword: bytes) -> str:
    try:
        return keyword.decode().strip()
    except UnicodeDecodeError:
        return keyword.decode("latin-1").strip()


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Type and body of every whole chunk. Checksums are not looked at: editors get them wrong."""
    place, number = len(SIGNATURE), 0
    while place + 12 <= len(png):
        size = int.from_bytes(png[place : place + 4], "big")
        if place + 12 + size > len(png):
            return
        number += 1
        if number > CHUNKS:
            raise RefusedError("too_many_chunks")
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
        place += 12 + size


def _unpacked(kind: bytes, packed: bytes, room: int) -> bytes | None:
    if kind == b"tEXt":
        return packed
    if kind == b"zTXt":
        return _inflated(packed[1:], room)
    if len(packed) < 2:
        return None
    rest = packed[2:].split(b"\0", 2)  # language, translated keyword, text
    if len(rest) < 3:
        return None
    return _inflated(rest[2], room) if packed[0] else rest[2]


def _inflated(packed: bytes, room: int) -> bytes | None:
    """At most `room` bytes, whatever the chunk would grow to."""
    pump = zlib.decompressobj()
    try:
        text = pump.decompress(packed, room + 1)
    except zlib.error:
        return None
    if len(text) > room:
        raise RefusedError("unpacks_too_big")
    return text
