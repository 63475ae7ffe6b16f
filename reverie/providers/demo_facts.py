"""What the demo can read out of a prompt: names, and facts that people state about themselves."""

import re
from collections.abc import Sequence
from typing import Final

from reverie.text.clean import cut

from .base import ChatMessage

LONGEST_FACT = 120
MOST_FACTS = 12

_CHAR: Final = re.compile(
    r"^(?:character|name|名前|キャラクター)\s*[:：]\s*(?P<a>[^\n]{1,60}?)\s*$"
    r"|\byou are (?:now |playing |to play )?(?P<b>[^\n.,;:(“\"]{1,60}?)(?:[.,;:(\n]| in | from |$)"
    r"|あなたは「?(?P<c>[^」\n。、]{1,40}?)」?(?:です|という|として|になりき|を演じ)",
    re.IGNORECASE | re.MULTILINE,
)
_USER: Final = re.compile(
    r"^(?:user|persona|ユーザー|相手)\s*[:：]\s*(?P<a>[^\n]{1,60}?)\s*$"
    r"|\b(?:talking (?:to|with)|the user(?:'s name)? is(?: called)?) (?P<b>[^\n.,;:(]{1,60}?)"
    r"(?:[.,;:(\n]|$)"
    r"|(?:ユーザー|相手)(?:の名前)?は「?(?P<c>[^」\n。、]{1,40}?)」?(?:です|という)",
    re.IGNORECASE | re.MULTILINE,
)
_EN: Final = re.compile(
    r"\b(my (?:\w+ ){1,4}(?:is|are|was|has) [^.!?\n]+"
    r"|call me [^.!?\n]+"
    r"|i(?:'m| am) (?:allergic|afraid|from|called|learning|studying|a |an )[^.!?\n]*"
    r"|i (?:really )?(?:like|love|enjoy|prefer|hate|dislike|live|work|study|play|own|have an?) "
    r"[^.!?\n]+)",
    re.IGNORECASE,
)
_JA: Final = re.compile(
    r"([^。！？!?\n、「」]*?(?:が|は)(?:大好き|好き|嫌い|苦手)"
    r"|(?:私|僕|俺|わたし|ぼく)の[^。！？!?\n]{1,40}?(?:です|だよ|だ(?=。|$))"
    r"|[^。！？!?\n、]*?(?:に住んで|を飼って|で働いて|アレルギー)[^。！？!?\n]*"
    r"|[^。！？!?\n、]{1,30}(?:って|と)呼んで)"
)
_YOURS: Final = {
    "my": "your",
    "i": "you",
    "i'm": "you are",
    "am": "are",
    "me": "you",
    "mine": "yours",
    "myself": "yourself",
}
_ASKS: Final = re.compile(
    r"(what|do|can|anything).{0,20}\byou.{0,12}(remember|know about me)|tell me what you remember"
    r"|覚えて(い?る|い?ます|くれて|る)|(何|なに)を覚え|思い出せ",
    re.IGNORECASE,
)
_MARK: Final = re.compile(r" \(updated this week\)$|（今週更新）$")
_MEMORIES: Final = re.compile(r"remember|memor|記憶|思い出|覚え", re.IGNORECASE)


def names_in(messages: Sequence[ChatMessage]) -> tuple[str, str]:
    """The character's and the user's name as the system texts say them; "" where they do not."""
    text = "\n".join(message.content for message in messages if message.role == "system")
    return _named(_CHAR, text), _named(_USER, text)


def asks_for_memory(said: str) -> bool:
    """Whether the user wants to hear what is remembered."""
    return bool(_ASKS.search(said))


def facts_in(messages: Sequence[ChatMessage], language: str) -> list[str]:
    """Facts about the user in the order in which they came, each once, seen by the character."""
    found: list[str] = []
    for message in messages:
        if message.role == "system":
            found += _listed(message.content)
        elif message.role == "user" and not asks_for_memory(message.content):
            found += _stated(message.content, language)
    return list(dict.fromkeys(cut(fact, LONGEST_FACT) for fact in found))[-MOST_FACTS:]


def _named(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return next((name.strip() for name in match.groups() if name), "") if match else ""


def _listed(text: str) -> list[str]:
    """The points of a list under a line that speaks of memories."""
    found: list[str] = []
    listing = False
    for line in text.splitlines():
        point = line.strip().startswith(("- ", "* ", "• "))
        if point and listing:
            found.append(_MARK.sub("", line.strip()[2:]).strip())
        elif not point and not line.startswith("<notes "):
            listing = bool(_MEMORIES.search(line))
    return found


def _stated(text: str, language: str) -> list[str]:
    return (
        _japanese(text) + _english(text) if language == "ja" else _english(text) + _japanese(text)
    )


def _japanese(text: str) -> list[str]:
    """In the person's own words, in quotes: turning them round takes more than a rule."""
    return [f"「{fact.strip()}」" for fact in _JA.findall(text) if fact.strip()]


def _english(text: str) -> list[str]:
    return [_turned(fact.strip()) for fact in _EN.findall(text)]


def _turned(fact: str) -> str:
    """The fact as the other person says it: "my cat is Mochi" becomes "Your cat is Mochi"."""
    if fact.lower().startswith("call me "):
        return f"You want to be called {fact[8:]}"
    words = [_YOURS.get(word.lower(), word) for word in fact.replace("’", "'").split()]
    turned = " ".join(words)
    return turned[:1].upper() + turned[1:]
