"""Finding one's characters: by words in any script and width, by tags, in an order."""

from collections import Counter
from dataclasses import dataclass

from characters.models import CharacterQuerySet
from reverie.accounts.finding import folded

SEARCHED = ("pk", "name", "nickname", "tagline", "tags", "description")


@dataclass(frozen=True, slots=True)
class Found:
    characters: CharacterQuerySet
    tags: list[tuple[str, int]]  # of those found, the commonest first, with how many have it


def find(owned: CharacterQuerySet, words: str, tags: list[str], *, newest: bool = False) -> Found:
    """Those of `owned` that mention all of `words` and have all of `tags`."""
    rows = [
        row
        for row in owned.values_list(*SEARCHED)
        if _mentions(row[1:], words) and set(tags) <= set(row[4])
    ]
    found = owned.filter(pk__in=[row[0] for row in rows])
    counted = Counter(tag for row in rows for tag in row[4])
    order = found.order_by("-pk") if newest else found.latest_first()
    return Found(order, sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def _mentions(row: tuple[object, ...], words: str) -> bool:
    wanted = folded(words).split()
    if not wanted:
        return True
    texts = (" ".join(part) if isinstance(part, list) else str(part) for part in row)
    written = folded("\n".join(texts))
    return all(word in written for word in wanted)
