"""How long a message takes from its POST to the provider's door, and what SQL it costs."""

import time
import urllib.request
from collections.abc import Callable
from uuid import UUID

from django.db import connection
from django.test.utils import CaptureQueriesContext

from bench import stage
from bench.figures import Figure, percentile
from conversations import turns
from conversations.models import Conversation, Reply
from tests.factories import say
from tests.live import Client
from tests.scripted import ScriptedProvider

WARM_UP, TURNS, TALKS = 10, 100, 10
PATIENCE_SECONDS = 10


def measure() -> list[Figure]:
    person, talks = stage.talks(TALKS)
    with ScriptedProvider() as provider:
        with stage.web(provider) as web:
            client = Client(web, person)
            acked: list[float] = []
            ours = _arrivals(provider, lambda n: _turn(client, talks[n % TALKS].pk, acked))
        with stage.Bare(provider) as bare:
            least = _arrivals(provider, lambda _: _post(bare.address))
    return [
        _arrival(ours, least, 50),
        _arrival(ours, least, 95),
        Figure("ack of a message, p50", percentile(acked, 50), "ms", "POST to 202"),
        Figure("ack of a message, p95", percentile(acked, 95), "ms", "POST to 202"),
        *_statements(talks[0]),
    ]


def _arrival(ours: list[float], least: list[float], percent: int) -> Figure:
    return Figure(
        f"POST to provider, p{percent}",
        percentile(ours, percent),
        "ms",
        f"{len(ours)} turns, one at a time; reference: a bare app that only asks",
        percentile(least, percent),
    )


def _arrivals(provider: ScriptedProvider, turn: Callable[[int], None]) -> list[float]:
    """Milliseconds from the start of each turn to its arrival at the provider, warm-up left out."""
    found = []
    for number in range(WARM_UP + TURNS):
        before, began = len(provider.requests), time.monotonic()
        turn(number)
        found.append((provider.requests[before].at - began) * 1000)
    return found[WARM_UP:]


def _turn(client: Client, talk: UUID, acked: list[float]) -> None:
    began = time.monotonic()
    status, answer = client.send(talk, "How is Mochi today?")
    acked.append((time.monotonic() - began) * 1000)
    if status != 202:
        raise RuntimeError(f"the message was refused: {answer}")
    _await_end(answer["reply"]["id"])


def _await_end(reply_id: str) -> None:
    """Wait in the database and not over HTTP, so that waiting costs the web process nothing."""
    end = time.monotonic() + PATIENCE_SECONDS
    while Reply.objects.filter(pk=reply_id).active().exists():
        if time.monotonic() > end:
            raise RuntimeError("the reply does not end")
        time.sleep(0.005)


def _post(address: str) -> None:
    urllib.request.urlopen(urllib.request.Request(address, b"{}"), timeout=30).close()


def _statements(talk: Conversation) -> list[Figure]:
    """SQL of a turn, taken in this process and on a talk that has its first turns behind it."""
    with CaptureQueriesContext(connection) as opening:
        opened = say(talk, "And how are you?")
    with CaptureQueriesContext(connection) as preparing:
        prepared = turns.prepare(opened.reply.pk)
    assert prepared is not None  # nobody else answers here
    outcome = turns.Outcome(Reply.Status.DONE, "Well, thank you.")
    with CaptureQueriesContext(connection) as closing:
        turns.close(prepared.reply_id, prepared.attempt, outcome)
    parts = {"open": opening, "prepare": preparing, "close": closing}
    meaning = "in one transaction; BEGIN and COMMIT not counted"
    return [Figure(f"SQL of {name}", statements(sql), "", meaning) for name, sql in parts.items()]


def statements(captured: CaptureQueriesContext) -> int:
    """How many statements, those that frame a transaction left out."""
    framing = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
    return sum(not query["sql"].startswith(framing) for query in captured.captured_queries)
