"""A socket ends soon after its person may no longer see what it shows (A2)."""

import asyncio
import json
from contextlib import AsyncExitStack

import pytest
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session

from conversations import trash
from conversations.models import Conversation
from reverie.accounts.hop import hop
from reverie.accounts.models import ApiToken
from reverie.accounts.sockets import NOT_FOUND, SIGNED_OUT
from tests.live import Web
from tests.reverie.houses import House, stranger
from tests.reverie.wires import HELLO, close_code, quiet, session_of, socket

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.requirement("A2")]
WAYS_OUT = (
    "signs out",
    "ended from elsewhere",
    "new password",
    "suspended",
    "suspended token",
    "token gone",
    "talk gone",
)


@pytest.fixture
def brisk(transactional_db, provider):
    """A process that asks every second whether a person may still be there."""
    told = {"CHAT_BASE_URL": provider.base_url, "CHAT_MODEL": "scripted", "CHAT_API_KEY": "k"}
    with Web(**told, SOCKET_RECHECK_SECONDS="1") as web:
        yield web


async def test_a_socket_closes_soon_after_its_person_may_no_longer_see_it(brisk):
    """Sign-out, a new password, suspension, a token taken away: at most 30 seconds (A2)."""
    people = {name: await hop(House.of, name) for name in (*WAYS_OUT, "stays")}
    async with AsyncExitStack() as opened:
        wires = {}
        for name, house in people.items():
            wires[name] = await opened.enter_async_context(await _entered(brisk, name, house))
            await wires[name].send(HELLO)
            assert json.loads(await wires[name].recv())["type"] == "state"
        await hop(_take_away, people)
        codes = await asyncio.gather(*(close_code(wires[name]) for name in WAYS_OUT))
        expected = dict.fromkeys(WAYS_OUT, SIGNED_OUT) | {"talk gone": NOT_FOUND}
        assert dict(zip(WAYS_OUT, codes, strict=True)) == expected
        await wires["stays"].send(HELLO)
        assert json.loads(await wires["stays"].recv())["type"] == "state"
    assert quiet(brisk)


async def _entered(web: Web, name: str, house: House):
    if "token" in name:
        return socket(web, house.ids["chat"], Authorization=f"Bearer {house.token}")
    cookie = await hop(_cookie, house)
    return socket(web, house.ids["chat"], Cookie=cookie, Origin=web.address)


def _cookie(house: House) -> str:
    """The session of a browser that opened a page, as every browser has before a socket."""
    cookie = session_of(house.user)
    browser = stranger()
    browser.cookies[settings.SESSION_COOKIE_NAME] = cookie.partition("=")[2]
    assert browser.get("/chats/").status_code == 200
    return cookie


def _take_away(people: dict[str, House]) -> None:
    """What a person, or the operator, does while sockets are open."""
    for session in Session.objects.all():
        if session.get_decoded()[SESSION_KEY] == people["signs out"].ids["owner"]:
            session.delete()
    elsewhere = people["ended from elsewhere"].browser()
    assert elsewhere.post("/settings/sessions/end/", {"others": "1"}).status_code == 302
    changed = people["new password"].user
    changed.set_password("another good long password")
    changed.save()
    people["suspended"].suspend()
    people["suspended token"].suspend()
    ApiToken.objects.filter(user=people["token gone"].user).delete()
    talk = Conversation.objects.get(pk=people["talk gone"].ids["chat"])
    trash.delete(talk.owner, talk.pk)
