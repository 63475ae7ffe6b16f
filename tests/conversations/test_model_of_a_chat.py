"""Each chat chooses its model, how warm it is and how long it talks; what it costs is counted."""

import json
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client

from characters.models import Bond
from conversations import generation, history, sync, turns, versions
from conversations.models import Conversation, Fold, Message, Reply
from reverie.accounts.models import ApiToken
from reverie.providers import connecting
from reverie.providers.base import Price, Usage
from reverie.providers.models import ConnectedModel
from tests.factories import exchange, make_conversation, make_model, make_persona, say
from tests.live import Client as Program
from tests.live import Web
from tests.scripted import Script


@pytest.fixture
def lamp(db) -> ConnectedModel:
    return make_model("Lamplight", context_tokens=8_192)


def prepared(chat: Conversation, text: str = "How is Mochi?") -> turns.Prepared:
    ready = turns.prepare(say(chat, text).reply.pk)
    assert ready
    return ready


def choose(chat: Conversation, **fields) -> Conversation:
    return history.change(chat.owner, chat.pk, fields)


def patch(chat: Conversation, **body) -> tuple[int, dict]:
    token = ApiToken.issue(chat.owner)
    answer = Client().patch(
        f"/api/v1/conversations/{chat.pk}",
        json.dumps(body),
        content_type="application/json",
        headers={"authorization": f"Bearer {token}"},
    )
    return answer.status_code, answer.json()


def test_a_chat_talks_with_the_model_it_chose_and_others_with_the_default(chat, lamp):
    other = make_conversation(chat.owner)
    choose(chat, model_id=lamp.pk)
    mine, default = prepared(chat), prepared(other)
    assert (mine.model.name, mine.model.context_tokens) == ("lamp-1", 8_192)
    assert default.model.is_demo
    assert Reply.objects.get(pk=mine.reply_id).model == "lamp-1"


def test_every_way_to_a_reply_uses_the_chats_model(chat, lamp):
    turn = exchange(chat, "Hello", "Hi")
    choose(chat, model_id=lamp.pk)
    again = versions.regenerate(chat.owner, chat.pk, turn.answer.pk)
    begun = turns.prepare(again.reply.pk)
    assert begun.model.name == "lamp-1"
    turns.close(begun.reply_id, begun.attempt, turns.Outcome(Reply.Status.STOPPED, "So"))
    more = turns.prepare(versions.go_on(chat.owner, chat.pk, begun.reply_id).reply.pk)
    assert more.model.name == "lamp-1"
    turns.close(more.reply_id, more.attempt, turns.Outcome(Reply.Status.DONE, "So it is"))
    assert turns.impersonate(chat.owner, chat.pk)[0].name == "lamp-1"


def test_what_fits_is_measured_by_the_chats_own_model(chat):
    small = make_model("Small", context_tokens=1_024)
    choose(chat, model_id=small.pk)
    with pytest.raises(ValidationError, match="tokens") as refusal:
        say(chat, "word " * 1_500)
    assert refusal.value.code == "too_long_for_model"
    choose(chat, model_id=None)
    assert say(chat, "word " * 1_500)


def test_another_model_lays_the_prompt_anew_and_says_why(chat, lamp):
    exchange(chat, "Hello", "Hi")
    choose(chat, model_id=lamp.pk)
    exchange(chat, "And now?", "Now too")
    assert list(Fold.objects.values_list("reason", flat=True)) == ["first", "change"]


def test_a_model_that_is_switched_off_or_deleted_gives_way_to_the_default(chat, lamp, client):
    choose(chat, model_id=lamp.pk)
    connecting.switch(lamp.pk, False)
    client.force_login(chat.owner)
    page = client.get(f"/chats/{chat.pk}/settings/").content.decode()
    assert "Lamplight was chosen here and is not offered any more" in page
    assert prepared(chat).model.is_demo
    lamp.delete()
    chat.refresh_from_db()
    assert chat.model_choice_id is None
    assert client.get(f"/chats/{chat.pk}/settings/").status_code == 200


def test_temperature_and_length_are_sent_only_when_they_are_set(chat):
    request = prepared(chat).request
    assert (request.temperature, request.max_tokens) == (None, None)
    other = choose(make_conversation(chat.owner), temperature=0.0, reply_tokens=256)
    request = prepared(other).request
    assert (request.temperature, request.max_tokens) == (0.0, 256)


def test_room_is_kept_for_a_long_reply_but_never_more_than_half(chat, lamp):
    choose(chat, reply_tokens=8_192, model_id=lamp.pk)
    ready = prepared(chat)
    assert ready.request.max_tokens == 4_096
    assert Reply.objects.get(pk=ready.reply_id).sent["reserve"] == 4_096


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("temperature", -0.1, "temperature_range"),
        ("temperature", 2.1, "temperature_range"),
        ("temperature", 1e300, "temperature_range"),
        ("reply_tokens", 63, "reply_length_range"),
        ("reply_tokens", 10**12, "reply_length_range"),
        ("model_id", "0190a8a4-0000-7000-8000-000000000000", "no_such_model"),
        ("temperature", "warm", "malformed"),
        ("reply_tokens", 100.5, "malformed"),
    ],
)
def test_what_is_out_of_range_is_refused_in_words_and_changes_nothing(chat, field, value, code):
    before = Conversation.objects.filter(pk=chat.pk).values().get()
    status, answer = patch(chat, title="New", **{field: value})
    assert (status, answer["code"]) == (422, code)
    assert answer["detail"]
    assert Conversation.objects.filter(pk=chat.pk).values().get() == before


def test_a_model_that_is_switched_off_cannot_be_chosen(chat):
    off = make_model(enabled=False)
    assert patch(chat, model_id=str(off.pk))[1]["code"] == "no_such_model"


def test_the_api_shows_what_it_set_and_null_takes_it_back(chat, lamp):
    told = {"model_id": str(lamp.pk), "temperature": 0.7, "reply_tokens": 512}
    status, answer = patch(chat, **told)
    assert status == 200
    assert {name: answer[name] for name in told} == told
    empty = dict.fromkeys(told)
    assert {name: patch(chat, **empty)[1][name] for name in told} == empty


@pytest.mark.parametrize("fields", [{"temperature": 2.5}, {"reply_tokens": 1}])
def test_the_database_refuses_it_too(chat, fields):
    with pytest.raises(IntegrityError), transaction.atomic():
        Conversation.objects.filter(pk=chat.pk).update(**fields)


@pytest.mark.requirement("P10")
def test_other_tabs_are_told(chat, lamp):
    chat.refresh_from_db()
    revision = chat.revision
    rin = make_persona(chat.owner, "Rin")
    choose(chat, model_id=lamp.pk, persona_id=rin.pk)
    caught_up = sync.changes(chat.owner, chat.pk, revision)
    assert caught_up["conversation"]["persona_name"] == "Rin"
    assert caught_up["conversation"]["model_id"] == str(lamp.pk)


@pytest.mark.requirement("R55")
def test_another_persona_speaks_from_the_next_message_on_and_isolates_nothing(chat):
    exchange(chat, "My cat is called Mochi", "What a name")
    choose(chat, persona_id=make_persona(chat.owner, "Rin", description="A drummer").pk)
    ready = prepared(chat, "And how am I called?")
    prompt = "\n".join(message.content for message in ready.request.messages)
    assert "A drummer" in prompt
    assert "Mochi" in prompt
    names = [sync.message_row(m)["name"] for m in Message.objects.within(chat).shown()]
    assert names == ["Tomori", "", "Tomori", "Rin", "Tomori"]


def test_what_a_reply_costs_is_worked_out_from_prices():
    price = Price(Decimal("2.5"), Decimal("0.25"), Decimal(10))
    usage = Usage(prompt_tokens=10_000, cached_tokens=8_000, completion_tokens=500)
    assert price.of(usage) == Decimal("0.012")
    assert generation.believable(usage, price)["cost"] == Decimal("0.012")
    odd = Usage(prompt_tokens=10, cached_tokens=50, completion_tokens=0)
    assert price.of(odd) == Decimal("0.0000025"), "no more can be cached than was sent"


def test_what_the_provider_says_of_the_cost_counts_more_and_without_prices_nobody_knows():
    price = Price(Decimal(1), Decimal(1), Decimal(1))
    told = Usage(10, 0, 10, cost=Decimal("0.5"))
    assert generation.believable(told, price)["cost"] == Decimal("0.5")
    assert generation.believable(Usage(10, 0, 10))["cost"] is None
    assert make_free().price is None
    assert generation.believable(Usage(2**40, 0, 1), price)["prompt_tokens"] is None


def make_free() -> ConnectedModel:
    return ConnectedModel(price_sent=None, price_written=Decimal(1))


def test_a_cached_token_costs_as_any_other_where_nobody_said():
    row = ConnectedModel(price_sent=Decimal(2), price_written=Decimal(3))
    assert row.price == Price(Decimal(2), Decimal(2), Decimal(3))


@pytest.mark.django_db(transaction=True)
def test_a_whole_turn_with_a_connected_model_over_http(juno, provider):
    """Its key, temperature and length arrive; its cost and the cut at its length are stored."""
    chat = make_conversation(juno)
    with Web(PROVIDER_PRIVATE_HOSTS=f"127.0.0.1:{provider.port}") as web:
        row = make_model(key="k-1", base_url=provider.base_url, model=provider.model)
        row.price_sent, row.price_written = Decimal(100), Decimal(200)
        connecting.keep(row)
        choose(chat, model_id=row.pk, temperature=0.25, reply_tokens=64)
        provider.queue(
            Script(
                text=["And so ", "on and"],
                finish="length",
                usage={"prompt_tokens": 1000, "completion_tokens": 100},
            )
        )
        client = Program(web, juno)
        turn = client.send(chat.pk, "Tell me of Mochi")[1]
        reply = client.await_end(chat.pk, turn["reply"]["id"])
    assert reply["status"] == "done"
    assert reply["cut_by_length"] is True
    assert Decimal(reply["usage"]["cost"]) == Decimal("0.12")
    assert provider.last.headers["authorization"] == "Bearer k-1"
    assert provider.last.json["temperature"] == 0.25
    assert provider.last.json["max_tokens"] == 64


def test_the_settings_page_changes_chat_and_bond_at_once(chat, lamp, client):
    rin = make_persona(chat.owner, "Rin")
    client.force_login(chat.owner)
    form = {
        "persona": str(rin.pk),
        "model": str(lamp.pk),
        "temperature": "0.8",
        "reply_tokens": "300",
        "memory_detail": "detailed",
    }
    assert client.post(f"/chats/{chat.pk}/settings/", form).status_code == 302
    chat.refresh_from_db()
    assert (chat.persona, chat.model_choice) == (rin, lamp)
    assert (chat.temperature, chat.reply_tokens) == (0.8, 300)
    bond = Bond.objects.get(user=chat.owner)
    assert (bond.memory_detail, bond.learns) == ("detailed", False)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("temperature", "3"),
        ("temperature", "nan"),
        ("reply_tokens", "1"),
        ("persona", "0190a8a4-0000-7000-8000-000000000000"),
        ("model", "x"),
        ("memory_detail", "everything"),
    ],
)
def test_the_settings_page_refuses_and_keeps_what_was_typed(chat, client, field, value):
    client.force_login(chat.owner)
    form = {"memory_detail": "detailed", "temperature": "0.5"} | {field: value}
    before = Conversation.objects.filter(pk=chat.pk).values().get()
    answer = client.post(f"/chats/{chat.pk}/settings/", form)
    assert answer.status_code == 200
    assert answer.context["form"].errors[field]
    assert Conversation.objects.filter(pk=chat.pk).values().get() == before
    assert not Bond.objects.filter(memory_detail="detailed").exists()


def test_a_persona_of_somebody_else_is_not_there(chat, mallory, client):
    theirs = make_persona(mallory, "Mallory")
    client.force_login(chat.owner)
    form = {"memory_detail": "balanced", "persona": str(theirs.pk)}
    assert client.post(f"/chats/{chat.pk}/settings/", form).context["form"].errors["persona"]


def test_a_chat_whose_character_is_gone_has_settings_still(chat, client):
    chat.participants.get().character.delete()
    client.force_login(chat.owner)
    assert client.get(f"/chats/{chat.pk}/settings/").status_code == 200
    answer = client.post(f"/chats/{chat.pk}/settings/", {"temperature": "1"})
    assert answer.status_code == 302


@pytest.mark.django_db(transaction=True)
def test_a_model_that_only_thought_until_its_limit_is_told_as_that(juno, provider, web):
    chat = make_conversation(juno)
    provider.queue(Script(text=[], reasoning=["Hm. ", "Well."], finish="length"))
    client = Program(web, juno)
    turn = client.send(chat.pk, "Tell me of Mochi")[1]
    reply = client.await_end(chat.pk, turn["reply"]["id"])
    assert (reply["status"], reply["error"]["code"]) == ("failed", "length")
    assert "set a longer reply" in reply["error"]["explanation"]
