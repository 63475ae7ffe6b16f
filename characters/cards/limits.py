"""How large, deep and many anything in a card's file may be, all in one place (A7)."""

FILE = 48 * 1024 * 1024  # bytes of a file as it comes
JSON = 16 * 1024 * 1024  # bytes of a card's JSON
DEPTH = 64  # objects and lists within each other
VALUES = 300_000  # values in a card's JSON
ENTRIES = 5_000  # of a world book
CHUNKS = 50_000  # of a PNG
FILES = 1_000  # in a CHARX
NAME = 255  # characters of the name of a file within
UNPACKED = 32 * 1024 * 1024  # bytes of all files within, together
RATIO = 200  # unpacked to packed
RATIO_FROM = 1024 * 1024  # bytes from which the ratio counts


class RefusedError(Exception):
    """A file that is not taken; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
