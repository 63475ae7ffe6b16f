"""The search of a live reply: an embedder over HTTP that answers, is slow, fails or lies."""

import pytest

from conversations.models import Reply
from memories import embedding, tasks
from memories.models import Memory, MemoryVector
from tests.factories import make_character, make_conversation, make_memory, make_user
from tests.live import Client, Web
from tests.scripted import Script, ScriptedProvider

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def letters(settings):
    """An embedder whose vectors count letters, for this process as for the web process."""
    with ScriptedProvider(dimensions=4_096) as embedder:
        settings.EMBEDDING_BASE_URL, settings.EMBEDDING_MODEL = embedder.base_url, "letters"
        yield embedder


@pytest.fixture
def site(letters, provider):
    with Web(
        CHAT_BASE_URL=provider.base_url,
        CHAT_MODEL="scripted",
        EMBEDDING_BASE_URL=letters.base_url,
        EMBEDDING_MODEL="letters",
        RECALL_SECONDS="4",
    ) as web:
        yield web


@pytest.fixture
def talk(site):
    juno = make_user("juno")
    tomori = make_character(juno)
    mochi = make_memory(juno, tomori, "もち", unused_days=6, last_counted_on="2026-01-01")
    make_memory(juno, None, "xyz", unused_days=9, last_counted_on="2026-01-01")
    tasks.embed()
    return Client(site, juno), make_conversation(juno, tomori).pk, mochi


def replied(talk, text: str) -> Reply:
    client, chat, _ = talk
    status, turn = client.send(chat, text)
    assert status == 202
    client.await_end(chat, turn["reply"]["id"])
    return Reply.objects.get(pk=turn["reply"]["id"])


@pytest.mark.requirement("S10", "S11", "S23", "S69")
def test_a_reply_embeds_its_message_once_and_sends_what_it_recalls(talk, letters, provider):
    asked = len(letters.requests)
    reply = replied(talk, "xyz")
    assert len(letters.requests) == asked + 1
    assert letters.last.json["input"] == ["xyz"]
    assert reply.sent["recall"]["searched"]
    assert len(reply.sent["recall"]["woke"]) == 1
    assert "- xyz" in str(provider.last.json["messages"])
    talk[2].refresh_from_db()
    assert (talk[2].unused_days, talk[2].state) == (7, "dormant")
    assert "もち" not in str(provider.last.json["messages"])


@pytest.mark.requirement("S8", "S30", "D11")
@pytest.mark.parametrize(
    "trouble",
    [
        Script(first_delay=30),
        Script(status=500),
        Script(status=401),
        Script(body="this is no JSON"),
        Script(body={"data": []}),
    ],
    ids=["slow", "failing", "refusing", "no JSON", "no vectors"],
)
def test_a_search_that_is_late_or_fails_changes_nothing_and_the_reply_goes_on(
    talk, letters, trouble
):
    letters.queue(trouble)
    reply = replied(talk, "xyz")
    assert reply.status == "done"
    assert reply.sent["recall"]["searched"] is False
    assert sorted(Memory.objects.values_list("unused_days", flat=True)) == [6, 9]


@pytest.mark.requirement("D11")
@pytest.mark.case("C97", "C98")
def test_after_a_change_of_the_model_nothing_is_compared_until_all_is_embedded_anew(
    talk, letters, settings
):
    MemoryVector.objects.update(model="another")
    reply = replied(talk, "xyz")
    assert (reply.sent["recall"]["searched"], reply.sent["recall"]["matches"]) == (True, [])
    assert sorted(Memory.objects.values_list("unused_days", flat=True)) == [6, 9]
    model = embedding.embedder()
    assert model
    assert embedding.due(model).count() == 2
    tasks.embed()
    assert embedding.due(model).count() == 0


@pytest.mark.requirement("D11")
@pytest.mark.case("C97")
def test_saving_never_waits_for_an_embedder_that_is_away(talk, letters, settings):
    settings.EMBEDDING_BASE_URL = "http://127.0.0.1:9/v1"
    memory = make_memory(talk[2].scope.owner, None, "saved all the same")
    tasks.embed()
    assert not MemoryVector.objects.filter(memory=memory).exists()
    settings.EMBEDDING_BASE_URL = letters.base_url
    tasks.embed()
    assert MemoryVector.objects.filter(memory=memory).exists()
