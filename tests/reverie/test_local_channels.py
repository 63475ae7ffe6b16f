"""The channel layer without Redis, between real processes on a real database."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection, transaction

from reverie.local.channels import PostgresLayer
from reverie.local.wire import Assembly, Message, parts

SECONDS = 20.0
LONG = {"type": "changed", "text": "長い話😀" * 4000}

# What another process of the same installation does with the layer.
SPEAKER = """
import asyncio, json, sys, django
django.setup()
from asgiref.sync import async_to_sync
from reverie.local.channels import PostgresLayer
async_to_sync(PostgresLayer().group_send)(sys.argv[1], json.loads(sys.stdin.read()))
"""


def in_a_loop(scene: Callable[[PostgresLayer], Awaitable[Any]]) -> Any:
    """Play a scene with a layer that hears the others, and close it."""

    async def play() -> Any:
        layer = PostgresLayer()
        try:
            await layer.new_channel()
            await asyncio.wait_for(layer.listening.wait(), SECONDS)
            return await scene(layer)
        finally:
            await layer.close()

    return asyncio.run(play())


async def member(layer: PostgresLayer, group: str) -> str:
    channel = await layer.new_channel()
    await layer.group_add(group, channel)
    return channel


async def heard(layer: PostgresLayer, channel: str, seconds: float = SECONDS) -> Message:
    return await asyncio.wait_for(layer.receive(channel), seconds)


def speak_in_another_process(group: str, message: str) -> None:
    database = connection.settings_dict
    login = f"{quote(database['USER'])}:{quote(database['PASSWORD'])}"
    host = quote(database["HOST"], safe="")
    url = f"postgresql://{login}@{host}:{database['PORT']}/{database['NAME']}"
    subprocess.run(
        [sys.executable, "-c", SPEAKER, group],
        env=os.environ | {"DATABASE_URL": url},
        input=message.encode(),
        check=True,
        timeout=30,
    )


@pytest.fixture
def database(transactional_db: None) -> Iterator[None]:
    """Transactions are real here, since what is sent with them is."""
    yield
    connection.close()


@pytest.mark.requirement("P10")
def test_a_group_hears_what_another_process_says(database: None) -> None:
    async def scene(layer: PostgresLayer) -> Message:
        channel = await member(layer, "chat-7")
        await asyncio.to_thread(speak_in_another_process, "chat-7", '{"type": "changed"}')
        return await heard(layer, channel)

    assert in_a_loop(scene) == {"type": "changed"}


def test_a_message_longer_than_a_notification_arrives_whole_and_once(database: None) -> None:
    async def scene(layer: PostgresLayer) -> list[Message]:
        other = PostgresLayer()
        mine, theirs = await member(layer, "chat-7"), await member(other, "chat-7")
        await asyncio.wait_for(other.listening.wait(), SECONDS)
        await layer.group_send("chat-7", LONG)
        got = [await heard(layer, mine), await heard(other, theirs)]
        for each, channel in ((layer, mine), (other, theirs)):
            with pytest.raises(TimeoutError):
                await heard(each, channel, 0.2)
        await other.close()
        return got

    assert in_a_loop(scene) == [LONG, LONG]


def test_what_is_sent_with_a_transaction_arrives_when_it_commits(database: None) -> None:
    def change(layer: PostgresLayer, number: int, *, fail: bool) -> None:
        with transaction.atomic():
            layer.send_with_transaction("chat-7", {"revision": number})
            if fail:
                transaction.set_rollback(True)

    async def scene(layer: PostgresLayer) -> list[Message]:
        other = PostgresLayer()
        mine, theirs = await member(layer, "chat-7"), await member(other, "chat-7")
        await asyncio.wait_for(other.listening.wait(), SECONDS)
        await asyncio.to_thread(change, layer, 1, fail=True)
        await asyncio.to_thread(change, layer, 2, fail=False)
        got = [await heard(layer, mine), await heard(other, theirs)]
        await other.close()
        return got

    assert in_a_loop(scene) == [{"revision": 2}, {"revision": 2}]


@pytest.mark.requirement("P9")
def test_a_layer_whose_connections_were_cut_hears_again(database: None) -> None:
    def cut_the_others() -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        connection.close()

    async def scene(layer: PostgresLayer) -> Message:
        other = PostgresLayer()
        channel = await member(layer, "chat-7")
        await member(other, "chat-7")
        await asyncio.to_thread(cut_the_others)
        while layer.listening.is_set():
            await asyncio.sleep(0.01)
        await asyncio.wait_for(layer.listening.wait(), SECONDS)
        assert await heard(layer, channel) == {"type": "missed"}  # so that it looks by itself
        await other.group_send("chat-7", {"type": "changed"})
        got = await heard(layer, channel)
        await other.close()
        return got

    assert in_a_loop(scene) == {"type": "changed"}


def test_a_process_talks_to_itself_without_the_database() -> None:
    async def scene() -> Message:
        layer = PostgresLayer()  # it may not reach the database in this test
        channel = await member(layer, "chat-7")
        await layer.group_send("chat-7", {"type": "changed"})
        got = await heard(layer, channel, 1)
        await layer.close()
        return got

    assert asyncio.run(scene()) == {"type": "changed"}


def test_a_full_channel_loses_its_oldest_message() -> None:
    async def scene() -> list[Message]:
        layer = PostgresLayer(capacity=2)
        channel = await member(layer, "chat-7")
        for number in range(3):
            await layer.group_send("chat-7", {"seq": number})
        got = [await heard(layer, channel), await heard(layer, channel)]
        await layer.close()
        return got

    assert asyncio.run(scene()) == [{"seq": 1}, {"seq": 2}]


def test_who_left_a_group_hears_nothing() -> None:
    async def scene() -> None:
        layer = PostgresLayer()
        channel = await member(layer, "chat-7")
        await layer.group_discard("chat-7", channel)
        await layer.group_send("chat-7", {"seq": 1})
        with pytest.raises(TimeoutError):
            await heard(layer, channel, 0.1)
        await layer.close()

    asyncio.run(scene())


def test_a_consumer_that_died_untidily_is_forgotten() -> None:
    async def scene() -> dict[str, set[str]]:
        layer = PostgresLayer(capacity=1, expiry=0)
        await member(layer, "chat-7")
        for number in range(2):
            await layer.group_send("chat-7", {"seq": number})
        members = dict(layer._members)
        await layer.close()
        return members

    assert asyncio.run(scene()) == {}


def test_parts_of_two_messages_may_come_mixed_and_strange_ones_are_passed_over() -> None:
    assembly = Assembly("me")
    first, second = (parts("you", "chat-7", LONG | {"seq": seq}) for seq in (1, 2))
    mixed = [part for pair in zip(first, second, strict=True) for part in pair]
    noise = ["", "a:b", "you:x:0:1:not json", *parts("me", "chat-7", {"seq": 0})]
    whole = [arrived for part in noise + mixed if (arrived := assembly.add(part))]
    assert [arrived.message["seq"] for arrived in whole] == [1, 2]
