"""Memories over HTTP: what clients get, and what a refusal tells them."""

import json

import pytest
from django.test import Client

from memories.models import Memory
from reverie.accounts.models import ApiToken
from tests.factories import make_character, make_memory

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(juno):
    client, token = Client(), ApiToken.issue(juno)

    def call(method, path, body=None):
        answer = client.generic(
            method.upper(),
            f"/api/v1/{path}",
            json.dumps(body) if body is not None else "",
            content_type="application/json",
            headers={"authorization": f"Bearer {token}"},
        )
        return answer.status_code, json.loads(answer.content or b"null")

    return call


def texts(answer) -> list[str]:
    assert answer[0] == 200, answer
    return [item["text"] for item in answer[1]["items"]]


@pytest.mark.requirement("R52", "R72", "D1")
def test_a_fact_is_saved_read_edited_and_deleted(call, tomori):
    body = {"scope": "character", "character_id": str(tomori.pk), "text": "likes tea"}
    status, made = call("post", "memories", body)
    assert status == 201
    assert made["scope"] == "character"
    assert made["character_id"] == str(tomori.pk)
    assert (made["state"], made["strength"], made["unused_days"]) == ("active", "protected", 0)
    path = f"memories/{made['id']}"
    changed = call("patch", path, {"text": "likes barley tea", "updated_at": made["updated_at"]})
    assert changed[1]["text"] == "likes barley tea"
    stale = call("patch", path, {"text": "likes milk", "updated_at": made["updated_at"]})
    assert (stale[0], stale[1]["code"]) == (409, "changed_elsewhere")
    status, deleted = call("delete", path)
    assert call("get", path)[0] == 404
    status, back = call("post", f"activity/{deleted['change_id']}/undo")
    assert (status, back["text"], back["id"]) == (200, "likes barley tea", made["id"])
    assert [line["kind"] for line in call("get", "activity")[1]["items"]] == [
        "undone",
        "deleted",
        "edited",
        "added",
    ]


@pytest.mark.requirement("R52", "R54", "D1")
@pytest.mark.parametrize(
    "wrong",
    [
        {"scope": "global", "character": True},
        {"scope": "character"},
        {"scope": "server"},
        {"scope": "everywhere"},
        {},
    ],
)
def test_a_memory_belongs_to_exactly_one_scope(call, tomori, wrong):
    body = {"scope": wrong["scope"]} if "scope" in wrong else {}
    if wrong.get("character"):
        body["character_id"] = str(tomori.pk)
    assert call("post", "memories", {**body, "text": "likes tea"})[0] == 422
    assert not Memory.objects.exists()


@pytest.mark.requirement("D4")
def test_a_full_scope_names_its_candidate_and_takes_it_back_as_forget(call, juno, tomori, settings):
    settings.MEMORY_LIMIT = 1
    asleep = make_memory(juno, tomori, "old", strength="plain", unused_days=9)
    body = {"scope": "character", "character_id": str(tomori.pk), "text": "new"}
    status, refusal = call("post", "memories", body)
    assert (status, refusal["code"]) == (409, "scope_full")
    assert refusal["candidate"]["id"] == str(asleep.pk)
    asleep.strength = "protected"  # changed meanwhile: nobody is forgotten for it
    asleep.save()
    again = call("post", "memories", {**body, "forget": str(asleep.pk)})
    assert (again[0], again[1]["candidate"]) == (409, None)
    asleep.strength = "plain"
    asleep.save()
    assert call("post", "memories", {**body, "forget": str(asleep.pk)})[0] == 201


@pytest.mark.requirement("R84", "R86")
def test_pins_and_their_limit(call, juno, tomori, settings):
    settings.PIN_LIMIT = 1
    first, second = make_memory(juno, tomori, "one"), make_memory(juno, tomori, "two")
    assert call("post", f"memories/{first.pk}/pin")[1]["state"] == "pinned"
    status, refusal = call("post", f"memories/{second.pk}/pin")
    assert (status, refusal["code"]) == (409, "pins_full")
    assert call("post", f"memories/{first.pk}/unpin")[1]["state"] == "active"
    assert call("post", f"memories/{second.pk}/make-global")[1]["scope"] == "global"


@pytest.mark.requirement("X6", "R53")
@pytest.mark.case("C75")
def test_search_finds_one_kanji_and_any_width_or_case(call, juno, tomori):
    make_memory(juno, tomori, "鈴虫を飼っている")
    make_memory(juno, None, "Works at ＡＢＣ 100%")
    make_memory(juno, None, "猫はモチ")
    assert texts(call("get", "memories?q=虫")) == ["鈴虫を飼っている"]
    assert texts(call("get", "memories?q=abc")) == ["Works at ＡＢＣ 100%"]
    assert texts(call("get", "memories?q=%EF%BE%93%EF%BE%81")) == ["猫はモチ"]  # half-width kana
    assert texts(call("get", "memories?q=100%25")) == ["Works at ＡＢＣ 100%"]
    assert texts(call("get", "memories?q=_")) == []
    make_memory(juno, None, "from İstanbul")
    assert texts(call("get", "memories?q=%C4%B0stanbul")) == ["from İstanbul"]
    assert call("get", "memories?q=%00")[0] in (200, 400)


@pytest.mark.requirement("R6", "R52", "R53", "S6")
def test_lists_are_by_scope_state_and_what_a_character_reads(call, juno, tomori):
    sora = make_character(juno, "Sora")
    make_memory(juno, tomori, "tomori's")
    make_memory(juno, sora, "sora's", unused_days=7)
    make_memory(juno, None, "everybody's", pinned=True)
    assert texts(call("get", f"memories?character_id={tomori.pk}")) == ["everybody's", "tomori's"]
    own = f"memories?character_id={tomori.pk}&scope=character"
    assert texts(call("get", own)) == ["tomori's"]
    assert texts(call("get", "memories?scope=global")) == ["everybody's"]
    assert texts(call("get", "memories?state=dormant")) == ["sora's"]
    assert texts(call("get", "memories?state=pinned")) == ["everybody's"]
    assert call("get", "memories?state=lost")[0] == 422
    first = call("get", "memories?limit=2")[1]
    assert texts(call("get", f"memories?limit=2&cursor={first['next']}")) == ["tomori's"]


@pytest.mark.requirement("A1")
def test_a_character_of_somebody_else_has_no_scope_here(call, mallory):
    theirs = make_character(mallory)
    body = {"scope": "character", "character_id": str(theirs.pk), "text": "likes tea"}
    assert call("post", "memories", body)[0] == 404
    assert call("get", f"memories?character_id={theirs.pk}")[0] == 404
    assert not Memory.objects.exists()


@pytest.mark.requirement("R62", "D12")
def test_deleting_a_character_over_the_api_keeps_what_it_remembered(call, juno, tomori):
    make_memory(juno, tomori)
    assert call("delete", f"characters/{tomori.pk}")[0] == 204
    (row,) = call("get", "memories?scope=global")[1]["items"]
    assert row["from_character"] == "Tomori"


@pytest.mark.requirement("R109", "R111")
def test_learning_is_switched_over_the_api(call, tomori):
    assert call("get", f"bonds/{tomori.pk}")[1]["learns"] is True
    assert call("patch", f"bonds/{tomori.pk}", {"learns": False})[1]["learns"] is False
    assert call("get", f"bonds/{tomori.pk}")[1]["learns"] is False
    nothing = {"learns": None, "note": None, "memory_detail": None, "persona_id": None}
    assert call("patch", f"bonds/{tomori.pk}", nothing)[1]["learns"] is False
