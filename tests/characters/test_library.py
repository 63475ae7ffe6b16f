"""The library as a person uses it: finding, trading, doubling, and what is between two."""

import json
from datetime import timedelta

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from characters import exporting, importing, keeping, library, weight
from characters.models import Bond, CardDraft, Character
from conversations.engine.window import LEVELS
from reverie.accounts.models import ApiToken
from tests.characters.corpus import card, charx_of, exists, picture, png_of, raw, upload
from tests.characters.test_cards import FILES, RICH
from tests.factories import (
    exchange,
    make_character,
    make_conversation,
    make_memory,
    make_persona,
    make_user,
)


def names(owner, words: str = "", tags: tuple[str, ...] = (), **options) -> list[str]:
    found = library.find(Character.objects.of(owner), words, list(tags), **options)
    return [character.name for character in found.characters]


@pytest.fixture
def band(juno):
    make_character(juno, "Tomori", tags=["band", "海"], description="ひとりで歌う。")
    make_character(juno, "Ａｎｏｎ", nickname="Straße", tags=["band"], tagline="Guitar & tea")
    make_character(juno, "ラーナ", description="A cat, mostly.")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("tomo", ["Tomori"]),
        ("TOMORI", ["Tomori"]),
        ("anon", ["Ａｎｏｎ"]),
        ("ＡＮＯＮ", ["Ａｎｏｎ"]),
        ("STRASSE", ["Ａｎｏｎ"]),
        ("歌", ["Tomori"]),
        ("海", ["Tomori"]),
        ("ﾗｰﾅ", ["ラーナ"]),
        ("guitar tea", ["Ａｎｏｎ"]),
        ("cat", ["ラーナ"]),
        ("nobody", []),
        ("%", []),
        ("  ", ["ラーナ", "Ａｎｏｎ", "Tomori"]),
    ],
)
def test_one_kanji_or_any_width_and_case_finds(words, found, juno, band):
    assert names(juno, words, newest=True) == found


def test_tags_narrow_together_and_say_how_many_have_them(juno, band):
    assert names(juno, tags=("band",), newest=True) == ["Ａｎｏｎ", "Tomori"]
    assert names(juno, tags=("band", "海")) == ["Tomori"]
    assert library.find(Character.objects.of(juno), "", []).tags == [("band", 2), ("海", 1)]


def test_who_was_talked_with_last_comes_first_then_the_newest(juno, band):
    with time_machine.travel(timezone.now() - timedelta(days=1), tick=False):
        make_conversation(juno, Character.objects.get(name="Tomori"))
    make_conversation(juno, Character.objects.get(name="ラーナ"))
    assert names(juno) == ["ラーナ", "Tomori", "Ａｎｏｎ"]
    assert names(juno, newest=True) == ["ラーナ", "Ａｎｏｎ", "Tomori"]


@pytest.mark.requirement("A1")
def test_nobody_finds_what_is_not_theirs(mallory, juno, band):
    assert names(mallory) == names(mallory, "tomori") == []


def test_the_library_has_pages_that_keep_what_was_asked_for(juno, client):
    Character.objects.bulk_create(
        Character(owner=juno, name=f"N{n}", tags=["x & y"]) for n in range(30)
    )
    client.force_login(juno)
    page = client.get("/characters/?q=N&tag=x+%26+y&sort=newest").content.decode()
    assert "q=N&amp;tag=x+%26+y&amp;sort=newest&amp;page=2" in page
    second = client.get("/characters/?q=N&tag=x+%26+y&sort=newest&page=2").content.decode()
    assert second.count('class="person"') == 6


def test_the_library_asks_the_same_few_questions_however_many_are_in_it(juno, client):
    client.force_login(juno)
    client.get("/characters/")  # the first visit brings the demo characters

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get("/characters/")
        return len(queries)

    few = asked()
    Character.objects.bulk_create(Character(owner=juno, name=f"N{n}") for n in range(20))
    assert asked() == few < 16


def test_a_double_has_everything_but_what_happened_with_the_first(juno):
    first = importing.accept(importing.receive(upload(charx_of(RICH, FILES)), juno), {})
    make_conversation(juno, first)
    keeping.write_bond(juno, first, {"note": "Old friends."})
    twin = keeping.duplicate_character(first)
    assert twin.name == "Tomori (copy)"
    assert (twin.rest, twin.description) == (first.rest, first.description)
    assert twin.pk != first.pk
    assert not Bond.objects.filter(character=twin).exists()
    assert not twin.participations.exists()
    with twin.avatar.open("rb") as mine, first.avatar.open("rb") as theirs:
        assert mine.read() == theirs.read()
    assert twin.avatar.name != first.avatar.name
    assert twin.assets.name != first.assets.name


def test_a_long_name_makes_room_for_the_mark_of_a_copy(juno):
    twin = keeping.duplicate_character(make_character(juno, "x" * 80))
    assert len(twin.name) == 80
    assert twin.name.endswith("x (copy)")


def test_the_files_of_a_character_go_with_it(juno, django_capture_on_commit_callbacks):
    first = importing.accept(importing.receive(upload(charx_of(RICH, FILES)), juno), {})
    assert exists(first.avatar)
    assert exists(first.assets)
    with django_capture_on_commit_callbacks(execute=True):
        keeping.delete_character(first)
    assert not exists(first.avatar)
    assert not exists(first.assets)


@pytest.mark.django_db(transaction=True)
def test_the_sweep_deletes_drafts_that_nobody_decided_on_for_a_day_with_their_files():
    juno = make_user("juno")
    draft = importing.receive(upload(png_of(card())), juno)
    assert exists(draft.picture)
    with time_machine.travel(timezone.now() + timedelta(hours=23)):
        assert importing.purge() == 0
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        call_command("sweep", once=True)
    assert not CardDraft.objects.exists()
    assert not exists(draft.picture)


def test_the_oldest_of_too_many_drafts_goes(juno, mallory, monkeypatch):
    monkeypatch.setattr(importing, "DRAFTS", 2)
    theirs = importing.receive(upload(raw(card())), mallory)
    mine = [importing.receive(upload(raw(card())), juno) for _ in range(3)]
    assert set(CardDraft.objects.all()) == {theirs, *mine[1:]}


@pytest.fixture
def call(juno, client):
    """A call to the API as Juno."""
    headers = {"authorization": f"Bearer {ApiToken.issue(juno)}"}

    def called(method: str, path: str, body=None):
        act, path = getattr(client, method), f"/api/v1/{path}"
        if body is None or "file" in body:
            return act(path, body, headers=headers)
        return act(path, json.dumps(body), content_type="application/json", headers=headers)

    return called


def test_the_api_looks_at_a_card_without_keeping_it(call, juno):
    answer = call(
        "post", "characters/import?preview=true", {"file": upload(raw(card(tags="a, b")))}
    )
    assert answer.status_code == 200
    told = answer.json()
    assert told["fields"]["name"] == "Tomori"
    [line] = [line for line in told["report"] if line["field"] == "tags"]
    assert (line["state"], line["to"]) == ("changed", "tags")
    assert "split at the commas" in line["note"]
    assert not Character.objects.of(juno).exists()
    assert not CardDraft.objects.exists()


@pytest.mark.case("C82")
@pytest.mark.parametrize("kind", ["png", "json", "charx"])
def test_a_card_goes_in_and_out_of_the_api(kind, call):
    made = call("post", "characters/import", {"file": upload(charx_of(RICH, FILES))})
    assert made.status_code == 201
    told = made.json()
    assert told["extensions"] == RICH["data"]["extensions"]
    assert {line["state"] for line in told["report"]} >= {"kept", "mapped", "unused"}
    out = call("get", f"characters/{told['id']}/export?format={kind}")
    assert out.status_code == 200
    assert f'filename="Tomori.{kind}"' in out["Content-Disposition"]
    back = call("post", "characters/import", {"file": upload(out.content, f"x.{kind}")}).json()
    assert {k: back[k] for k in ("name", "greeting", "tags", "extensions")} == {
        k: told[k] for k in ("name", "greeting", "tags", "extensions")
    }


def test_the_api_says_which_fields_of_a_card_cannot_be_kept(call, juno):
    answer = call("post", "characters/import", {"file": upload(raw(card(creator="x" * 201)))})
    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid"
    assert set(answer.json()["fields"]) == {"creator"}
    assert not Character.objects.of(juno).exists()


def test_a_format_that_there_is_not_is_refused(call, tomori):
    answer = call("get", f"characters/{tomori.pk}/export?format=exe")
    assert (answer.status_code, answer.json()["code"]) == (422, "format")


@pytest.mark.requirement("R109", "R110", "R111", "R112")
def test_learning_is_on_until_a_person_switches_it_off_for_one_character(call, juno, tomori):
    other = make_character(juno, "Anon")
    assert call("get", f"bonds/{tomori.pk}").json()["learns"] is True
    assert call("patch", f"bonds/{tomori.pk}", {"learns": False}).json()["learns"] is False
    assert Bond.objects.known(juno, tomori).learns is False
    assert Bond.objects.known(juno, other).learns is True


@pytest.mark.requirement("R21", "R109")
def test_the_page_of_a_bond_saves_all_of_it(juno, tomori, client):
    rin = make_persona(juno, "Rin")
    client.force_login(juno)
    told = {"note": "Old\r\nfriends", "memory_detail": "detailed", "persona": str(rin.pk)}
    assert client.post(f"/characters/{tomori.pk}/bond/", told).status_code == 302
    kept = Bond.objects.get(character=tomori)
    assert (kept.note, kept.learns, kept.memory_detail) == ("Old\nfriends", False, "detailed")
    assert kept.persona == rin


@pytest.mark.requirement("A1")
def test_nobody_wears_somebody_elses_persona_through_the_page(juno, mallory, tomori, client):
    theirs = make_persona(mallory, "Mask")
    client.force_login(juno)
    told = {"memory_detail": "balanced", "persona": str(theirs.pk)}
    assert client.post(f"/characters/{tomori.pk}/bond/", told).status_code == 200
    assert not Bond.objects.exists()


def test_a_note_too_long_is_kept_in_its_box_and_not_saved(juno, tomori, client):
    client.force_login(juno)
    told = {"note": "x" * 4_001, "memory_detail": "balanced"}
    page = client.post(f"/characters/{tomori.pk}/bond/", told).content.decode()
    assert "x" * 4_001 in page
    assert "4001/4000" in page
    assert not Bond.objects.exists()


@pytest.mark.requirement("R25", "R26", "R27", "R28", "R29", "R30")
def test_the_page_of_a_bond_says_of_each_level_what_it_really_keeps(juno, tomori, client):
    client.force_login(juno)
    page = client.get(f"/characters/{tomori.pk}/bond/").content.decode()
    for cap in LEVELS.values():
        assert f"Up to {cap.messages} messages ({cap.tokens:,} tokens) word for word." in page


def test_tokens_are_counted_while_one_writes(juno, client):
    client.force_login(juno)
    told = client.post("/characters/weigh/", {"description": "灯" * 40, "greeting": "Hello"}).json()
    assert told["description"] == weight.weigh({"description": "灯" * 40}).fields["description"]
    assert told["total"] == told["description"] > 0
    assert told["greeting"] > 0
    assert told["scenario"] == 0


@pytest.mark.requirement("A7")
def test_no_more_of_a_text_is_counted_than_could_ever_be_kept(db):
    most = weight.weigh({"description": "灯" * weight.MOST})
    assert weight.weigh({"description": "灯" * weight.MOST * 3}) == most


@pytest.mark.case("C83")
def test_a_card_is_shown_before_it_is_kept_and_what_cannot_be_kept_can_be_mended(juno, client):
    client.force_login(juno)
    upload_page = client.post(
        "/characters/import/", {"file": upload(raw(card(name="", creator="y" * 201)), "Band.json")}
    )
    path = upload_page["Location"]
    page = client.get(path).content.decode()
    assert 'value="Band"' in page
    assert "The card has no name." in page
    assert "y" * 201 in page
    assert not Character.objects.of(juno).exists()
    still = client.post(path, {"name": "Tomori", "creator": "z" * 202}).content.decode()
    assert 'value="Tomori"' in still
    assert "z" * 202 in still
    assert client.post(path, {"name": "Tomori", "creator": "juno"}).status_code == 302
    kept = Character.objects.of(juno).get()
    assert (kept.name, kept.creator, kept.tags) == ("Tomori", "juno", ["band"])
    assert client.get(path).status_code == 404


def test_a_card_that_is_thrown_away_leaves_nothing(
    juno, client, django_capture_on_commit_callbacks
):
    client.force_login(juno)
    draft = importing.receive(upload(png_of(card())), juno)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"/characters/drafts/{draft.pk}/", {"discard": "1"})
    assert not exists(draft.picture)
    assert not CardDraft.objects.exists()
    assert not Character.objects.of(juno).exists()


def test_a_picture_that_a_person_changed_is_the_one_that_goes_out(juno):
    first = importing.accept(importing.receive(upload(charx_of(RICH, FILES)), juno), {})
    first.avatar.save("new.webp", ContentFile(picture((40, 40), "WEBP")))
    twin = importing.accept(importing.receive(upload(exporting.as_charx(first)), juno), {})
    assert twin.avatar.width == 40
    assert twin.rest == first.rest


@pytest.mark.requirement("A7")
def test_no_page_and_no_turn_carries_the_rest_of_a_card_that_may_be_megabytes(juno, tomori):
    talk = make_conversation(juno, tomori)
    make_memory(juno, tomori)
    browser = Client()
    browser.force_login(juno)
    paths = ["/", "/characters/", "/chats/", f"/chats/{talk.pk}/", f"/chats/{talk.pk}/budget/"]
    paths += ["/memories/", f"/memories/with/{tomori.pk}/", "/memories/activity/"]
    paths += ["/api/v1/conversations", "/api/v1/memories"]
    with CaptureQueriesContext(connection) as asked:
        for path in paths:
            assert browser.get(path).status_code == 200
        exchange(talk, "Hello", "Hi")
    told = [query["sql"] for query in asked if '"characters_character"."rest"' in query["sql"]]
    assert told == []


def test_a_character_that_was_read_without_its_rest_keeps_it_when_it_is_saved(juno):
    made = make_character(juno, rest='{"data": {"fav": true}}')
    read = Character.objects.get(pk=made.pk)
    keeping.write_character(read, {"tagline": "New"})
    assert Character.objects.get(pk=made.pk).rest == made.rest
