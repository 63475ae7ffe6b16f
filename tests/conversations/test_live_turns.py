"""The turn over real HTTP, real sockets, a real web process and a provider that speaks for real."""

import asyncio
import random
import time
from uuid import uuid4

import pytest

from conversations import leases
from conversations.models import Reply
from tests.factories import make_conversation, make_user
from tests.live import Client, Process
from tests.scripted import Script

pytestmark = pytest.mark.django_db(transaction=True)
TALE = [f"word{n} 😀か゛\n" if n % 7 == 0 else f"word{n} " for n in range(60)]


@pytest.fixture
def talk(web):
    """Juno's program and her talk on a live web process."""
    user = make_user("juno")
    return Client(web, user), make_conversation(user).pk


def test_a_message_is_answered_word_for_word_and_the_usage_is_kept(talk, provider):
    client, chat = talk
    usage = {
        "prompt_tokens": 120,
        "completion_tokens": 9,
        "total_tokens": 129,
        "prompt_tokens_details": {"cached_tokens": 100},
    }
    provider.queue(Script(text=["Mochi is ", "asleep ", "on the *radio*."], usage=usage))
    status, turn = client.send(chat, "How is Mochi?")
    assert status == 202
    reply = client.await_end(chat, turn["reply"]["id"])
    assert (reply["status"], reply["text"]) == ("done", "Mochi is asleep on the *radio*.")
    assert "<em>radio</em>" in reply["html"]
    assert reply["usage"] == {
        "prompt_tokens": 120,
        "cached_tokens": 100,
        "completion_tokens": 9,
        "cost": None,
    }
    asked = provider.last.json
    assert asked["messages"][0]["role"] == "system"
    assert asked["messages"][-1] == {"role": "user", "content": "How is Mochi?"}


@pytest.mark.requirement("P2")
def test_a_send_that_is_delivered_twice_reaches_the_provider_once(talk, provider):
    client, chat = talk
    provider.queue(Script(text=["a"] * 5, delay=0.05))
    client_id = uuid4()
    first = client.send(chat, "Hello", client_id)
    second = client.send(chat, "Hello", client_id)
    assert first[1]["reply"]["id"] == second[1]["reply"]["id"]
    client.await_end(chat, first[1]["reply"]["id"])
    assert len(provider.requests) == 1
    assert client.send(chat, "Other words", client_id)[0] == 422


@pytest.mark.requirement("P4")
def test_a_second_tab_gets_409_and_keeps_its_text(talk, provider):
    client, chat = talk
    provider.queue(Script(text=["a"] * 40, delay=0.05))
    client.send(chat, "Hello")
    status, refusal = client.send(chat, "Me too")
    assert (status, refusal["code"]) == (409, "turn_in_progress")
    client.call("POST", f"conversations/{chat}/stop")


@pytest.mark.requirement("P5")
@pytest.mark.case("C35", "C47", "C48", "C49")
async def test_random_reconnects_see_no_gap_and_no_repeat(talk, provider):
    client, chat = talk
    provider.queue(Script(text=TALE * 3, delay=0.02))
    _, turn = await asyncio.to_thread(client.send, chat, "Tell me a tale")
    dice, connections = random.Random(7), 0

    async def visitor() -> None:
        nonlocal connections
        while True:
            async with client.socket(chat) as page:
                connections += 1
                before = (await page.hello())["reply"]
                if before is None:
                    return
                leave = time.monotonic() + dice.random() * 0.1
                while time.monotonic() < leave:
                    try:
                        await page.next(0.05)
                    except TimeoutError:
                        continue
                assert page.gaps == 0
                assert "".join(TALE * 3).startswith(page.text)
                if page.frames[-1]["type"] == "changed":
                    return

    await asyncio.gather(*(visitor() for _ in range(12)))
    reply = client.reply(chat, turn["reply"]["id"])
    assert reply["text"] == "".join(TALE * 3)
    assert connections > 100


@pytest.mark.requirement("P5")
@pytest.mark.case("C36", "C37")
async def test_a_second_device_sees_the_text_so_far_at_once_and_the_same_end(talk, provider):
    client, chat = talk
    provider.queue(Script(text=TALE, delay=0.03))
    async with client.socket(chat) as desk:
        await desk.hello()
        await asyncio.to_thread(client.send, chat, "Tell me a tale")
        await desk.until(lambda frame: frame["type"] == "delta" and frame["seq"] > 100)
        async with client.socket(chat) as phone:
            state = await phone.hello()
            assert len(state["reply"]["text"]) >= 100
            assert state["reply"]["status"] == "streaming"
            ends = await asyncio.gather(desk.until_ended(), phone.until_ended())
    assert desk.text == phone.text == "".join(TALE)
    assert [end["text"] for end in ends] == ["".join(TALE)] * 2


@pytest.mark.requirement("P6")
async def test_with_all_tabs_closed_the_reply_goes_on(talk, provider):
    client, chat = talk
    provider.queue(Script(text=TALE, delay=0.02))
    async with client.socket(chat) as page:
        await page.hello()
        _, turn = await asyncio.to_thread(client.send, chat, "Tell me a tale")
        await page.until(lambda frame: frame["type"] == "delta")
    reply = await asyncio.to_thread(client.await_end, chat, turn["reply"]["id"])
    assert (reply["status"], reply["text"]) == ("done", "".join(TALE))


@pytest.mark.requirement("P6")
async def test_stop_ends_the_text_closes_the_provider_and_keeps_what_was_seen(talk, provider):
    client, chat = talk
    provider.queue(Script(text=TALE * 10, delay=0.02))
    async with client.socket(chat) as page:
        await page.hello()
        await asyncio.to_thread(client.send, chat, "Tell me a tale")
        await page.until(lambda frame: frame["type"] == "delta" and frame["seq"] > 50)
        asked = time.monotonic()
        assert (await asyncio.to_thread(client.call, "POST", f"conversations/{chat}/stop"))[
            0
        ] == 202
        end = await page.until_ended()
        assert time.monotonic() - asked < 5 * 0.3
    assert end["status"] == "stopped"
    assert end["text"] == page.text
    for _ in range(100):
        if provider.last.closed_at:
            break
        await asyncio.sleep(0.05)
    assert provider.last.closed_at - asked < 5 * 1.0


@pytest.mark.requirement("P6")
@pytest.mark.case("C37")
def test_stop_works_while_the_provider_is_silent(talk, provider):
    client, chat = talk
    provider.queue(Script(hang_after=0))
    _, turn = client.send(chat, "Hello?")
    time.sleep(0.3)
    client.call("POST", f"conversations/{chat}/stop")
    assert client.await_end(chat, turn["reply"]["id"], 5)["status"] == "stopped"


@pytest.mark.requirement("P7")
@pytest.mark.case("C36", "C92")
def test_a_web_process_that_is_killed_leaves_the_text_and_an_end(talk, provider, web, settings):
    client, chat = talk
    provider.queue(Script(text=TALE * 10, delay=0.02))
    _, turn = client.send(chat, "Tell me a tale")
    while len(client.reply(chat, turn["reply"]["id"])["text"]) < 200:
        time.sleep(0.1)
    with Process("manage.py", "sweep"):
        killed = time.monotonic()
        web.kill()
        reply = Reply.objects.get(pk=turn["reply"]["id"])
        while reply.is_active and time.monotonic() < killed + 5 * 15:
            time.sleep(0.2)
            reply.refresh_from_db()
        waited = time.monotonic() - killed
    assert reply.status == Reply.Status.INTERRUPTED
    assert waited < settings.LEASE_SECONDS + settings.SWEEP_SECONDS + 5
    assert "".join(TALE * 10).startswith(reply.text)
    assert len(reply.text) >= 200
    assert leases.sweep() == 0


@pytest.mark.requirement("P10")
async def test_every_tab_shows_the_same_within_a_second_of_a_change(talk, provider):
    client, chat = talk
    async with client.socket(chat) as one, client.socket(chat) as two:
        await one.hello()
        await two.hello()
        provider.queue(Script(text=["Fine, ", "thank you."]))
        await asyncio.to_thread(client.send, chat, "How are you?")
        await asyncio.gather(one.until_ended(), two.until_ended())
        await asyncio.to_thread(client.call, "PATCH", f"conversations/{chat}", {"title": "Tea"})
        renamed = [await tab.next(5) for tab in (one, two)]
    assert [frame["conversation"]["title"] for frame in renamed] == ["Tea", "Tea"]
    assert one.messages == two.messages
    async with client.socket(chat) as fresh:
        await fresh.hello()
    assert fresh.messages == one.messages


@pytest.mark.requirement("P10")
async def test_a_stale_tab_that_catches_up_shows_what_a_fresh_one_shows(talk, provider):
    client, chat = talk
    async with client.socket(chat) as stale:
        await stale.hello()
    for n in range(3):
        provider.queue(Script(text=[f"answer {n}"]))
        _, turn = await asyncio.to_thread(client.send, chat, f"line {n}")
        await asyncio.to_thread(client.await_end, chat, turn["reply"]["id"])
    async with client.socket(chat) as back, client.socket(chat) as fresh:
        back.messages, back.revision = stale.messages, stale.revision
        state = await back.hello()
        assert len(state["messages"]) == 6  # not the greeting: only what is newer
        await fresh.hello()
    assert back.messages == fresh.messages


@pytest.mark.requirement("P8")
@pytest.mark.case("C45", "C46")
@pytest.mark.parametrize(
    ("script", "code", "kept"),
    [
        (Script(status=401), "auth", ""),
        (Script(status=402), "quota", ""),
        (Script(text=["Mochi is ", "asl"], cut_after=2), "network", "Mochi is asl"),
        (Script(text=["Mochi is "], finish=None, usage=None), "network", "Mochi is "),
        (Script(body={"error": {"message": "no such model"}}), "bad_response", ""),
        (Script(text=[]), "bad_response", ""),
    ],
)
def test_a_provider_that_fails_leaves_the_text_and_a_plain_reason(
    talk, provider, script, code, kept
):
    client, chat = talk
    provider.queue(script)
    _, turn = client.send(chat, "How is Mochi?")
    reply = client.await_end(chat, turn["reply"]["id"])
    assert (reply["status"], reply["text"]) == ("failed", kept)
    assert reply["error"]["code"] == code
    assert len(reply["error"]["explanation"]) > 20
    provider.queue(Script(text=["Mochi is well."]))
    path = f"conversations/{chat}/messages/{turn['answer']['id']}/regenerate"
    status, again = client.call("POST", path)
    assert status == 202
    assert client.await_end(chat, again["reply"]["id"])["text"] == "Mochi is well."


@pytest.mark.requirement("D21")
@pytest.mark.case("C109")
def test_reasoning_never_enters_the_text_of_a_reply(talk, provider):
    client, chat = talk
    provider.queue(
        Script(text=["<thi", "nk>She asks of the cat.</th", "ink>\n\nMochi ", "sleeps."]),
        Script(text=["The user asks again.", "</think>", "Still asleep."]),
    )
    for expected in ("Mochi sleeps.", "Still asleep."):
        _, turn = client.send(chat, f"How is Mochi? {expected}")
        reply = client.await_end(chat, turn["reply"]["id"])
        assert reply["text"].strip() == expected
        assert "think" not in reply["html"]
        assert Reply.objects.get(pk=reply["id"]).reasoning
