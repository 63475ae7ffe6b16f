"""Who is behind a socket right now, asked again while it stays open (A2)."""

from collections.abc import Mapping
from importlib import import_module
from types import SimpleNamespace
from typing import Any, cast

from django.conf import settings
from django.contrib import auth
from django.http import parse_cookie

from reverie.accounts.models import ApiToken, User
from reverie.text.clean import strip_invalid


def header(scope: Mapping[str, Any], name: bytes) -> str:
    """A header of a handshake, or an empty string."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


def bearer(scope: Mapping[str, Any]) -> str:
    """The bearer token of a handshake, or an empty string."""
    kind, _, token = header(scope, b"authorization").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def person(scope: Mapping[str, Any]) -> User | None:
    """The person of this handshake, by token or session, as the database knows them now."""
    if token := bearer(scope):
        found = ApiToken.objects.matching(token).first()
        return found.user if found else None
    key = strip_invalid(
        parse_cookie(header(scope, b"cookie")).get(settings.SESSION_COOKIE_NAME, "")
    )
    store = import_module(settings.SESSION_ENGINE).SessionStore(key)
    user = auth.get_user(cast(Any, SimpleNamespace(session=store)))
    return user if isinstance(user, User) else None
