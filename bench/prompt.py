"""What laying a long prompt costs."""

import time
from uuid import UUID

from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from bench import stage
from bench.figures import Figure, percentile
from bench.first_call import statements
from conversations import turns, versions
from conversations.models import Conversation, Message, Reply
from conversations.turns import Prepared
from tests.factories import exchange

MESSAGES, TIMES = 80, 30
SAID = "Today Mochi sat on the piano again, and nobody had the heart to move her. " * 3


def measure() -> list[Figure]:
    _, (talk,) = stage.talks(1)
    for number in range(MESSAGES // 2):
        exchange(talk, f"{number}. {SAID}", f"{number}. {SAID}")
    count = _count_statements(talk)
    laid = [_lay(talk) for _ in range(TIMES)]
    trips = [_round_trips(count) for _ in range(TIMES)]
    return [
        Figure(
            f"laying {MESSAGES} messages",
            percentile(laid, 50),
            "ms",
            f"claim a reply and lay its prompt, p50; reference: {count} SELECT 1",
            percentile(trips, 50),
        ),
        Figure("SQL of laying them", count, "", "does not grow with the talk"),
    ]


def _count_statements(talk: Conversation) -> int:
    queued = _queue(talk)
    with CaptureQueriesContext(connection) as captured:
        prepared = turns.prepare(queued)
    _close(prepared)
    return statements(captured)


def _lay(talk: Conversation) -> float:
    """Milliseconds of laying the last answer's prompt once more, as a regenerate does."""
    queued = _queue(talk)
    began = time.monotonic()
    prepared = turns.prepare(queued)
    spent = (time.monotonic() - began) * 1000
    _close(prepared)
    return spent


def _queue(talk: Conversation) -> UUID:
    answer = Message.objects.within(talk).order_by("-position")[0]
    return versions.regenerate(talk.owner, talk.pk, answer.pk).reply.pk


def _close(prepared: Prepared | None) -> None:
    assert prepared is not None  # nobody else answers here
    turns.close(prepared.reply_id, prepared.attempt, turns.Outcome(Reply.Status.DONE, SAID))


def _round_trips(count: int) -> float:
    """Milliseconds of a transaction with so many statements that do nothing."""
    began = time.monotonic()
    with transaction.atomic(), connection.cursor() as cursor:
        for _ in range(count):
            cursor.execute("SELECT 1")
    return (time.monotonic() - began) * 1000
