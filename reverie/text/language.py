"""Which of the product's languages a text is written in."""

import re
from typing import Literal

_HIRAGANA = re.compile("[\u3041-\u309f]")
_JAPANESE = re.compile("[\u3041-\u30ff\uff66-\uff9d\u3005\u3400-\u9fff\uf900-\ufaff]")


def guess(text: str) -> Literal["ja", "en"]:
    """ "ja" by the share of kana and kanji among the letters, otherwise "en".

    Hiragana is in every Japanese sentence, so a fifth of the letters is enough with it; without
    it (names, dishes inside English talk) half of them have to be Japanese.
    """
    letters = sum(char.isalpha() for char in text)
    share = len(_JAPANESE.findall(text)) / letters if letters else 0.0
    return "ja" if share >= (0.2 if _HIRAGANA.search(text) else 0.5) else "en"
