"""Every limit that people can meet, from the values that the code itself goes by."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from characters import avatars
from characters.cards import limits as cards
from characters.models import (
    LONG_TEXT,
    MOST_GREETINGS,
    MOST_TAGS,
    TAG_LENGTH,
    Bond,
    Character,
    Persona,
)
from conversations import finding, history
from conversations.engine.window import LEVELS
from memories.engine import choice, decay, similarity
from reverie.accounts.models import User

UNITS: dict[str, Promise] = {
    "characters": pgettext_lazy("of a text", "characters"),
    "tokens": _("tokens"),
    "bytes": _("bytes"),
    "pixels": _("pixels"),
    "seconds": _("seconds"),
    "days": _("days"),
    "memories": pgettext_lazy("a number of", "memories"),
    "items": _("pieces"),
}


@dataclass(frozen=True)
class Limit:
    """`value` is a number, or the name of the setting that has it."""

    name: str
    value: int | str
    unit: str
    words: Promise


def _length(model: Any, field: str) -> int:
    return int(model._meta.get_field(field).max_length)


LIMITS = [
    Limit("message", "MESSAGE_MAX_LENGTH", "characters", _("A message")),
    Limit(
        "reply",
        "REPLY_MAX_LENGTH",
        "characters",
        _("A reply; a model that never ends is stopped there"),
    ),
    Limit("reply_time", "REPLY_MAX_SECONDS", "seconds", _("The time that a reply may take")),
    Limit(
        "reply_reserve",
        "REPLY_RESERVE_TOKENS",
        "tokens",
        _("Kept free in a model's context for the reply"),
    ),
    Limit("title", history.TITLE_LENGTH, "characters", _("The name of a chat")),
    Limit("search", finding.QUERY_LENGTH, "characters", _("A search")),
    Limit("trash", "TRASH_DAYS", "days", _("What was deleted can be brought back for")),
    Limit("character_name", _length(Character, "name"), "characters", _("The name of a character")),
    Limit(
        "character_tagline",
        _length(Character, "tagline"),
        "characters",
        _("The line about a character"),
    ),
    Limit(
        "character_text",
        LONG_TEXT,
        "characters",
        _("Description, personality and every other long text of a character"),
    ),
    Limit("character_greetings", MOST_GREETINGS, "items", _("Other greetings of a character")),
    Limit("character_tags", MOST_TAGS, "items", _("Tags of a character")),
    Limit("tag", TAG_LENGTH, "characters", _("A tag")),
    Limit("avatar_file", avatars.MAX_BYTES, "bytes", _("The file of a picture")),
    Limit("avatar_pixels", avatars.MAX_PIXELS, "pixels", _("A picture, width times height")),
    Limit("persona_name", _length(Persona, "name"), "characters", _("The name of a persona")),
    Limit(
        "shown_name",
        _length(User, "shown_name"),
        "characters",
        _("The name that characters use for you"),
    ),
    Limit(
        "memories",
        "MEMORY_LIMIT",
        "memories",
        _("Memories of one character, or for all of them; pinned ones are counted apart"),
    ),
    Limit(
        "pins", "PIN_LIMIT", "memories", _("Pinned memories of one character, or for all of them")
    ),
    Limit(
        "memories_sent",
        "MEMORIES_SENT",
        "memories",
        _("Memories sent with a reply, besides the pinned ones"),
    ),
    Limit("memory", "MEMORY_MAX_LENGTH", "characters", _("A memory")),
    Limit("memory_recent", choice.RECENT_DAYS, "days", _("A changed memory is marked as new for")),
    Limit(
        "memory_unused",
        decay.DORMANT_AFTER,
        "days",
        _("Days of talk without mention, after which a memory falls asleep"),
    ),
    Limit(
        "memories_used",
        similarity.MOST_USED,
        "memories",
        _("Memories that one message can touch"),
    ),
    *(
        Limit(
            f"window_{level}",
            most.tokens,
            "tokens",
            format_lazy(
                _("Word for word at “{level}”, with at most {messages} messages"),
                level=Bond.Detail(level).label,
                messages=most.messages,
            ),
        )
        for level, most in LEVELS.items()
    ),
    Limit("card_file", cards.FILE, "bytes", _("The file of a character card")),
    Limit("card_unpacked", cards.UNPACKED, "bytes", _("All files in a card's archive, unpacked")),
    Limit("card_files", cards.FILES, "items", _("Files in a card's archive")),
    Limit("card_entries", cards.ENTRIES, "items", _("Entries of the world book in a card")),
]


def rows() -> Iterator[dict[str, Any]]:
    """`{name, value, unit, words}` of every limit, in the reader's language."""
    for limit in LIMITS:
        told = limit.value
        value = getattr(settings, told) if isinstance(told, str) else told
        yield {"name": limit.name, "value": value, "unit": limit.unit, "words": str(limit.words)}
