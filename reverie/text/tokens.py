"""How many tokens a text has: exact for the tokenizers we bundle, an estimate for the others."""

import math
import re
import threading
from collections import OrderedDict
from hashlib import blake2b

from toktok import batch_count

from .clean import strip_invalid

ENCODINGS = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
TOKENIZERS = (*ENCODINGS, "estimate")

LONGEST_CACHED = 20_000
CACHE_ENTRIES = 8_192

_O200K = re.compile(r"gpt-?4o|gpt-?4\.[1-9]|gpt-?[5-9]|gpt-oss|chatgpt|(^|/)o[1-9](-|$)")
_CL100K = re.compile(r"gpt-?4|gpt-?3\.5|text-embedding-(3|ada)")

_Key = tuple[bytes, str]
_cache: OrderedDict[_Key, int] = OrderedDict()
_lock = threading.Lock()


def tokenizer_for(model: str) -> str:
    """The name in TOKENIZERS that fits a provider's model name; "estimate" when unknown."""
    name = model.lower()
    if _O200K.search(name):
        return "o200k"
    return "cl100k" if _CL100K.search(name) else "estimate"


def count(text: str, tokenizer: str = "o200k") -> int:
    """Tokens of `text`. Raises KeyError for a name that is not in TOKENIZERS."""
    if tokenizer == "estimate":
        return estimate(text)
    valid = strip_invalid(text)
    if len(valid) > LONGEST_CACHED:
        return _exact(valid, tokenizer)
    # The digest stands for the text, so that the cache stays small and holds nobody's words.
    key = (blake2b(valid.encode(), digest_size=16).digest(), tokenizer)
    known = _recall(key)
    return known if known is not None else _remember(key, _exact(valid, tokenizer))


def estimate(text: str) -> int:
    """CJK and emoji one token each, four other characters a token, rounded up (C63)."""
    wide = sum(char >= "\u2e80" for char in text)
    return wide + math.ceil((len(text) - wide) / 4)


def _exact(text: str, tokenizer: str) -> int:
    return int(batch_count([text], ENCODINGS[tokenizer], threads=1)[0])


def _recall(key: _Key) -> int | None:
    with _lock:
        if key in _cache:
            _cache.move_to_end(key)
        return _cache.get(key)


def _remember(key: _Key, tokens: int) -> int:
    with _lock:
        _cache[key] = tokens
        while len(_cache) > CACHE_ENTRIES:
            _cache.popitem(last=False)
    return tokens
