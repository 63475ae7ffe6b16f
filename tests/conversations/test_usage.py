"""What replies took, by day and by chat; and every limit in one table."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from conversations import limits, trash, usage
from conversations.models import Reply
from tests.factories import exchange, make_conversation

NOON = datetime(2026, 5, 20, 3, 0, tzinfo=UTC)  # noon in Tokyo


def take(chat, at, cost=None, **counts) -> Reply:
    """A reply that took so much at that time."""
    reply = exchange(chat, "Hello", "Hi").reply
    Reply.objects.filter(pk=reply.pk).update(created_at=at, cost=cost, **counts)
    return reply


@pytest.fixture
def tokyo(juno):
    juno.time_zone = "Asia/Tokyo"
    juno.save()
    return juno


@time_machine.travel(NOON, tick=False)
def test_a_day_begins_at_the_persons_own_midnight(tokyo, chat):
    take(chat, datetime(2026, 5, 18, 14, 59, tzinfo=UTC), prompt_tokens=10, completion_tokens=1)
    take(chat, datetime(2026, 5, 18, 15, 1, tzinfo=UTC), prompt_tokens=20, completion_tokens=2)
    days = {day.isoformat(): sums for day, sums in usage.of(tokyo).days}
    assert days["2026-05-18"].prompt_tokens == 10
    assert days["2026-05-19"].prompt_tokens == 20
    assert (len(days), min(days), max(days)) == (30, "2026-04-21", "2026-05-20")


@time_machine.travel(NOON, tick=False)
def test_everything_that_was_paid_for_counts_and_nothing_older(tokyo, chat, tomori):
    take(chat, NOON, "0.25", prompt_tokens=100, cached_tokens=60, completion_tokens=10)
    take(chat, NOON, None, prompt_tokens=5)
    take(chat, datetime(2026, 4, 1, tzinfo=UTC), "9", prompt_tokens=999)
    gone = make_conversation(tokyo, tomori)
    take(gone, NOON, "0.5", prompt_tokens=1_000, completion_tokens=7)
    trash.delete(tokyo, gone.pk)
    found = usage.of(tokyo)
    assert found.total == usage.Sums(3, 1, 1_105, 60, 17, Decimal("0.75"))
    assert [talk for talk, _ in found.chats] == [gone, chat]
    assert sum((sums for _, sums in found.chats), usage.Sums()) == found.total


@time_machine.travel(NOON, tick=False)
def test_without_any_price_there_is_no_cost(tokyo, chat):
    take(chat, NOON, prompt_tokens=5)
    assert usage.of(tokyo).total.cost is None


@pytest.mark.requirement("A1")
def test_nobody_sees_what_somebody_else_used(juno, chat, mallory):
    exchange(chat, "Hello", "Hi")
    assert usage.of(juno).total.replies == 1
    assert usage.of(mallory).total.replies == 0


@time_machine.travel(NOON, tick=False)
def test_the_highest_day_fills_the_drawing_and_its_pieces_stand_on_one_another(tokyo, chat):
    take(chat, NOON, prompt_tokens=80, cached_tokens=50, completion_tokens=20)
    bars = usage.bars(usage.of(tokyo))
    assert bars[-1].pieces == [(0, 50.0, 50.0), (1, 20.0, 30.0), (2, 0.0, 20.0)]
    assert all(not bar.pieces for bar in bars[:-1])


def test_the_page_and_the_api_tell_the_same_in_few_statements(juno, chat):
    reply = exchange(chat, "Hello", "Hi").reply
    Reply.objects.filter(pk=reply.pk).update(prompt_tokens=4_321, completion_tokens=1_234)
    client = Client()
    client.force_login(juno)
    page = client.get("/usage/").content.decode()
    assert "4,321" in page
    assert "<svg" in page
    told = client.get("/api/v1/usage").json()
    assert told["total"]["prompt_tokens"] == told["days"][-1]["prompt_tokens"] == 4_321
    assert told["chats"][0]["conversation_id"] == str(chat.pk)
    with CaptureQueriesContext(connection) as asked:
        usage.of(juno)
    assert len(asked) <= 5


def test_every_limit_is_told_as_the_code_goes_by_it(juno, settings):
    settings.MESSAGE_MAX_LENGTH = 31_999
    client = Client()
    assert "31,999" in client.get("/limits/").content.decode()
    client.force_login(juno)
    items = client.get("/api/v1/limits").json()["items"]
    told = {item["name"]: item for item in items}
    assert told["message"]["value"] == 31_999
    assert told["character_name"]["value"] == 80
    assert len(told) == len(items)


@pytest.mark.requirement("D2", "R9", "R86")
def test_the_limits_of_memories_are_those_of_the_settings(settings):
    settings.MEMORY_LIMIT, settings.PIN_LIMIT, settings.MEMORY_MAX_LENGTH = 99, 19, 499
    told = {row["name"]: row["value"] for row in limits.rows()}
    assert (told["memories"], told["pins"], told["memory"]) == (99, 19, 499)


def test_every_unit_has_words():
    assert {limit.unit for limit in limits.LIMITS} <= set(limits.UNITS)
