"""Memories on their pages: what is shown, what plain forms do, and what htmx gets."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from characters import keeping as bonds
from characters.models import Bond
from memories import keeping, moving
from memories.models import Memory, MemoryChange, MemoryScope
from tests.factories import make_character, make_conversation, make_memory, make_user

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def browser(juno):
    client = Client()
    client.force_login(juno)
    return client


def words(answer) -> str:
    """What a page says, without its markup."""
    text = re.sub(r"<(script|template)\b.*?</\1>|<[^>]+>", " ", answer.content.decode(), flags=re.S)
    return re.sub(r"\s+", " ", text)


def texts(answer) -> list[str]:
    """The memories of a list, in their order."""
    found = re.findall(r'id="text-.*?</span>(.*?)</p>', answer.content.decode(), re.S)
    return [text.strip() for text in found]


def with_(character, query: str = "") -> str:
    return f"/memories/with/{character.pk}/{query}"


@pytest.mark.requirement("R84", "D33", "S9")
def test_a_list_has_pins_first_then_the_newest_each_with_its_marks_in_words(browser, juno, tomori):
    make_memory(juno, tomori, "old pin", pinned=True)
    make_memory(juno, tomori, "older", unused_days=4)
    make_memory(juno, tomori, "asleep", unused_days=7)
    make_memory(juno, tomori, "came along", from_character="Sora")
    make_memory(juno, None, "for all")
    page = browser.get(with_(tomori))
    assert texts(page) == ["old pin", "came along", "asleep", "older"]
    assert "unused on 4 of 7 chat days" in words(page)
    assert "fell asleep after 7 days without mention" in words(page)
    assert "from Sora" in words(page)
    assert "updated this week" in words(page)
    assert texts(browser.get(with_(tomori, "?scope=global"))) == ["for all"]
    assert len(texts(browser.get("/memories/"))) == 5
    assert len(texts(browser.get(f"/memories/?of={tomori.pk}"))) == 4


@pytest.mark.requirement("X6")
@pytest.mark.case("C75")
@pytest.mark.parametrize(
    ("query", "found"),
    [("q=猫", 1), ("q=ﾓﾁ", 1), ("state=pinned", 1), ("state=active", 1), ("q=%25", 0), ("q=犬", 0)],
)
def test_one_kanji_finds_and_filters_narrow(browser, juno, tomori, query, found):
    make_memory(juno, tomori, "ユノの猫の名前はモチ")
    make_memory(juno, tomori, "born in May", pinned=True)
    page = browser.get(with_(tomori, f"?{query}"))
    assert len(texts(page)) == found
    assert found or "Nothing here is like that." in words(page)


@pytest.mark.requirement("R118", "R119", "R120")
def test_an_empty_list_says_what_belongs_there(browser, tomori):
    said = words(browser.get(with_(tomori)))
    assert "Facts that stay true for weeks belong here" in said
    assert "look into the story before you add it by hand" in said


@pytest.mark.requirement("D12")
def test_an_overfull_global_scope_says_why_and_that_nothing_is_lost(browser, juno, settings):
    settings.MEMORY_LIMIT = 1
    sora = make_character(juno, "Sora")
    make_memory(juno, sora, "one")
    make_memory(juno, None, "two")
    moving.delete_character(sora)
    page = browser.get("/memories/")
    assert "More than fit, since memories moved here" in words(page)
    assert 'class="meters over"' in page.content.decode()
    assert "2 /1" in words(page)


def test_a_plain_form_saves_and_goes_back_to_its_list(browser, juno, tomori):
    back = with_(tomori, "?scope=character")
    form = {"text": " likes tea\r\n", "character": str(tomori.pk), "pinned": "on", "next": back}
    answer = browser.post("/memories/add/", form, follow=True)
    assert answer.redirect_chain == [(back, 302)]
    assert "Saved: likes tea" in words(answer)
    assert Memory.objects.of(juno).get().pinned


@pytest.mark.parametrize("there", ["https://evil.example/", "//evil.example", "javascript:x()", ""])
def test_a_plain_form_never_leads_away(browser, juno, tomori, there):
    memory = make_memory(juno, tomori)
    answer = browser.post(f"/memories/{memory.pk}/pin/", {"next": there})
    assert answer.headers["Location"] == "/memories/"


@pytest.mark.requirement("D2", "R9")
@pytest.mark.parametrize("text", ["", " \u3000\n", "x" * 501])
def test_what_is_refused_comes_back_with_the_words_that_were_typed(browser, juno, tomori, text):
    form = {"text": text, "character": str(tomori.pk)}
    plain = browser.post("/memories/add/", form)
    assert plain.status_code == 422
    assert ">" + text in plain.content.decode()
    piece = browser.post("/memories/add/", form, headers=HTMX)
    assert piece.status_code == 422
    assert 'class="why"' in piece.content.decode()
    assert not Memory.objects.of(juno).exists()


@pytest.mark.requirement("D4", "S50", "S53")
def test_a_full_scope_offers_to_forget_the_one_that_sleeps(browser, juno, tomori, settings):
    settings.MEMORY_LIMIT = 1
    asleep = make_memory(juno, tomori, "old news", strength="plain", unused_days=7)
    form = {"text": "likes tea", "character": str(tomori.pk)}
    for headers in ({}, HTMX):
        answer = browser.post("/memories/add/", form, headers=headers)
        assert answer.status_code == 409
        assert "This one is asleep and could make room: “old news”" in words(answer)
        assert f'name="forget" value="{asleep.pk}"' in answer.content.decode()
    answer = browser.post("/memories/add/", {**form, "forget": str(asleep.pk)}, headers=HTMX)
    assert answer.status_code == 204
    assert Memory.objects.of(juno).get().text == "likes tea"
    again = browser.post("/memories/add/", {**form, "text": "more"}, headers=HTMX)
    assert "Delete one, pin one, or make one global." in words(again)
    assert "forget" not in again.content.decode()


@pytest.mark.requirement("D3", "D4")
def test_unpinning_into_a_full_scope_offers_the_same(browser, juno, tomori, settings):
    settings.MEMORY_LIMIT = 1
    asleep = make_memory(juno, tomori, "old news", strength="plain", unused_days=7)
    pinned = make_memory(juno, tomori, "pin", pinned=True)
    refused = browser.post(f"/memories/{pinned.pk}/unpin/", headers=HTMX)
    assert refused.status_code == 409
    assert "Forget this one and unpin" in words(refused)
    done = browser.post(f"/memories/{pinned.pk}/unpin/", {"forget": str(asleep.pk)}, headers=HTMX)
    assert done.status_code == 204
    assert not Memory.objects.of(juno).get().pinned


@pytest.mark.case("C39")
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_stale_edit_keeps_its_text_and_can_still_be_saved(browser, juno, tomori, headers):
    memory = make_memory(juno, tomori)
    form = browser.get(f"/memories/{memory.pk}/", headers=headers).content.decode()
    (seen,) = re.findall(r'name="seen" value="([^"]+)"', form)
    keeping.edit(juno, memory.pk, "The cat is called Momo")
    address, mine = f"/memories/{memory.pk}/", {"text": "No cat", "seen": seen}
    refused = browser.post(address, mine, headers=headers)
    assert refused.status_code == 409
    assert "As it is now: “The cat is called Momo”" in words(refused)
    assert headers or "No cat</textarea>" in refused.content.decode()
    newer = re.findall(r'name="seen" value="([^"]+)"', refused.content.decode())[-1]
    assert browser.post(address, {**mine, "seen": newer}, headers=headers).status_code < 400
    assert Memory.objects.of(juno).get().text == "No cat"


@pytest.mark.requirement("X4")
def test_what_htmx_does_says_so_and_offers_the_way_back(browser, juno, tomori):
    memory = make_memory(juno, tomori)
    answer = browser.post(f"/memories/{memory.pk}/delete/", headers=HTMX)
    line = MemoryChange.objects.of(juno).latest("id")
    assert (answer.status_code, answer.content) == (204, b"")
    assert f"/memories/activity/{line.pk}/undo/" in answer.headers["HX-Trigger"]
    assert "Deleted: Juno's cat is called Mochi" in answer.headers["HX-Trigger"]
    undo = f"/memories/activity/{line.pk}/undo/"
    assert browser.post(undo, headers=HTMX).status_code == 204
    assert Memory.objects.of(juno).get() == memory
    refused = browser.post(undo, headers=HTMX)
    assert (refused.status_code, "undone already" in words(refused)) == (409, True)


@pytest.mark.requirement("X4")
def test_activity_tells_every_change_in_words_and_offers_what_can_be_undone(browser, juno, tomori):
    memory = make_memory(juno, tomori, "likes tea")
    keeping.edit(juno, memory.pk, "likes barley tea")
    keeping.pin(juno, memory.pk)
    line = MemoryChange.objects.of(juno).latest("id")
    page = browser.get(f"/memories/activity/with/{tomori.pk}/")
    said = words(page)
    first, second, third = (
        said.index("You pinned “likes barley tea”."),
        said.index("You changed “likes tea” to “likes barley tea”."),
        said.index("You saved “likes tea”."),
    )
    assert first < second < third
    assert re.findall(r"activity/([\w-]+)/undo", page.content.decode())[0] == str(line.pk)
    assert page.content.decode().count('data-way="undo"') == 1, "the last change only"
    answer = browser.post(
        f"/memories/activity/{line.pk}/undo/", {"next": page.request["PATH_INFO"]}
    )
    assert "You took back a change of “likes barley tea”." in words(browser.get(answer["Location"]))


@pytest.mark.requirement("R62", "X4")
def test_activity_names_the_character_whose_deletion_moved_a_memory(browser, juno, tomori):
    make_memory(juno, tomori, "likes tea")
    moving.delete_character(tomori)
    page = browser.get("/memories/activity/")
    assert "“likes tea” became global when Tomori was deleted." in words(page)
    assert 'data-way="undo"' not in page.content.decode(), "there is nobody to move it back to"


@pytest.mark.requirement("R109", "R111", "R112")
def test_a_bond_that_does_not_learn_is_told_on_top_and_can_be_switched_on(browser, juno, tomori):
    make_memory(juno, tomori)
    bonds.write_bond(juno, tomori, {"learns": False})
    page = browser.get(with_(tomori))
    assert "Learning from chats is off for Tomori" in words(page)
    assert texts(page) == ["Juno&#x27;s cat is called Mochi"]
    browser.post(f"/memories/learn/{tomori.pk}/")
    assert "Learning from chats is off" not in words(browser.get(with_(tomori)))


@pytest.mark.requirement("R116")
def test_a_challenge_says_that_nothing_is_read_or_saved(browser, juno, tomori):
    chat = make_conversation(juno, tomori)
    assert "This is a challenge" not in words(browser.get(f"/chats/{chat.pk}/"))
    chat.kind = "challenge"
    chat.save()
    assert "This is a challenge" in words(browser.get(f"/chats/{chat.pk}/"))


def test_lists_are_paged_and_a_wrong_place_is_the_beginning(browser, juno, tomori):
    for n in range(60):
        make_memory(juno, tomori, f"fact {n}", pinned=n == 0)
    page = browser.get(with_(tomori))
    more, *_ = re.findall(r'class="more".*?href="([^"]+)"', page.content.decode(), re.S)
    rest = browser.get(more.replace("&amp;", "&"))
    assert texts(page)[0] == "fact 0"
    assert texts(page) + texts(rest) == ["fact 0", *(f"fact {n}" for n in range(59, 0, -1))]
    assert texts(browser.get(with_(tomori, "?cursor=x"))) == texts(page)
    assert len(texts(browser.get(with_(tomori, "?limit=60")))) == 60


@pytest.mark.parametrize("path", ["", "activity/", "with/{}/", "activity/with/{}/"])
def test_pages_ask_the_same_few_questions_however_much_there_is(browser, juno, tomori, path):
    path = "/memories/" + path.format(tomori.pk)

    def statements() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert browser.get(path).status_code == 200
        return len(asked)

    keeping.pin(juno, make_memory(juno, tomori).pk)
    make_memory(juno, None, "global")
    statements()  # the first page notes a session and looks up what stays looked up
    few = statements()
    for n in range(12):
        make_memory(juno, make_character(juno, f"Friend {n}"), f"friend {n}")
        make_memory(juno, tomori, f"fact {n}")
    assert statements() == few <= 12


def test_what_is_global_is_made_so_from_a_row(browser, juno, tomori):
    memory = make_memory(juno, tomori)
    make_memory(juno, None, memory.text)
    refused = browser.post(f"/memories/{memory.pk}/make-global/", headers=HTMX)
    assert (refused.status_code, "saved here already" in words(refused)) == (409, True)
    keeping.edit(juno, memory.pk, "likes tea")
    assert browser.post(f"/memories/{memory.pk}/make-global/", headers=HTMX).status_code == 204
    assert MemoryScope.objects.of(juno).get(character=None).unpinned_count == 2


@pytest.mark.requirement("A1")
def test_the_character_of_somebody_else_is_not_there(browser, tomori):
    foreign = make_character(make_user("mallory"))
    for path in (f"/memories/?of={foreign.pk}", "/memories/?of=x", with_(foreign)):
        assert browser.get(path).status_code == 404


@pytest.mark.requirement("R111", "R112")
@pytest.mark.parametrize("page", ["characters/{}/bond", "chats/{}/settings"])
def test_an_old_page_that_saves_something_else_does_not_switch_learning_on_again(
    browser, juno, tomori, page
):
    path = f"/{page.format(tomori.pk if 'bond' in page else make_conversation(juno, tomori).pk)}/"
    shown = browser.get(path).content.decode()
    assert 'name="initial-learns"' in shown
    bonds.write_bond(juno, tomori, {"learns": False})
    old = {"note": "Friends", "memory_detail": "detailed", "learns": "on", "initial-learns": "True"}
    assert browser.post(path, old).status_code == 302
    bond = Bond.objects.between(juno, tomori)
    assert (bond.learns, bond.memory_detail) == (False, "detailed")
    assert browser.post(path, {**old, "initial-learns": "False"}).status_code == 302
    assert Bond.objects.between(juno, tomori).learns
