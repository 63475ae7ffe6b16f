"""What stays word for word: the live window (R2, R3, R25–R31), and what of the rest still fits."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

CONTEXT_SHARE = 4  # word-for-word text takes at most a quarter of the model's context (R31)
BATCH_PERCENT = 40  # of the cap; the beginning moves once per batch and not once per turn (D16)


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that is live: tokens and messages, whichever is reached first."""

    tokens: int
    messages: int

    @property
    def batch_tokens(self) -> int:
        return self.tokens * BATCH_PERCENT // 100


LEVELS = {
    "key_events": Cap(6_000, 30),
    "balanced": Cap(10_000, 50),
    "detailed": Cap(16_000, 80),
}


def cap(detail: str, context_tokens: int) -> Cap:
    """The cap of a level of memory detail under a model of `context_tokens`."""
    level = LEVELS[detail]
    return Cap(min(level.tokens, context_tokens // CONTEXT_SHARE), level.messages)


def live_from(sizes: Sequence[int], limit: Cap) -> int:
    """Index of the oldest live message, given the tokens of each, oldest first.

    The newest message is live whatever its size (D16).
    """
    newest_first = accumulate(reversed(sizes))
    fitting = sum(1 for total in newest_first if total <= limit.tokens)
    return len(sizes) - max(min(fitting, limit.messages), min(len(sizes), 1))


def sent_from(sizes: Sequence[int], room: int, limit: Cap, laid: int = 0) -> int:
    """Index of the oldest message that is sent into `room` tokens.

    `laid` is where the prompt began last time. It stays while it fits, so that the beginning stays
    put; when it does not, a whole batch is left out at once (D17), but never what is live if that
    alone fits.
    """
    if sum(sizes[laid:]) <= room:
        return laid
    live = sum(sizes[live_from(sizes, limit) :])
    target = max(room - limit.batch_tokens, min(room, live))
    newest_first = accumulate(reversed(sizes))
    return max(laid, len(sizes) - sum(1 for total in newest_first if total <= target))
