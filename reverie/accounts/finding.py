"""Finding words as people type them: any width, any case, one kanji is enough (X6, C75)."""

import unicodedata

from django.db.models import F, Func, TextField, Value
from django.db.models.functions import Cast, StrIndex


class Folded(Func):
    """A text without differences of width and case."""

    function = "normalize"
    template = "lower(%(function)s(%(expressions)s, NFKC))"
    output_field = TextField()


def place(text: F, query: str) -> StrIndex:
    """Where `query` stands in a text, from 1; 0 for nowhere. Both are folded by the database, so
    that there is one rule, and % and _ are letters like any other."""
    return StrIndex(Folded(text), Folded(Cast(Value(query), TextField())))


def folded(text: str) -> str:
    """The same in Python, and a little more: what the database finds is found in this, too."""
    return unicodedata.normalize("NFKC", text).casefold()
