"""Where one visible character ends and the next begins (UAX 29, the rules that chat needs)."""

import unicodedata
from collections.abc import Iterator

ZWJ = "\u200d"
# A base with hundreds of marks is an attack on layout and not a character: it is split here.
LONGEST = 64


def graphemes(text: str) -> Iterator[str]:
    """The visible characters of `text`, in order; joined they give `text` again."""
    start = 0
    for position in range(1, len(text)):
        if position - start >= LONGEST or _breaks(text, start, position):
            yield text[start:position]
            start = position
    if text:
        yield text[start:]


def _breaks(text: str, start: int, position: int) -> bool:
    before, after = text[position - 1], text[position]
    if before < "\u0300" and after < "\u0300":
        return (before, after) != ("\r", "\n")
    if before in "\r\n" or _extends(after):
        return before in "\r\n"
    if before == ZWJ:
        return not _pictograph(after)
    if _regional(before) and _regional(after):
        return (position - start) % 2 == 0
    return not _one_syllable(before, after)


def _extends(char: str) -> bool:
    """Whether the character belongs to the one before it."""
    return (
        unicodedata.category(char) in ("Mn", "Me", "Mc")
        or char in "\u200c\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _pictograph(char: str) -> bool:
    return unicodedata.category(char) == "So" or "\U0001f000" <= char <= "\U0001faff"


def _regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _one_syllable(before: str, after: str) -> bool:
    """Hangul: a leading consonant takes a vowel, a vowel takes a final, as conjoining letters."""
    kind = _hangul(before)
    if kind == "L":
        return _hangul(after) in ("L", "V", "LV", "LVT")
    if kind in ("V", "LV"):
        return _hangul(after) in ("V", "T")
    return kind in ("T", "LVT") and _hangul(after) == "T"


def _hangul(char: str) -> str:
    if "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    if "\u1160" <= char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "V"
    if "\u11a8" <= char <= "\u11ff" or "\ud7cb" <= char <= "\ud7fb":
        return "T"
    if "\uac00" <= char <= "\ud7a3":
        return "LV" if (ord(char) - 0xAC00) % 28 == 0 else "LVT"
    return ""
