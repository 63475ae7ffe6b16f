"""What a person waits for while fifty replies stream at once (P22)."""

import threading
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from bench import stage
from bench.figures import Figure, percentile
from conversations.models import Conversation, Reply
from tests.live import Client
from tests.scripted import Script, ScriptedProvider

STREAMS, TOKENS, PER_SECOND = 50, 100, 20
ROUNDS, WARM_UP_ROUNDS = 4, 1
PATIENCE_SECONDS = 60


def measure() -> list[Figure]:
    person, talks = stage.talks(STREAMS)
    with ScriptedProvider(responder=lambda _: _script()) as provider:
        with stage.web(provider) as web:
            client = Client(web, person)
            acked: list[float] = []
            ours = _crowd(provider, lambda n: _turn(client, talks[n], acked))
        with stage.Bare(provider) as bare:
            least = _crowd(provider, lambda _: _post(bare.address))
    meaning = f"{STREAMS} replies streaming at {PER_SECOND} tokens/s; reference: a bare app"
    skipped = STREAMS * WARM_UP_ROUNDS
    return [
        Figure("crowded: ack, p50", percentile(acked[skipped:], 50), "ms", "POST to 202"),
        Figure("crowded: ack, p95", percentile(acked[skipped:], 95), "ms", "P22 wants ≤ 150"),
        *(
            Figure(f"crowded: POST to provider, p{p}", percentile(ours, p), "ms", meaning, least_p)
            for p in (50, 95)
            if (least_p := percentile(least, p))
        ),
    ]


def _script() -> Script:
    return Script(text=[f" word{n}" for n in range(TOKENS)], delay=1 / PER_SECOND)


def _crowd(provider: ScriptedProvider, turn: Callable[[int], None]) -> list[float]:
    """Milliseconds from each POST to an arrival at the provider, warm-up left out.

    Who arrived is not asked: with first come, first served the n-th start is the n-th arrival.
    """
    first, started, lock = len(provider.requests), list[float](), threading.Lock()

    def person(number: int) -> None:
        time.sleep(number * TOKENS / PER_SECOND / STREAMS)  # not all in the same moment
        for _ in range(ROUNDS):
            with lock:
                started.append(time.monotonic())
            turn(number)

    with ThreadPoolExecutor(STREAMS) as pool:
        list(pool.map(person, range(STREAMS)))
    arrived = sorted(request.at for request in provider.requests[first:])
    waits = [(at - began) * 1000 for began, at in zip(sorted(started), arrived, strict=True)]
    return waits[STREAMS * WARM_UP_ROUNDS :]


def _turn(client: Client, talk: Conversation, acked: list[float]) -> None:
    began = time.monotonic()
    status, answer = client.send(talk.pk, "How is Mochi today?")
    acked.append((time.monotonic() - began) * 1000)
    if status != 202:
        raise RuntimeError(f"the message was refused: {answer}")
    time.sleep(TOKENS / PER_SECOND)
    try:
        _await_end(answer["reply"]["id"])
    finally:
        connection.close()


def _await_end(reply_id: str) -> None:
    """Wait in the database and not over HTTP, so that waiting costs the web process nothing."""
    end = time.monotonic() + PATIENCE_SECONDS
    while Reply.objects.filter(pk=reply_id).active().exists():
        if time.monotonic() > end:
            raise RuntimeError("the reply does not end")
        time.sleep(0.1)


def _post(address: str) -> None:
    request = urllib.request.Request(address, b"{}")
    urllib.request.urlopen(request, timeout=PATIENCE_SECONDS).close()
