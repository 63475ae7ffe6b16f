"""Promises that hold when many do the same at once, on real connections."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import connections

from conversations import turns
from conversations.models import Message, Reply
from tests.factories import make_conversation, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(clients, act):
    """Run `act(n)` for every client at the same moment, each on a connection of its own."""
    gate = Barrier(clients)

    def run(number):
        try:
            gate.wait()
            return act(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(run, range(clients)))


def opened_or_code(chat, client_id, text):
    try:
        return turns.open(chat.owner, chat.pk, client_id, text)
    except ValidationError as refused:
        return refused.code


@pytest.mark.requirement("P2")
def test_sixteen_clients_that_race_the_same_25_ids_leave_25_messages():
    user = make_user("juno")
    chats = [make_conversation(user) for _ in range(25)]
    ids = [uuid4() for _ in chats]

    def act(_):
        return [opened_or_code(c, i, "Hello").message.pk for c, i in zip(chats, ids, strict=True)]

    answers = at_once(16, act)
    assert all(answer == answers[0] for answer in answers)
    assert Message.objects.filter(role="user").count() == 25
    assert Reply.objects.active().count() == 25


@pytest.mark.requirement("P4")
def test_a_thousand_races_never_start_a_second_reply():
    chat = make_conversation(make_user("juno"))

    def act(number):
        won = 0
        for n in range(125):
            opened = opened_or_code(chat, uuid4(), f"{number}:{n}")
            if opened == "turn_in_progress":
                continue
            won += 1
            assert Reply.objects.filter(conversation=chat).active().count() <= 1
            prepared = turns.prepare(opened.reply.pk)
            turns.close(opened.reply.pk, prepared.attempt, turns.Outcome(Reply.Status.DONE, "ok"))
        return won

    won = sum(at_once(8, act))
    assert won == Message.objects.filter(conversation=chat, role="user").count() > 0
    positions = list(Message.objects.within(chat).values_list("position", flat=True))
    assert positions == list(range(1, 2 * won + 2))


@pytest.mark.requirement("P4")
def test_a_reply_that_two_processes_claim_is_written_by_one():
    chat = make_conversation(make_user("juno"))
    opened = turns.open(chat.owner, chat.pk, uuid4(), "Hello")
    claims = at_once(8, lambda _: turns.prepare(opened.reply.pk))
    assert sum(claim is not None for claim in claims) == 1
