"""Where a person is signed in, and ending that from elsewhere."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.core.cache import caches
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils.translation import gettext as _

from reverie.accounts import devices
from reverie.accounts.models import User


@dataclass(frozen=True)
class Session:
    pk: int
    device: str
    ip: str
    seen_at: datetime
    is_here: bool


def see(request: HttpRequest) -> None:
    """Note that a session is in use, once in SEEN_SECONDS and process: not with every request."""
    key = request.session.session_key
    if not key or not caches["process"].add(f"seen-{key}", True, settings.SEEN_SECONDS):
        return
    # Where its address cannot be told, that is no reason to refuse the page.
    with suppress(PermissionDenied):
        UserSession.objects.create_from_request(request)


def of(user: User, here: str | None) -> list[Session]:
    """The sessions of a person, this one first and then the last seen ones."""
    rows = UserSession.objects.purge_and_list(user)
    found = [
        Session(row.pk, _device(row.user_agent), row.ip, row.last_seen_at, row.session_key == here)
        for row in rows
    ]
    return sorted(found, key=lambda one: (not one.is_here, -one.seen_at.timestamp()))


def _device(user_agent: str) -> str:
    browser, system = devices.told(user_agent)
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("An unknown device")


def end(user: User, here: str | None, pk: int | None = None) -> int:
    """End one of a person's other sessions, or all of them; how many were ended.

    Their sockets are closed at their next check, within SOCKET_RECHECK_SECONDS.
    """
    others = UserSession.objects.filter(user=user).exclude(session_key=here or "")
    chosen = list(others if pk is None else others.filter(pk=pk))
    for row in chosen:
        row.end()
    return len(chosen)
