"""What a try of a model says to people: one line a check, in plain words with a way out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from .addresses import line_for
from .errors import ProviderError, explain
from .probing import Findings

State = Literal["good", "bad", "fair"]
SLOW_SECONDS = 5.0


@dataclass(frozen=True)
class Check:
    """`fair`: not as one would wish, or not known, and one can talk all the same."""

    name: str
    state: State
    words: str
    detail: str = ""


@dataclass(frozen=True)
class Tried:
    """What was tried: the address, the model's name there, and the context that was given."""

    base_url: str
    model: str
    context_tokens: int
    named_hosts: Sequence[str] = ()
    key_is_lost: bool = False


def verdict(tried: Tried, found: Findings) -> list[Check]:
    """The checks in the order in which people care; after one that stops all, there are no more."""
    if found.failed:
        return list(_failure(tried, found, found.failed))
    checks = [
        Check("address", "good", _("The address answers.")),
        Check("key", "good", _("The key is accepted.")),
        Check("answer", "good", _("The model answers.")),
    ]
    return [*checks, _stream(found), _tools(found), _context(tried, found), _speed(found)]


def trouble(checks: Sequence[Check]) -> str:
    """The name of the check that stops all, or an empty text."""
    return next((check.name for check in checks if check.state == "bad"), "")


def _failure(tried: Tried, found: Findings, error: ProviderError) -> Iterator[Check]:
    told = error.detail if not error.status else f"HTTP {error.status}\n{error.detail}"
    if error.code == "network" or "address refused" in error.detail:
        yield Check("address", "bad", _unreachable(tried, error), told)
        return
    if error.status in (404, 405) and _nothing_listed(found):
        yield Check("address", "bad", _wrong_path(), told)
        return
    yield Check("address", "good", _("The address answers."))
    if error.code == "auth":
        yield Check("key", "bad", _refused_key(tried), told)
    elif error.status in (400, 404, 422) and error.code == "bad_response":
        yield Check("answer", "bad", _unknown_model(tried, found), told)
    elif error.code == "bad_response":
        yield Check("answer", "bad", _no_model(), told)
    else:
        yield Check("key", "good", _("The key is accepted."))
        yield Check("answer", "bad", str(explain(error.code)), told)


def _nothing_listed(found: Findings) -> bool:
    return isinstance(found.listed, ProviderError) and found.listed.status in (404, 405)


def _unreachable(tried: Tried, error: ProviderError) -> str:
    if "private address" in error.detail or "only https" in error.detail:
        line = line_for(tried.base_url, tried.named_hosts)
        return _(
            "This address is in a private network. Such a one is called only when the"
            " environment names it: add this line to it and start Reverie again: %(line)s"
        ) % {"line": line}
    if "no word within" in error.detail:
        return _(
            "There was no answer in time. A model on your own machine may have to be loaded"
            " first: try it once more."
        )
    return _(
        "Nothing answers there. Check the address and the port, and that the server is running."
    )


def _wrong_path() -> str:
    return _("The server answers, but not to this address. It mostly has to end in /v1.")


def _refused_key(tried: Tried) -> str:
    if tried.key_is_lost:
        return _(
            "The key that is kept cannot be read any more, since FIELD_KEYS changed. Type the key"
            " in again."
        )
    return _("The provider does not accept this key. Copy it there once more, whole.")


def _unknown_model(tried: Tried, found: Findings) -> str:
    names = [] if isinstance(found.listed, ProviderError) else [one.name for one in found.listed]
    near = get_close_matches(tried.model, names, n=3, cutoff=0.5) or names[:3]
    if near and tried.model not in names:
        return _("There is no model “%(model)s” there. There is: %(names)s.") % {
            "model": tried.model,
            "names": ", ".join(near),
        }
    return _("The provider does not take the call for “%(model)s”. Check the model’s name.") % {
        "model": tried.model
    }


def _no_model() -> str:
    return _(
        "Something answers there, but it does not talk as a model does. Check the address; it"
        " mostly ends in /v1."
    )


def _stream(found: Findings) -> Check:
    if found.pieces > 1:
        return Check("stream", "good", _("Replies come word by word."))
    return Check("stream", "fair", _("Replies come whole, all at once at their end."))


def _tools(found: Findings) -> Check:
    if found.tools == "called":
        return Check("tools", "good", _("It calls tools, so it can save memories while it talks."))
    if found.tools == "unknown":
        return Check("tools", "fair", _("There was no time to see whether it calls tools."))
    words = _(
        "It calls no tools, so it cannot save memories by itself. What you save is used all the"
        " same."
    )
    return Check("tools", "fair", words)


def _context(tried: Tried, found: Findings) -> Check:
    told = None
    if not isinstance(found.listed, ProviderError):
        told = next((one.context_tokens for one in found.listed if one.name == tried.model), None)
    numbers = {"told": _number(told or 0), "given": _number(tried.context_tokens)}
    if told is None:
        words = _("The provider does not say how much the model reads; %(given)s is what you gave.")
        return Check("context", "fair", words % numbers)
    if told < tried.context_tokens:
        words = _("The model reads %(told)s tokens, but you gave %(given)s: give less.")
        return Check("context", "fair", words % numbers)
    words = _("The model reads %(told)s tokens; %(given)s of them are used.")
    return Check("context", "good", words % numbers)


def _speed(found: Findings) -> Check:
    seconds = found.first_word or 0.0
    words = _("The first word came after about %(seconds)s seconds.")
    state: State = "good" if seconds < SLOW_SECONDS else "fair"
    return Check("speed", state, words % {"seconds": number_format(max(seconds, 0.1), 1)})


def _number(number: int) -> str:
    return number_format(number, use_l10n=True, force_grouping=True)
