"""The database and the web process restart under people who talk (P9, P20)."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.faults.history import History
from tests.faults.pages import Page
from tests.faults.world import LEASE_SECONDS, World
from tests.scripted import Script

SLACK = 5  # machines that run tests are slow
TALE = [f"word{n} か😀\n" if n % 9 == 0 else f"word{n} " for n in range(400)]


@pytest.fixture(scope="module")
def machine() -> Iterator[World]:
    with World(worker=False, FINISH_SECONDS="3", PROVIDER_IDLE_SECONDS="60") as world:
        yield world


@pytest.fixture
def world(machine: World) -> World:
    machine.keep_alive()
    machine.await_ready()
    return machine


class Tab(Page):
    """A page that stays at one web process for as long as the line holds."""

    def __init__(self, world: World, talk: str, web: int = 0) -> None:
        super().__init__(talk, [world.webs[web]], world.token, History(), "")
        self.dice.random = lambda: 1e6  # type: ignore[method-assign]  # it never leaves by itself


def beside(*tasks: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run these in a thread, since the main one starts processes; what is given ends them."""
    ending, loop = asyncio.Event(), asyncio.new_event_loop()

    async def together() -> None:
        await asyncio.gather(*(task(ending) for task in tasks))

    thread = threading.Thread(target=loop.run_until_complete, args=[together()])
    thread.start()

    def end() -> None:
        loop.call_soon_threadsafe(ending.set)
        thread.join(30)
        loop.close()

    return end


def until(true: Callable[[], Any], seconds: float) -> float:
    """Seconds until it was true."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < seconds, "it did not come in time"
        time.sleep(0.02)
    return time.monotonic() - began


def send(world: World, talk: str, text: str, client_id: str = "", web: int = 0) -> int:
    """The status of a send; 0 when no answer came."""
    body = {"client_id": client_id or str(uuid4()), "text": text}
    call = world.wire(web).call("POST", f"conversations/{talk}/messages", body)
    return asyncio.run(call).status


def replies(world: World, talk: str) -> list[tuple[str, str]]:
    found = world.query(
        "SELECT status, text FROM conversations_reply WHERE conversation_id = %s AND attempt > 0 "
        "ORDER BY id",
        talk,
    )
    return [(status, text) for status, text in found]


def ended(world: World, talk: str) -> bool:
    return all(status not in ("queued", "streaming") for status, _ in replies(world, talk))


@pytest.mark.requirement("P9", "P1", "P2")
def test_a_stream_outlives_a_database_that_is_away_for_longer_than_a_lease(world):
    talk, tab = world.begin_talk(), None
    tab = Tab(world, talk)
    world.provider.queue(Script(text=TALE[:160], delay=0.05))
    leave = beside(tab.follow)
    try:
        until(lambda: tab.line == 1, 20)
        assert send(world, talk, "Tell me a tale") == 202
        until(lambda: len(tab.text) > 50, 20)
        world.cluster.stop()
        heard, client_id = len(tab.text), str(uuid4())
        time.sleep(LEASE_SECONDS * 1.5)
        assert len(tab.text) > heard  # sockets are told what comes while nothing can be stored
        world.revive_database()
        back = until(lambda: send(world, talk, "And then?", client_id) in (202, 409), SLACK * 10)
        until(lambda: ended(world, talk), SLACK * 20)
        until(lambda: send(world, talk, "And then?", client_id) == 202, SLACK * 10)
        until(lambda: ended(world, talk), SLACK * 10)
        assert tab.line == 1  # the same socket all the time
    finally:
        leave()
    assert back < SLACK * 10
    assert replies(world, talk)[0] == ("done", "".join(TALE[:160]))
    assert len(replies(world, talk)) == 2
    assert world.broken_invariants() == {}


@pytest.mark.requirement("P9")
def test_after_a_restart_of_the_database_an_idle_tab_hears_what_another_process_does(world):
    talk = world.begin_talk()
    tab = Tab(world, talk, web=0)
    leave = beside(tab.follow)
    try:
        until(lambda: tab.revision > 0, 20)
        world.cluster.stop()
        world.revive_database()
        world.provider.queue(Script(text=["Here ", "again."]))
        until(lambda: send(world, talk, "Are you there?", web=1) == 202, SLACK * 10)
        until(lambda: any(m["text"] == "Here again." for m in tab.messages.values()), SLACK * 10)
        assert tab.line == 1
    finally:
        leave()


@pytest.mark.requirement("P9")
def test_while_the_database_is_away_a_send_is_refused_soon_and_kept_by_its_id_later(world):
    talk, client_id = world.begin_talk(), str(uuid4())
    world.cluster.stop()
    try:
        began = time.monotonic()
        assert send(world, talk, "Hello?", client_id) in (0, 500, 503)
        assert time.monotonic() - began < 15
    finally:
        world.revive_database()
    until(lambda: send(world, talk, "Hello?", client_id, web=1) == 202, SLACK * 10)
    rows = world.query("SELECT 1 FROM conversations_message WHERE client_id = %s", client_id)
    assert len(rows) == 1


@pytest.mark.requirement("P20", "P1")
def test_told_to_end_a_web_process_lets_a_short_reply_finish_and_keeps_a_long_one(world):
    short, long = world.begin_talk(), world.begin_talk()
    tabs = [Tab(world, short), Tab(world, long)]
    leave = beside(*(tab.follow for tab in tabs))
    web = world.webs[0]
    try:
        until(lambda: all(tab.line == 1 for tab in tabs), 20)
        world.provider.queue(Script(text=TALE[:30], delay=0.05))
        assert send(world, short, "Quick") == 202
        until(lambda: tabs[0].text, 20)
        world.provider.queue(Script(text=TALE, delay=0.05))
        assert send(world, long, "Slow") == 202
        until(lambda: tabs[1].text, 20)
        web.ask_to_end()
        assert web.await_end(SLACK * 10)
        shown = tabs[1].text
        world.keep_alive()
        until(lambda: all(tab.line >= 2 for tab in tabs), 60)  # they come back by themselves
    finally:
        leave()
    assert replies(world, short) == [("done", "".join(TALE[:30]))]
    ((status, text),) = replies(world, long)
    assert status == "interrupted"
    assert text == shown  # not a word of what was seen is lost


@pytest.mark.requirement("P20")
def test_a_request_that_is_under_way_does_not_keep_a_process_that_is_told_to_end(world):
    talk = world.begin_talk()
    web = world.webs[0]
    web.restart("turns.open:inside=sleep20")
    web.await_ready()
    sending = threading.Thread(target=send, args=[world, talk, "Hello"])
    sending.start()
    time.sleep(0.5)
    web.ask_to_end()
    assert web.await_end(SLACK * 4)
    web.start()
    sending.join()
