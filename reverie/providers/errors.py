"""One taxonomy for everything that goes wrong outside, with a way out for each kind (C46)."""

import re
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from reverie.text.clean import strip_invalid

LONGEST_DETAIL = 2_000
LONGEST_RETRY = 86_400.0  # seconds; a provider that asks for more is not believed

_EXPLAINED: Final[dict[str, Promise]] = {
    "auth": _(
        "The model provider did not accept the key. Whoever runs this site can check the key "
        "under “Models”; your message is kept."
    ),
    "quota": _(
        "The account at the model provider has no credit left. Top it up there or choose "
        "another model, then try again."
    ),
    "rate": _("The model provider asks us to slow down. Wait a moment and try again."),
    "overloaded": _("The model provider is overloaded or down. Try again in a minute."),
    "network": _("The connection to the model provider was lost. Try again."),
    "context": _(
        "This conversation is longer than the model can read at once. Shorten the message, "
        "choose a lower memory detail or a model with a larger context."
    ),
    "content": _(
        "The model provider declined to answer this for reasons of content. Reword the message "
        "or regenerate the reply."
    ),
    "length": _(
        "The model reached the length of a reply before it said a word. One that thinks first "
        "needs more: set a longer reply for this chat, or none."
    ),
    "bad_response": _(
        "The model provider answered in a way that cannot be used. Try again; if it happens "
        "every time, whoever runs this site can test it under “Models”."
    ),
}
CODES: Final = tuple(_EXPLAINED)
RETRYABLE: Final = frozenset({"rate", "overloaded", "network"})

_SECRETS: Final = (
    re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}"),
    re.compile(r"(?i)(\b(?:x-)?api[-_]?key\W{1,4})[\w.~+/=-]{6,}"),
    re.compile(r"\b(sk|pk|rk|gsk|xai|hf|key|org|proj)[-_][\w*.-]{6,}"),
    re.compile(r"\bAIza[\w-]{20,}"),
    re.compile(r"\beyJ[\w-]{8,}(\.[\w-]+)*"),
    re.compile(r"\b(?=[A-Za-z+/_-]*\d)[\w+/-]{32,}={0,2}"),
)


class ProviderError(Exception):
    """A call to a model failed. `code` is one of CODES, `detail` what came, masked and bounded.

    `retry_after` is in seconds, as the provider asks; `status` the HTTP status, if there was one.
    """

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        status: int | None = None,
        retry_after: float | None = None,
        secret: str = "",
    ) -> None:
        self.code = code if code in _EXPLAINED else "bad_response"
        self.detail = masked(strip_invalid(detail), secret)
        self.status = status
        self.retry_after = None if retry_after is None else min(max(retry_after, 0), LONGEST_RETRY)
        super().__init__(f"{self.code}: {self.detail}" if self.detail else self.code)

    @property
    def retryable(self) -> bool:
        """Whether the same call may well succeed a little later."""
        return self.code in RETRYABLE


def explain(code: str) -> Promise:
    """A plain sentence for people, with a way out; an unknown code is a bad response."""
    return _EXPLAINED.get(code, _EXPLAINED["bad_response"])


def masked(text: str, secret: str = "") -> str:
    """`text` without keys (and without `secret`), at most LONGEST_DETAIL characters."""
    # A key that the bound cuts in half must not escape its pattern: mask first, then cut.
    text = text[: LONGEST_DETAIL * 4]
    if len(secret) >= 4:
        text = text.replace(secret, "•••")
    for pattern in _SECRETS:
        text = pattern.sub(_mask, text)
    return text if len(text) <= LONGEST_DETAIL else text[: LONGEST_DETAIL - 1] + "…"


def _mask(match: re.Match[str]) -> str:
    kept = match[1] if match.re.groups and match[1] and not match[0].startswith("eyJ") else ""
    return f"{kept} •••".strip()
