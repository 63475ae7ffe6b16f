"""A deleted chat is nowhere, comes back whole for thirty days, and then leaves no word."""

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from conversations import invariants, purge, sync, trash, turns, versions
from conversations.models import Conversation, Message, PromptPiece, Reply
from tests.conversations.test_purge import CANARY, everywhere, later
from tests.factories import exchange, make_conversation, say


def person(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.requirement("D42")
def test_a_deleted_chat_is_nowhere_and_comes_back_whole(chat, juno):
    exchange(chat, "How is Mochi?", "Asleep")
    before = sync.page(juno, Conversation.objects.get(pk=chat.pk))
    trash.delete(juno, chat.pk)
    assert not Conversation.objects.of(juno).exists()
    assert not Message.objects.of(juno).exists()
    assert not Reply.objects.of(juno).exists()
    assert sync.changes(juno, chat.pk, 0) is None
    back = trash.restore(juno, chat.pk)
    after = sync.page(juno, Conversation.objects.get(pk=chat.pk))
    assert after["messages"] == before["messages"]
    assert back.revision > before["revision"]


@pytest.mark.requirement("D42")
def test_undo_pressed_twice_is_undo(chat, juno):
    trash.delete(juno, chat.pk)
    revision = trash.restore(juno, chat.pk).revision
    assert trash.restore(juno, chat.pk).revision == revision


@pytest.mark.requirement("P6")
def test_a_reply_under_way_ends_with_its_chat_and_keeps_its_words(chat, juno):
    opened = say(chat)
    prepared = turns.prepare(opened.reply.pk)
    Reply.objects.filter(pk=opened.reply.pk).update(text="half of it")
    assert trash.delete(juno, chat.pk) == opened.reply.pk
    late = turns.Outcome(Reply.Status.DONE, "half of it and the rest")
    assert not turns.close(opened.reply.pk, prepared.attempt, late)
    reply = Reply.objects.get(pk=opened.reply.pk)
    assert (reply.status, reply.text) == (Reply.Status.STOPPED, "half of it")


def test_nothing_is_done_in_a_deleted_chat(chat, juno):
    opened = exchange(chat, "Hello", "Hi")
    trash.delete(juno, chat.pk)
    for act in (
        lambda: say(chat),
        lambda: trash.delete(juno, chat.pk),
        lambda: versions.regenerate(juno, chat.pk, opened.answer.pk),
        lambda: turns.stop(juno, chat.pk),
        lambda: turns.impersonate(juno, chat.pk),
    ):
        with pytest.raises(Conversation.DoesNotExist):
            act()


@pytest.mark.requirement("A1")
def test_nobody_deletes_restores_or_erases_somebody_elses_chat(chat, juno, mallory):
    with pytest.raises(Conversation.DoesNotExist):
        trash.delete(mallory, chat.pk)
    trash.delete(juno, chat.pk)
    for act in (trash.restore, trash.erase):
        with pytest.raises(Conversation.DoesNotExist):
            act(mallory, chat.pk)
    assert Conversation.objects.trashed(juno).get() == chat


def test_only_what_is_in_the_trash_is_erased(chat, juno):
    with pytest.raises(Conversation.DoesNotExist):
        trash.erase(juno, chat.pk)
    assert not purge.drop(chat)
    assert Conversation.objects.of(juno).get() == chat


@pytest.mark.requirement("D42")
@pytest.mark.case("C114")
def test_after_thirty_days_no_word_of_a_deleted_chat_is_left(chat, juno):
    exchange(chat, CANARY, f"You said {CANARY}")
    exchange(chat, "And then?", "Then nothing")
    trash.delete(juno, chat.pk)
    with later(29.9):
        assert purge.purge() == 0
        assert everywhere(CANARY)
    with later(30.1):
        assert purge.purge() == 1
        assert purge.purge() == 0
    assert everywhere(CANARY) == []
    assert not PromptPiece.objects.exists()


@pytest.mark.requirement("D42", "X1")
def test_what_other_chats_were_sent_with_stays_when_one_goes(chat, juno, tomori):
    exchange(chat, CANARY, "Hush")
    other = make_conversation(juno, tomori)
    exchange(other, "Good morning", "Good morning")
    exchange(other, CANARY, "Hush")
    trash.delete(juno, chat.pk)
    trash.erase(juno, chat.pk)
    with connection.cursor() as cursor:
        assert invariants.broken(cursor, sweep_seconds=5) == {}
    assert "conversations_promptpiece.text" in everywhere(CANARY)
    assert PromptPiece.objects.filter(text__contains="sings in a small band").exists()


@pytest.mark.requirement("D42")
def test_words_that_were_cleared_are_kept_again_when_they_are_said_again(chat, juno):
    trash_talk = exchange(chat, CANARY, "Hush")
    Message.objects.filter(pk__in=[trash_talk.message.pk, trash_talk.answer.pk]).update(
        deleted_in=chat.revision, deleted_at=timezone.now() - timedelta(days=31)
    )
    purge.purge()
    assert everywhere(CANARY) == []
    exchange(chat, CANARY, "Hush")
    assert PromptPiece.objects.filter(text=CANARY).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.requirement("D42", "X1")
def test_a_turn_that_is_laid_out_while_a_chat_is_erased_keeps_its_prompt(juno, tomori):
    """Nothing that is committed refers to the character's words but the chat that goes."""
    doomed, living = make_conversation(juno, tomori), make_conversation(juno, tomori)
    exchange(doomed, "Hello", "Hi")
    trash.delete(juno, doomed.pk)
    opened = say(living)
    laid = threading.Event()

    def lay() -> None:
        with transaction.atomic():
            turns.prepare(opened.reply.pk)
            laid.set()
            time.sleep(0.5)
        connection.close()

    thread = threading.Thread(target=lay)
    thread.start()
    assert laid.wait(5)
    trash.erase(juno, doomed.pk)
    thread.join()
    with connection.cursor() as cursor:
        found = invariants.broken(cursor, sweep_seconds=5)
    assert "prompt_is_kept" not in found


def test_deleting_from_the_list_offers_the_way_back_at_once(chat, juno):
    browser = person(juno)
    answer = browser.post(f"/chats/{chat.pk}/delete/", follow=True)
    page = answer.content.decode()
    assert f'action="/chats/{chat.pk}/restore/"' in page
    assert "is deleted" in page
    browser.post(f"/chats/{chat.pk}/restore/")
    assert Conversation.objects.of(juno).get() == chat


def test_the_trash_says_how_long_it_keeps_a_chat(chat, juno):
    trash.delete(juno, chat.pk)
    assert "30 days left" in person(juno).get("/chats/deleted/").content.decode()
    with later(29.5):
        assert "1 day left" in person(juno).get("/chats/deleted/").content.decode()


def test_a_chat_is_erased_only_after_a_question(chat, juno):
    trash.delete(juno, chat.pk)
    browser = person(juno)
    assert "cannot be undone" in browser.get(f"/chats/{chat.pk}/erase/").content.decode()
    assert Conversation.objects.trashed(juno).exists()
    browser.post(f"/chats/{chat.pk}/erase/")
    assert not Conversation.objects.filter(pk=chat.pk).exists()
