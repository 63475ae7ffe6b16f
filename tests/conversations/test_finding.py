"""Chats are found by a name, by who talks in them, and by a single kanji of what was said."""

import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from conversations import finding, history, trash
from conversations.models import Conversation, Reply
from reverie.accounts.finding import folded
from reverie.accounts.paging import Page
from tests.conversations.test_history import answer_again
from tests.factories import exchange, make_character, make_conversation


def page_of(user, query, cursor: str | None = "", limit: int = 50):
    return finding.find(user, query, Page(cursor=cursor or "", limit=limit))


def find(user, query):
    return page_of(user, query)[0]


def chats(user, query) -> list[Conversation]:
    return [found.chat for found in find(user, query)]


@pytest.mark.case("C75")
@pytest.mark.parametrize("query", ["鈴虫", "虫", "とす", "バッタと鈴虫"])
def test_one_kanji_inside_a_sentence_is_enough(chat, juno, query):
    text = "昨日はバッタとすいか、今日はバッタと鈴虫の本を読んだ。"
    turn = exchange(chat, text, "いいね")
    (found,) = find(juno, query)
    assert (found.message_id, found.position) == (turn.message.pk, 2)
    assert found.said.hit == query
    assert query in text


@pytest.mark.case("C75")
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("ﾓﾁ", "猫のモチは元気"),
        ("モチ", "猫のﾓﾁは元気"),
        ("ガラス", "ｶﾞﾗｽの靴"),
        ("ＡＩ", "Is it an ai?"),
        ("ai", "ＡＩですか"),
        ("ÉCOLE", "une école"),
        ("école", "une e\u0301cole"),
        ("mochi", "MOCHI!"),
    ],
)
def test_neither_width_nor_case_matters(chat, juno, query, text):
    exchange(chat, text, "Hm")
    (found,) = find(juno, query)
    said = found.said
    assert folded(said.hit) == folded(query)
    assert folded(said.before + said.hit + said.after) == folded(text)


@pytest.mark.case("C75")
@pytest.mark.parametrize("query", ["100%", "_", "\\", "%", "'", "a_b"])
def test_signs_are_letters_and_no_patterns(chat, juno, query):
    exchange(chat, "Nothing of that", "kind")
    assert find(juno, query) == []
    exchange(chat, "It is 100% a_b \\ '", "Yes")
    assert len(find(juno, query)) == 1


def test_names_and_titles_are_found_too(chat, juno):
    history.change(juno, chat.pk, {"title": "桜の夜"})
    other = make_conversation(juno, make_character(juno, "Mochi"))
    (by_title,) = find(juno, "夜")
    assert (by_title.chat, by_title.title.hit, by_title.said) == (chat, "夜", None)
    (by_name,) = find(juno, "tomori")
    assert (by_name.chat, by_name.name.hit) == (chat, "Tomori")
    assert chats(juno, "mochi") == [other]


def test_the_version_that_is_told_is_found_and_no_other(chat, juno):
    turn = exchange(chat, "And?", "the first lighthouse")
    answer_again(chat, turn, "the second windmill")
    assert chats(juno, "lighthouse") == []
    assert chats(juno, "windmill") == [chat]


def test_what_is_deleted_is_never_found(chat, juno):
    turn = exchange(chat, "A lighthouse", "A windmill")
    history.delete_message(juno, chat.pk, turn.message.pk)
    assert chats(juno, "lighthouse") == []
    assert chats(juno, "windmill") == [chat]
    trash.delete(juno, chat.pk)
    assert chats(juno, "windmill") == []


@pytest.mark.requirement("A1")
def test_nobody_finds_what_is_somebody_elses(chat, juno, mallory):
    exchange(chat, "A lighthouse", "A windmill")
    assert chats(mallory, "lighthouse") == []


def test_the_newest_place_of_each_chat_is_shown_the_latest_chat_first(chat, juno, tomori):
    exchange(chat, "a lighthouse", "no")
    last = exchange(chat, "the lighthouse again", "no")
    other = make_conversation(juno, tomori)
    exchange(other, "another lighthouse", "no")
    assert [(f.chat, f.said.before) for f in find(juno, "lighthouse")] == [
        (other, "another "),
        (chat, "the "),
    ]
    assert find(juno, "lighthouse")[1].message_id == last.message.pk


def test_a_long_text_is_shown_around_the_place(chat, juno):
    exchange(chat, "before " * 500 + "lighthouse" + " after" * 500, "no")
    said = find(juno, "lighthouse")[0].said
    assert said.before.startswith("…")
    assert said.after.endswith("…")
    assert len(said.before + said.hit + said.after) < 200


def test_pages_follow_one_another_without_gap_or_repeat(juno, tomori):
    made = [make_conversation(juno, tomori) for _ in range(7)]
    for talk in made:
        exchange(talk, "lighthouse", "no")
    found, cursor = page_of(juno, "lighthouse", limit=3)
    seen = [one.chat for one in found]
    while cursor:
        found, cursor = page_of(juno, "lighthouse", cursor, limit=3)
        seen += [one.chat for one in found]
    assert seen == list(reversed(made))


def test_a_long_past_is_looked_through_piece_by_piece(juno, tomori, monkeypatch):
    monkeypatch.setattr(finding, "REACH", 6)
    oldest = make_conversation(juno, tomori)
    exchange(oldest, "lighthouse", "no")
    for _ in range(4):
        exchange(make_conversation(juno, tomori), "windmill", "no")
    found, cursor = page_of(juno, "lighthouse")
    assert (found, bool(cursor)) == ([], True)
    pages = 1
    while not found:
        found, cursor = page_of(juno, "lighthouse", cursor)
        pages += 1
    assert [one.chat for one in found] == [oldest]
    assert (pages, cursor) == (3, None)


def statements(user, query) -> int:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        find(user, query)
    return len(asked)


def test_the_number_of_statements_does_not_grow(juno, tomori):
    exchange(make_conversation(juno, tomori), "lighthouse", "no")
    few = statements(juno, "lighthouse")
    for _ in range(6):
        exchange(make_conversation(juno, tomori), "lighthouse", "no")
    assert statements(juno, "lighthouse") == few <= 5


@pytest.mark.requirement("A4")
def test_the_page_marks_the_place_and_links_to_it(chat, juno):
    exchange(chat, "<b>A lighthouse</b> & more", "no")
    client = Client()
    client.force_login(juno)
    page = client.get("/chats/", {"q": "LIGHT"}).content.decode()
    assert "&lt;b&gt;A <mark>light</mark>house&lt;/b&gt; &amp; more" in page
    assert f'href="/chats/{chat.pk}/?at=2"' in page
    assert 'value="LIGHT"' in page


@pytest.mark.case("C77")
@pytest.mark.parametrize(
    "query", ["%00", "%ED%A0%BD", "x" * 10_000, "%E2%80%AE%E2%81%A6abc", "%E3%80%80", "%25%5F%5C"]
)
def test_an_odd_search_is_answered(chat, juno, query):
    client = Client()
    client.force_login(juno)
    for address in (f"/chats/?q={query}", f"/chats/?q={query}&cursor={query}"):
        assert client.get(address).status_code == 200
    assert client.get(f"/api/v1/conversations?q={query}").status_code in (200, 422)


def test_the_api_finds_too_and_lists_the_trash(chat, juno):
    turn = exchange(chat, "no", "A lighthouse")
    client = Client()
    client.force_login(juno)
    (item,) = client.get("/api/v1/conversations?q=light").json()["items"]
    assert item["id"] == str(chat.pk)
    assert item["found"] == {
        "message_id": str(turn.answer.pk),
        "position": 3,
        "excerpt": {"before": "A ", "hit": "light", "after": "house"},
    }
    trash.delete(juno, chat.pk)
    assert client.get("/api/v1/conversations").json()["items"] == []
    listed = client.get("/api/v1/conversations?deleted=true").json()["items"]
    assert [row["id"] for row in listed] == [str(chat.pk)]
    assert "reasoning" not in json.dumps(listed)
    assert Reply.objects.ever_of(juno).exists()
