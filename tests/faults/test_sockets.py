"""What sockets and pages hold on to: consumers end with their tabs, connections are bounded."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator

from conversations import drafts, faults, generation, sync
from reverie.accounts.models import ApiToken
from reverie.asgi import application
from reverie.providers import environment_model
from tests.factories import make_conversation, make_user
from tests.faults.history import History
from tests.faults.pages import Page
from tests.faults.world import World
from tests.scripted import Script, ScriptedProvider

POOL, IDLE, LAYER = 20, 2, 2  # database connections of a web process: most, least, its layer's


@pytest.fixture
def spoken(settings: Any, provider: ScriptedProvider) -> ScriptedProvider:
    """The provider that replies of this very process come from."""
    settings.CHAT_BASE_URL, settings.CHAT_MODEL = provider.base_url, "scripted"
    environment_model()
    return provider


def open_tab(talk: Any, token: str) -> WebsocketCommunicator:
    path = f"/ws/conversations/{talk.pk}/"
    return WebsocketCommunicator(
        application, path, headers=[(b"authorization", f"Bearer {token}".encode())]
    )


async def greeted(tab: WebsocketCommunicator) -> Any:
    assert (await tab.connect())[0]
    await tab.send_json_to({"type": "hello", "revision": 0})
    return await tab.receive_json_from(10)


def held(talk: Any) -> tuple[bool, bool]:
    """Whether the process still pushes deltas, and changes, of this talk to anybody."""
    layer = get_channel_layer()
    return talk.pk in drafts.watchers, sync.group(talk.pk) in layer._members


@pytest.mark.requirement("P6")
@pytest.mark.case("C51")
@pytest.mark.django_db(transaction=True)
async def test_closing_the_tab_frees_its_consumer_at_once_while_the_reply_goes_on(spoken):
    user = await sync_to_async(make_user)("juno")
    talk = await sync_to_async(make_conversation)(user)
    tab = open_tab(talk, await sync_to_async(ApiToken.issue)(user))
    await greeted(tab)
    spoken.queue(Script(text=["word "] * 60, delay=0.05))
    opened = await sync_to_async(_open)(user, talk)
    generation.start(opened.reply.pk)
    while (await tab.receive_json_from(10))["type"] != "delta":
        pass
    left = time.monotonic()
    await tab.disconnect(timeout=5)
    assert time.monotonic() - left < 1
    assert held(talk) == (False, False)
    assert opened.reply.pk in drafts.live
    while opened.reply.pk in drafts.live:
        await asyncio.sleep(0.05)
    await sync_to_async(opened.reply.refresh_from_db)()
    assert (opened.reply.status, opened.reply.text) == ("done", "word " * 60)
    await get_channel_layer().close()


def _open(user: Any, talk: Any) -> Any:
    from conversations import turns

    return turns.open(user, talk.pk, uuid4(), "Tell me a tale")


@pytest.mark.case("C52")
@pytest.mark.django_db(transaction=True)
async def test_an_error_in_the_midst_of_a_socket_releases_everything(monkeypatch):
    user = await sync_to_async(make_user)("juno")
    talk = await sync_to_async(make_conversation)(user)
    tab = open_tab(talk, await sync_to_async(ApiToken.issue)(user))
    await greeted(tab)
    assert held(talk) == (True, True)
    monkeypatch.setitem(faults._faults, "sockets.receive:inside", faults.Fault("error"))
    await tab.send_json_to({"type": "hello", "revision": 0})
    with pytest.raises(Exception, match="a fault that was asked for"):
        await tab.wait(5)
    assert held(talk) == (False, False)
    await get_channel_layer().close()


@pytest.fixture(scope="module")
def machine() -> Iterator[World]:
    with World(webs=1, worker=False, DATABASE_IDLE_SECONDS="1") as world:
        yield world


@pytest.mark.case("C53", "C54")
def test_a_hundred_page_loads_and_fifty_sockets_use_few_database_connections(machine):
    talk, most = machine.begin_talk(), 0
    statuses: list[int] = []
    people = threading.Thread(target=lambda: asyncio.run(_crowd(machine, talk, statuses)))
    people.start()
    while people.is_alive():
        most = max(most, connections(machine))
        time.sleep(0.05)
    assert statuses == [200] * 100
    assert most <= POOL + LAYER + 1  # and the sweep's
    end = time.monotonic() + 60
    while (left := connections(machine)) > IDLE + LAYER + 1:
        assert time.monotonic() < end, f"{left} connections are left of {most}"
        time.sleep(0.2)


async def _crowd(world: World, talk: str, statuses: list[int]) -> None:
    """Fifty sockets that stay for a while, and a hundred page loads at once."""
    wire, (web,) = world.wire(), world.webs
    async with AsyncExitStack() as stack:
        for _ in range(50):
            page = Page(talk, [web], world.token, History(), "")
            page.wire = await stack.enter_async_context(page.connect(web))
            await page.hello()
        loads = (wire.call("GET", f"conversations/{talk}/messages") for _ in range(100))
        statuses += [answer.status for answer in await asyncio.gather(*loads)]


def connections(world: World) -> int:
    """How many the product has open now, our own look aside."""
    ((count,),) = world.query(
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' "
        "AND pid <> pg_backend_pid()"
    )
    return int(count)
