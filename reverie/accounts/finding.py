"""Finding words as people type them: any width, any case, one kanji is enough (X6, C75)."""

import unicodedata

from django.db.models import Func, TextField


class Folded(Func):
    """A text column as `folded` folds a text: the database's half of the same rule."""

    function = "normalize"
    template = "lower(%(function)s(%(expressions)s, NFKC))"
    output_field = TextField()


def folded(text: str) -> str:
    """`text` without differences of width and case."""
    return unicodedata.normalize("NFKC", text).lower()
