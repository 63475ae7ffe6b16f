"""Whatever is done to memories, every open page hears of it within a second (P10)."""

import asyncio
import json
import re
from typing import Any

import pytest
from django.test import Client

from characters import keeping as bonds
from characters.models import Character
from reverie.accounts.hop import hop
from tests.reverie.endpoints import OPERATIONS, PAGES, filled
from tests.reverie.houses import House
from tests.reverie.wires import HELLO, quiet, socket

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.requirement("P10")]
ABOUT = re.compile("memories|activity|bonds|characters/{pk}$")
OPERATED = [k for k in OPERATIONS if ABOUT.search(k) and k.split()[0] not in ("GET", "PATCH")]
OPERATED += ["PATCH memories/{pk}", "PATCH bonds/{character_id}"]
POSTED = [route for route, page in PAGES.items() if "memories/" in route and page.post != 405]
SECONDS = 5  # one, with room for a busy machine


def test_every_act_on_memories_is_here():
    assert len(OPERATED) >= 9
    assert len(POSTED) >= 8


def do(house: House, key: str) -> None:
    """One act, over the API or as the form of a page."""
    if key in PAGES:
        answer = house.browser().post(
            filled(PAGES[key].path, house.ids), filled(PAGES[key].form, house.ids)
        )
    else:
        answer = Client().generic(
            key.split()[0],
            f"/api/v1/{filled(OPERATIONS[key].path, house.ids)}",
            json.dumps(filled(OPERATIONS[key].body, house.ids)),
            content_type="application/json",
            headers=house.bearer(),
        )
    assert answer.status_code < 400, answer.content


def prepare(house: House, key: str) -> None:
    if "learn" in key:
        bonds.write_bond(house.user, Character.objects.of(house.user).get(), {"learns": False})


def shown(house: House, path: str) -> int:
    """The revision that a fresh page carries."""
    page = house.browser().get(filled(path, house.ids)).content.decode()
    return int(re.findall(r'data-revision="(\d+)"', page)[0])


async def heard(wire, kind: str, known: int | None = None) -> Any:
    """The next frame of this kind that says something else than what is known."""
    async with asyncio.timeout(SECONDS):
        while True:
            frame = json.loads(await wire.recv())
            if frame["type"] == kind and (known is None or frame["revision"] != known):
                return frame


async def test_every_act_is_heard_by_the_chat_and_by_the_page(web):
    for number, key in enumerate([*OPERATED, *POSTED]):
        house = await hop(House.of, f"juno{number}")
        await hop(prepare, house, key)
        told = {"Authorization": f"Bearer {house.token}"}
        async with (
            socket(web, house.ids["chat"], **told) as chat,
            socket(web, "", path="/ws/memories/", **told) as page,
        ):
            await chat.send(HELLO)
            await page.send(HELLO)
            known = (await heard(chat, "state"))["memories"]
            all_known = (await heard(page, "state"))["revision"]
            assert known == await hop(shown, house, "/memories/with/{character}/")
            assert all_known == await hop(shown, house, "/memories/")
            await hop(do, house, key)
            frames = [
                await heard(wire, "memories", old)
                for wire, old in ((chat, known), (page, all_known))
            ]
            after = [frame["revision"] for frame in frames]
            assert after[1] == await hop(shown, house, "/memories/"), key
            await chat.send(HELLO)
            assert (await heard(chat, "state"))["memories"] == after[0], "a reconnect tells it too"
    assert quiet(web)


async def test_nobody_hears_of_the_memories_of_somebody_else(web):
    juno, mallory = await hop(House.of, "juno"), await hop(House.of, "mallory")
    told = {"Authorization": f"Bearer {mallory.token}"}
    async with socket(web, "", path="/ws/memories/", **told) as wire:
        await wire.send(HELLO)
        await heard(wire, "state")
        await hop(do, juno, "POST memories")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(wire.recv(), 1)
