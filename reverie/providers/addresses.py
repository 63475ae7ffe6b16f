"""What an address has to be before it is kept. What it leads to is checked at every call (A6)."""

import re
from collections.abc import Sequence

import httpx2
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from .safe_http import check_address, is_allowed

LAST_PORT = 65_535
_HOST = re.compile(r"[\w.:-]+")


def checked(base_url: str, allowed: frozenset[str], named: Sequence[str]) -> str:
    """The address as it is kept, without the slash at its end.

    `allowed` are hosts that may be private, `named` those of PROVIDER_PRIVATE_HOSTS now. Raises
    `ValidationError` with code `not_an_address`, `key_in_address`, `private_host` or `in_clear`.
    """
    url = _parsed(base_url)
    if url.userinfo:
        raise ValidationError(
            _("Leave name and password out of the address; the key has its own field."),
            code="key_in_address",
        )
    if not is_allowed(url, allowed):
        _refuse_private(url, named)
    return str(url.copy_with(query=None, fragment=None)).rstrip("/")


def line_for(base_url: str, named: Sequence[str]) -> str:
    """The line of the environment that lets this host be private."""
    url = httpx2.URL(base_url)
    host = f"[{url.host}]" if ":" in url.host else url.host
    port = url.port or (443 if url.scheme == "https" else 80)
    return "PROVIDER_PRIVATE_HOSTS=" + ",".join([*named, f"{host}:{port}"])


def _parsed(base_url: str) -> httpx2.URL:
    try:
        url = httpx2.URL(base_url)
    except (httpx2.InvalidURL, UnicodeError, ValueError):
        url = httpx2.URL("")
    whole = _HOST.fullmatch(url.host) and (url.port or 1) <= LAST_PORT
    if url.scheme not in ("http", "https") or not whole:
        raise ValidationError(
            _("This is no address. It begins with https:// and mostly ends in /v1."),
            code="not_an_address",
        )
    return url


def _refuse_private(url: httpx2.URL, named: Sequence[str]) -> None:
    line = line_for(str(url), named)
    if _is_private(url.host):
        raise ValidationError(
            _(
                "This address is in a private network. Such a one is called only when the"
                " environment names it: add this line to it and start Reverie again: %(line)s"
            ),
            code="private_host",
            params={"line": line},
        )
    if url.scheme == "http":
        raise ValidationError(
            _(
                "Over http:// the key and every message would travel in the clear: use https://."
                " If this host is in your own network, add this line to the environment and"
                " start Reverie again: %(line)s"
            ),
            code="in_clear",
            params={"line": line},
        )


def _is_private(host: str) -> bool:
    """As far as it can be told without asking the network."""
    literal = host.replace(".", "").isdigit() or ":" in host
    local = host == "localhost" or host.endswith((".localhost", ".local", ".internal"))
    return local or (literal and not check_address(host))
