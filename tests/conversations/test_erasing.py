"""Thirty days after a memory was deleted, its words are nowhere (D42)."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.apps import apps
from django.db import connection

from conversations import purge, sent
from conversations.models import Reply
from memories import activity, keeping
from memories.models import MemoryChange
from tests.factories import exchange, make_memory

pytestmark = pytest.mark.django_db
CANARY = "a canary called Kiwi"
DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def tables_with(words: str) -> set[str]:
    """The tables in which these words stand in any column."""
    found = set()
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            table = model._meta.db_table
            cursor.execute(
                f'SELECT 1 FROM "{table}" t WHERE t::text LIKE %s LIMIT 1', [f"%{words}%"]
            )
            if cursor.fetchone():
                found.add(table)
    return found


@pytest.fixture
def told(chat, juno, tomori):
    """A memory that was edited, sent and deleted."""
    with time_machine.travel(DAY):
        memory = make_memory(juno, tomori, f"has {CANARY}")
        keeping.edit(juno, memory.pk, f"has had {CANARY}")
        opened = exchange(chat, "Hello", "Hi")
        deleted = keeping.delete(juno, memory.pk)
    assert tables_with(CANARY) == {"memories_memorychange", "conversations_promptpiece"}
    return memory, opened, deleted


def sweep_after(days: int) -> None:
    with time_machine.travel(DAY + timedelta(days=days)):
        purge.purge()


@pytest.mark.requirement("D42", "X4")
def test_until_then_it_can_be_brought_back_and_afterwards_no_word_of_it_is_left(told, juno):
    memory, opened, deleted = told
    sweep_after(29)
    with time_machine.travel(DAY + timedelta(days=29)):
        assert activity.undo(juno, deleted.pk).text == f"has had {CANARY}"
        keeping.delete(juno, memory.pk)
    sweep_after(58)
    assert (
        CANARY in sent.prompt_row(Reply.objects.get(pk=opened.reply.pk))["messages"][0]["content"]
    )
    sweep_after(60)
    assert tables_with(CANARY) == set()
    assert MemoryChange.objects.filter(memory_uid=memory.pk).count() == 5
    with pytest.raises(Exception, match="erased for good"):
        activity.undo(juno, MemoryChange.objects.filter(kind="deleted").latest("id").pk)


@pytest.mark.requirement("D42")
def test_words_that_still_stand_elsewhere_stay_in_what_was_sent(told, chat, juno):
    with time_machine.travel(DAY):
        make_memory(juno, None, f"has had {CANARY}")
        opened = exchange(chat, "Again", "Yes")
    sweep_after(40)
    assert CANARY in str(sent.prompt_row(Reply.objects.get(pk=opened.reply.pk)))
    assert not MemoryChange.objects.filter(kind="deleted", before__text__contains="Kiwi").exists()


@pytest.mark.requirement("D42", "X1")
def test_words_that_are_said_again_after_they_were_erased_are_shown_as_sent(told, chat, juno):
    sweep_after(40)
    with time_machine.travel(DAY + timedelta(days=41)):
        make_memory(juno, None, f"has had {CANARY}")
        opened = exchange(chat, "Again", "Yes")
    assert CANARY in str(sent.prompt_row(Reply.objects.get(pk=opened.reply.pk)))
