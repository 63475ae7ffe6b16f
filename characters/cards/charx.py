"""CHARX: a zip with a card and the files that it speaks of, perhaps behind a picture."""

import re
import zipfile
import zlib
from io import BytesIO

from .limits import FILES, NAME, RATIO, RATIO_FROM, UNPACKED, RefusedError

CARD = "card.json"
BLOCK = 64 * 1024
_DIRECTORY, _FILE = b"PK\x01\x02", b"PK\x03\x04"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)


def is_zip(raw: bytes) -> bool:
    """Whether there is a zip in it, wherever it begins."""
    return _FILE in raw and zipfile.is_zipfile(BytesIO(raw))


def files_of(raw: bytes) -> dict[str, bytes]:
    """Every file by its name within.

    Raises `RefusedError`: `too_many_files`, `bad_names`, `unpacks_too_big`, `unreadable`.
    """
    # Before a reader makes an object of each: it cannot read more than have their mark.
    if raw.count(_DIRECTORY) > FILES:
        raise RefusedError("too_many_files")
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            listed = [info for info in archive.infolist() if not info.is_dir()]
            _check(listed)
            return _read(archive, listed)
    # RuntimeError: it is locked with a password.
    except (*_UNREADABLE, RuntimeError) as problem:
        raise RefusedError("unreadable") from problem


def packed(files: dict[str, bytes]) -> bytes:
    """A zip of these files. Pictures are packed already, so it packs nothing again."""
    kept = BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        for name, content in files.items():
            # No time of day, so that the same card is the same file.
            archive.writestr(zipfile.ZipInfo(name), content)
    return kept.getvalue()


def is_safe(name: str) -> bool:
    """Whether it is a plain relative path that no system would take for another one."""
    parts = re.split(r"[/\\]", name)
    return (
        0 < len(name) <= NAME
        and ".." not in parts
        and not name.startswith(("/", "\\"))
        and not re.match("[A-Za-z]:", name)
        and name.isprintable()
    )


def _check(listed: list[zipfile.ZipInfo]) -> None:
    names = [info.filename for info in listed]
    # The name as it is written: a reader cuts it at a NUL.
    if not all(is_safe(info.filename) and is_safe(info.orig_filename) for info in listed):
        raise RefusedError("bad_names")
    if len(set(names)) < len(names):
        raise RefusedError("bad_names")
    if any(info.compress_type not in _METHODS for info in listed):
        raise RefusedError("unreadable")


def _read(archive: zipfile.ZipFile, listed: list[zipfile.ZipInfo]) -> dict[str, bytes]:
    """Counted while reading: what the heading says of its own size is only a claim."""
    files, room = {}, UNPACKED
    for info in listed:
        with archive.open(info) as file:
            parts, size = [], 0
            while block := file.read(BLOCK):
                size += len(block)
                most = max(RATIO * info.compress_size, RATIO_FROM)
                if size > min(room, most):
                    raise RefusedError("unpacks_too_big")
                parts.append(block)
        files[info.filename] = b"".join(parts)
        room -= size
    return files
