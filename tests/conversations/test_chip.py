"""What a reply was made from: every memory in it, why it was there, and what became of it (X1)."""

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import assume, given
from hypothesis import strategies as st

from conversations import sent
from conversations.engine import prompt
from conversations.models import PromptPiece, Reply
from memories import keeping
from tests.conversations.test_folds import NOON
from tests.factories import exchange, make_memory

pytestmark = pytest.mark.requirement("X1")


def row_of(opened, **options):
    return sent.prompt_row(Reply.objects.get(pk=opened.reply.pk), **options)


def remembered(opened) -> list[tuple[str, str, str]]:
    return [(row["why"], row["text"], row["now"]) for row in row_of(opened)["memories"]]


def page_of(chat, opened) -> str:
    person = Client()
    person.force_login(chat.owner)
    return person.get(f"/chats/{chat.pk}/replies/{opened.reply.pk}/prompt/").content.decode()


@pytest.fixture
def opened(chat, tomori):
    """A reply with a pin, an active memory of two lines, and one saved since the beginning."""
    with time_machine.travel(NOON):
        make_memory(chat.owner, None, "is allergic to nuts", pinned=True)
        make_memory(chat.owner, tomori, "lives by the harbour\nand hears the ships")
        exchange(chat, "Hello", "Hi")
        make_memory(chat.owner, tomori, "has a sister, Maron")
        return exchange(chat, "And?", "Well.")


def test_every_memory_is_listed_with_its_words_and_why_it_was_there(opened):
    assert remembered(opened) == [
        ("pinned", "is allergic to nuts", "same"),
        ("active", "lives by the harbour\nand hears the ships", "same"),
        ("saved", "has a sister, Maron", "same"),
    ]
    reply, row = Reply.objects.get(pk=opened.reply.pk), row_of(opened)
    assert reply.remembered == len(row["memories"])
    pieces = [piece for part in row["sections"] for piece in part["pieces"]]
    tokens = {p["source"]: p["tokens"] for p in pieces if p["source"].startswith("memory:")}
    assert {f"memory:{m['id']}": m["tokens"] for m in row["memories"]} == tokens


def test_what_was_sent_stays_and_says_what_changed_since(opened, chat):
    pin, lives, sister = (memory["id"] for memory in row_of(opened)["memories"])
    keeping.unpin(chat.owner, pin)
    keeping.edit(chat.owner, lives, "lives in Kobe")
    keeping.delete(chat.owner, sister)
    assert remembered(opened) == [
        ("pinned", "is allergic to nuts", "same"),
        ("active", "lives by the harbour\nand hears the ships", "changed"),
        ("saved", "has a sister, Maron", "deleted"),
    ]
    page = page_of(chat, opened)
    assert "Kobe" not in page
    assert page.count("<b>changed since</b>") == page.count("<b>deleted since</b>") == 1
    assert f'data-memory="{lives}"' in page
    assert f'data-memory="{sister}"' not in page


def test_a_memory_that_is_changed_back_is_the_same_again(opened, chat):
    memory = row_of(opened)["memories"][2]["id"]
    keeping.edit(chat.owner, memory, "has a brother")
    keeping.edit(chat.owner, memory, "has a sister, Maron")
    assert remembered(opened)[2][2] == "same"


def test_a_week_later_and_in_another_language_it_is_still_the_same(opened, chat):
    chat.language = "ja"
    chat.save()
    with time_machine.travel(NOON.replace(month=12, day=20)):
        assert {now for _, _, now in remembered(opened)} == {"same"}


@pytest.mark.requirement("D42")
def test_a_memory_that_was_cleared_for_good_shows_no_words(opened, chat):
    sister = row_of(opened)["memories"][2]["id"]
    keeping.delete(chat.owner, sister)
    PromptPiece.objects.filter(owner=chat.owner, text__contains="sister").update(text="")
    assert remembered(opened)[2] == ("saved", "", "deleted")
    page = page_of(chat, opened)
    assert "a memory you cleared" in page
    assert "[cleared for good]" in page
    assert "sister" not in page
    assert "[cleared" not in str(row_of(opened)["messages"])


@pytest.mark.requirement("D35", "D17")
def test_active_memories_that_were_not_sent_are_shown_with_their_words(chat, tomori, settings):
    settings.MEMORIES_SENT = 1
    old, gone, _ = (make_memory(chat.owner, tomori, text) for text in ("old", "gone", "newest"))
    opened = exchange(chat, "Hello", "Hi")
    assert "The others were deleted since." not in page_of(chat, opened)
    keeping.delete(chat.owner, gone.pk)
    keeping.edit(chat.owner, old.pk, "old, with other words")
    page = page_of(chat, opened)
    assert "2 active memories" in page
    assert "old, with other words" in page
    assert "The others were deleted since." in page


@pytest.mark.requirement("A1")
def test_nothing_of_somebody_else_is_compared_with(opened, chat, mallory):
    reply = Reply.objects.get(pk=opened.reply.pk)
    foreign = make_memory(mallory, None, "Mallory's own")
    for _, pieces in reply.sent["sections"]:
        for piece in pieces:
            if piece[2].startswith("memory:"):
                piece[2] = f"memory:{foreign.pk}"
    reply.sent["left_out"] = [str(foreign.pk)]
    reply.save()
    assert {now for _, _, now in remembered(opened)} == {"deleted"}
    assert "Mallory" not in page_of(chat, opened)


@pytest.mark.case("C65")
def test_usage_cache_share_and_cost_are_what_the_provider_said(opened, chat):
    usage = {"prompt_tokens": 1_234, "cached_tokens": 1_000, "completion_tokens": 56}
    Reply.objects.filter(pk=opened.reply.pk).update(**usage, cost="0.0012")
    page = page_of(chat, opened)
    assert "1,234 sent, 56 written" in page
    assert "1,000 (81%)" in page
    assert "$0.0012" in page


def test_the_page_asks_the_database_as_often_for_many_memories(chat, tomori, client):
    client.force_login(chat.owner)

    def asked() -> int:
        path = f"/chats/{chat.pk}/replies/{exchange(chat, 'Hello', 'Hi').reply.pk}/prompt/"
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        return len(queries)

    make_memory(chat.owner, tomori, "the first")
    asked()
    few = asked()
    for n in range(40):
        make_memory(chat.owner, tomori, f"fact {n}", pinned=n < 10)
    assert asked() == few


@given(st.text(), st.text(), st.booleans())
def test_a_line_says_its_own_text_and_no_other(text, other, recent):
    for language in ("en", "ja"):
        line = prompt.memory("1", text, "5c0ffee5", language, len, recent=recent).text
        assert prompt.says(line, text, "5c0ffee5")
    assume(text != other and not other.endswith(prompt.MARKS) and not text.endswith(prompt.MARKS))
    assume("5c0ffee5" not in text + other and "\n  " not in text + other)
    assert not prompt.says(line, other, "5c0ffee5")
    assert prompt.unlisted(line) == text
