"""The two placeholders that cards use. A fixed replacer: nothing in a text is ever evaluated."""

import re

_PLACE = re.compile(r"\{\{\s*(char|user)\s*\}\}|<(bot|char|user)>", re.IGNORECASE)


def fill(text: str, *, char: str, user: str) -> str:
    """Put the names in for {{char}}, {{user}}, <BOT>, <USER>, in one pass.

    What was put in is not looked at again, so a name cannot bring placeholders of its own.
    """

    def name(match: re.Match[str]) -> str:
        word = (match[1] or match[2]).lower()
        return user if word == "user" else char

    return _PLACE.sub(name, text)
