"""What strangers and odd frames can do at the sockets of a real web process (A1, A2)."""

import asyncio
import json
from types import SimpleNamespace
from uuid import uuid4

import pytest
import websockets
from django.conf import settings

from conversations import history
from reverie.accounts.hop import hop
from reverie.accounts.sockets import NOT_FOUND, SIGNED_OUT, TOO_BIG
from reverie.asgi import SOCKETS
from tests.reverie.houses import House
from tests.reverie.wires import HELLO, close_code, outcome, quiet, session_of, socket

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.requirement("A2")]


@pytest.fixture
def houses(web):
    return SimpleNamespace(
        web=web,
        juno=House.of("juno"),
        mallory=House.of("mallory"),
        root=House.of("root", is_staff=True, is_superuser=True),
    )


@pytest.mark.requirement("A1")
def test_every_socket_is_tested_here():
    known = ["ws/conversations/<uuid:pk>/", "ws/memories/", ""]
    assert [str(route.pattern) for route in SOCKETS] == known


@pytest.mark.requirement("A1")
async def test_a_socket_opens_for_its_owner_only(houses):
    web, juno, talk = houses.web, houses.juno, houses.juno.ids["chat"]
    ours = f"http://127.0.0.1:{web.port}"
    cookie = {
        name: await hop(session_of, getattr(houses, name).user)
        for name in ("juno", "mallory", "root")
    }
    bearer = {name: f"Bearer {getattr(houses, name).token}" for name in cookie}
    expected = {
        "nobody": ({"Origin": ours}, SIGNED_OUT),
        "nobody without an origin": ({}, 403),
        "owner by token": ({"Authorization": bearer["juno"]}, "state"),
        "owner by token, small letters": ({"Authorization": f"bearer {juno.token}"}, "state"),
        "owner by token from anywhere": (
            {"Authorization": bearer["juno"], "Origin": "https://evil.example"},
            "state",
        ),
        "owner by cookie": ({"Cookie": cookie["juno"], "Origin": ours}, "state"),
        "owner by cookie from elsewhere": (
            {"Cookie": cookie["juno"], "Origin": "https://evil.example"},
            403,
        ),
        "owner by cookie from a like name": (
            {"Cookie": cookie["juno"], "Origin": "http://127.0.0.1.evil.example"},
            403,
        ),
        "owner by cookie from null": ({"Cookie": cookie["juno"], "Origin": "null"}, 403),
        "owner by cookie without an origin": ({"Cookie": cookie["juno"]}, 403),
        "a wrong token beside the cookie": (
            {
                "Cookie": cookie["juno"],
                "Authorization": "Bearer no",
                "Origin": "https://evil.example",
            },
            SIGNED_OUT,
        ),
        "no token beside the cookie": (
            {
                "Cookie": cookie["juno"],
                "Authorization": "Bearer ",
                "Origin": "https://evil.example",
            },
            403,
        ),
        "another by token": ({"Authorization": bearer["mallory"]}, NOT_FOUND),
        "another by cookie": ({"Cookie": cookie["mallory"], "Origin": ours}, NOT_FOUND),
        "superuser by token": ({"Authorization": bearer["root"]}, NOT_FOUND),
        "superuser by cookie": ({"Cookie": cookie["root"], "Origin": ours}, NOT_FOUND),
        "a wrong token": ({"Authorization": "Bearer rv_wrong"}, SIGNED_OUT),
        "odd cookie": (
            {"Cookie": f"{settings.SESSION_COOKIE_NAME}=abc\"';,,", "Origin": ours},
            SIGNED_OUT,
        ),
        "another kind of token": ({"Authorization": "Basic eDp5", "Origin": ours}, SIGNED_OUT),
    }
    found = {name: await outcome(web, talk, **headers) for name, (headers, _) in expected.items()}
    assert found == {name: wanted for name, (_, wanted) in expected.items()}
    await hop(houses.juno.suspend)
    assert await outcome(web, talk, Authorization=bearer["juno"]) == SIGNED_OUT
    assert await outcome(web, talk, Cookie=cookie["juno"], Origin=ours) == SIGNED_OUT
    assert quiet(web)


@pytest.mark.requirement("A12")
async def test_an_address_that_leads_nowhere_closes_clearly(houses):
    bearer = f"Bearer {houses.juno.token}"
    for path in (
        "/",
        "/ws/",
        f"/ws/conversations/{uuid4()}/",
        "/ws/conversations/no-id/",
        "/ws/conversations/%00/",
        "/ws/conversations/%ED%A0%BD/",
        "/ws/" + "x" * 4_000,
        "/api/v1/characters",
    ):
        assert await outcome(houses.web, "", path=path, Authorization=bearer) == NOT_FOUND, path
    assert quiet(houses.web)


ODD = {
    "nothing": "",
    "no JSON": "{",
    "words": "hello",
    "null": "null",
    "a number": "1",
    "NaN": "NaN",
    "a list": "[]",
    "a string": '"hello"',
    "an empty object": "{}",
    "another type": '{"type": "state"}',
    "type is a list": '{"type": []}',
    "type is an object": '{"type": {"a": 1}}',
    "an inner name": '{"type": "changed", "revision": 5}',
    "a delta of ours": '{"type": "delta", "text": "x", "process": "y"}',
    "revision is text": '{"type": "hello", "revision": "1"}',
    "revision is null": '{"type": "hello", "revision": null}',
    "revision is a truth": '{"type": "hello", "revision": true}',
    "revision is a fraction": '{"type": "hello", "revision": 1.5}',
    "revision is NaN": '{"type": "hello", "revision": NaN}',
    "revision is below zero": '{"type": "hello", "revision": -1}',
    "revision is too large": '{"type": "hello", "revision": 9223372036854775808}',
    "revision is endless": '{"type": "hello", "revision": ' + "9" * 5_000 + "}",
    "NUL": "\x00",
    "NUL in it": '{"type": "hello\\u0000"}',
    "half a pair": '{"type": "\\ud83d"}',
    "very deep": "[" * 30_000,
    "deep objects": '{"a":' * 10_000,
    "bytes": b"\x00\xff\xfe",
    "no bytes": b"",
    "JSON as bytes": HELLO.encode(),
    "just under the limit": '{"type": "' + "x" * (64 * 1024 - 20) + '"}',
}


async def test_no_frame_makes_a_socket_fail_and_the_next_one_works(houses):
    web, talk, bearer = houses.web, houses.juno.ids["chat"], f"Bearer {houses.juno.token}"
    async with (
        socket(web, talk, Authorization=bearer) as wire,
        socket(web, talk, Authorization=bearer) as other,
    ):
        await other.send(HELLO)
        assert json.loads(await other.recv())["type"] == "state"
        for name, frame in ODD.items():
            await wire.send(frame)
            answer = json.loads(await asyncio.wait_for(wire.recv(), 10))
            assert (answer["type"], answer["code"]) == ("error", "bad_message"), name
        await wire.send(HELLO)
        assert json.loads(await asyncio.wait_for(wire.recv(), 10))["type"] == "state"
        await other.send(HELLO)
        assert json.loads(await asyncio.wait_for(other.recv(), 10))["type"] == "state"
    assert quiet(web)


@pytest.mark.parametrize("frame", ["x" * (64 * 1024 + 1), b"x" * (64 * 1024 + 1), "あ" * 30_000])
async def test_a_frame_over_the_limit_closes_its_own_socket_only(frame, houses):
    web, talk, bearer = houses.web, houses.juno.ids["chat"], f"Bearer {houses.juno.token}"
    async with socket(web, talk, Authorization=bearer) as other:
        async with socket(web, talk, Authorization=bearer) as wire:
            await wire.send(frame)
            assert await close_code(wire) == TOO_BIG
        await other.send(HELLO)
        assert json.loads(await asyncio.wait_for(other.recv(), 10))["type"] == "state"
    assert quiet(web)


async def test_a_frame_that_never_ends_is_not_read_to_its_end(houses):
    web, talk, bearer = houses.web, houses.juno.ids["chat"], f"Bearer {houses.juno.token}"
    async with socket(web, talk, Authorization=bearer) as wire:
        with pytest.raises(websockets.ConnectionClosed):
            await asyncio.gather(*(wire.send("x" * 8_000_000) for _ in range(16)))
    assert await outcome(web, talk, Authorization=bearer) == "state"
    assert quiet(web)


async def test_many_hellos_and_a_sudden_end_leave_no_trace(houses):
    web, talk, bearer = houses.web, houses.juno.ids["chat"], f"Bearer {houses.juno.token}"
    for _ in range(5):
        async with socket(web, talk, Authorization=bearer) as wire:
            for _ in range(50):
                await wire.send(HELLO)
            wire.transport.abort()
    assert await outcome(web, talk, Authorization=bearer) == "state"
    assert quiet(web)


async def test_nothing_comes_before_hello(houses, provider):
    """A socket that has not said what it has gets no changes either."""
    web, juno = houses.web, houses.juno
    async with socket(web, juno.ids["chat"], Authorization=f"Bearer {juno.token}") as wire:
        await hop(history.change, juno.user, juno.ids["chat"], {"title": "New"})
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(wire.recv(), 1)
    assert quiet(web)


@pytest.mark.requirement("A1")
async def test_the_socket_of_memories_has_the_same_guards(houses):
    web, juno, path = houses.web, houses.juno, "/ws/memories/"
    ours, cookie = f"http://127.0.0.1:{web.port}", await hop(session_of, juno.user)
    bearer = {"Authorization": f"Bearer {juno.token}"}
    callers = {
        "nobody": ({"Origin": ours}, SIGNED_OUT),
        "owner by token": (bearer, "state"),
        "owner by cookie": ({"Cookie": cookie, "Origin": ours}, "state"),
        "owner by cookie from elsewhere": (
            {"Cookie": cookie, "Origin": "https://evil.example"},
            403,
        ),
    }
    for name, (headers, expected) in callers.items():
        assert await outcome(web, "", path=path, **headers) == expected, name
    async with socket(web, "", path=path, **bearer) as wire:
        for name, frame in ODD.items():
            await wire.send(frame)
            answer = json.loads(await asyncio.wait_for(wire.recv(), 10))
            assert (answer["type"], answer["code"]) == ("error", "bad_message"), name
        await wire.send("x" * (64 * 1024 + 1))
        assert await close_code(wire) == TOO_BIG
    await hop(juno.suspend)
    assert await outcome(web, "", path=path, **bearer) == SIGNED_OUT
    assert quiet(web)
