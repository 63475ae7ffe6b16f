"""How many tokens a character takes, as the model that is connected counts them."""

from collections.abc import Mapping
from dataclasses import dataclass

from characters.models import LONG_TEXT
from reverie.providers.choosing import chat_model
from reverie.text import clean, tokens

# What the model reads with every reply, and what it reads once as a message.
ALWAYS = (
    "description",
    "personality",
    "scenario",
    "example_dialogue",
    "system_prompt",
    "post_history_instructions",
)
ONCE = ("greeting",)
MOST = 2 * LONG_TEXT  # code points that are counted; so long a text is refused anyway
COUNTED = (*ALWAYS, *ONCE)


@dataclass(frozen=True, slots=True)
class Weight:
    """Tokens of each field and of those that go with every reply; `context`: what all may be."""

    fields: dict[str, int]
    context: int

    @property
    def total(self) -> int:
        return sum(self.fields[name] for name in ALWAYS)

    @property
    def high(self) -> int:
        """From here on little is left for the talk itself."""
        return self.context // 4


def weigh(texts: Mapping[str, str]) -> Weight:
    model = chat_model()
    told = {name: clean.cut(clean.clean(texts.get(name) or ""), MOST) for name in COUNTED}
    counted = {name: tokens.count(text, model.tokenizer) for name, text in told.items()}
    return Weight(counted, model.context_tokens)
