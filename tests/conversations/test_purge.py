"""The trash: thirty days to change one's mind, then the words are gone everywhere."""

from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from conversations import history, turns, versions
from conversations.models import Message, Reply
from conversations.purge import purge
from tests.conversations.test_turns import refusal
from tests.factories import exchange, say

CANARY = "the canary sings at noon"


def everywhere(word: str) -> list[str]:
    """Every text or JSON column of the database that holds `word`."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND data_type IN ('text', 'character varying', 'jsonb')"
        )
        found = []
        for table, column in cursor.fetchall():
            cursor.execute(
                f'SELECT 1 FROM "{table}" WHERE "{column}"::text LIKE %s LIMIT 1', [f"%{word}%"]
            )
            found += [f"{table}.{column}"] if cursor.fetchone() else []
    return found


def later(days: float):
    return time_machine.travel(timezone.now() + timedelta(days=days))


@pytest.mark.requirement("D42")
@pytest.mark.case("C114")
def test_what_was_deleted_comes_back_for_thirty_days_and_then_leaves_no_word(chat):
    exchange(chat, "Good morning", "Good morning")
    doomed = exchange(chat, CANARY, f"You said {CANARY}")
    exchange(chat, "And then?", "Then nothing")
    history.delete_message(chat.owner, chat.pk, doomed.message.pk)
    history.delete_message(chat.owner, chat.pk, doomed.answer.pk)
    with later(29.9):
        assert purge() == 0
        assert everywhere(CANARY)
    with later(30.1):
        assert purge() == 2
        assert purge() == 0
    assert everywhere(CANARY) == []
    assert Message.objects.within(chat).count() == 5


@pytest.mark.requirement("D42", "P2")
def test_the_id_of_what_is_gone_is_still_no_new_message(chat):
    opened = exchange(chat, CANARY, "Hush")
    history.delete_message(chat.owner, chat.pk, opened.message.pk, following=True)
    with later(31):
        purge()
        count = Message.objects.ever(chat).count()
        code = refusal(say, chat, "Other words", client_id=opened.message.client_id)
    assert code == "id_taken"
    assert Message.objects.ever(chat).count() == count


@pytest.mark.requirement("D42")
def test_words_that_still_stand_elsewhere_are_kept_in_what_was_sent(chat):
    first = exchange(chat, CANARY, "Hush")
    exchange(chat, CANARY, "Again?")
    history.delete_message(chat.owner, chat.pk, first.message.pk)
    with later(31):
        purge()
    assert set(everywhere(CANARY)) == {
        "conversations_message.text",
        "conversations_promptpiece.text",
    }


@pytest.mark.requirement("D42")
def test_a_deleted_version_goes_too(chat):
    opened = exchange(chat, "Hello", CANARY)
    again = versions.regenerate(chat.owner, chat.pk, opened.answer.pk)
    prepared = turns.prepare(again.reply.pk)
    turns.close(again.reply.pk, prepared.attempt, turns.Outcome(Reply.Status.DONE, "Hi"))
    history.delete_reply(chat.owner, chat.pk, opened.reply.pk)
    with later(31):
        assert purge() == 1
    assert everywhere(CANARY) == []
