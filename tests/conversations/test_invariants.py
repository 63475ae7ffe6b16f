"""`check_invariants`: quiet where all is well, and loud about every kind of damage."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from conversations import history, invariants
from conversations.models import Conversation, Message, Participant, PromptPiece, Reply
from memories.models import MemoryChange, MemoryScope
from tests.factories import (
    exchange,
    make_character,
    make_memory,
    make_persona,
    make_user,
    say,
)

LONG_AGO = timezone.now() - timedelta(minutes=5)


@pytest.fixture
def talk(chat: Conversation) -> Conversation:
    """A talk in which much has happened."""
    exchange(chat, "How is Mochi?", "Asleep.")
    opened = exchange(chat, "And now?", "Awake.")
    history.delete_message(chat.owner, chat.pk, opened.message.pk, following=True)
    exchange(chat, "Good night", "Good night.")
    return chat


def broken() -> dict[str, list[str]]:
    with connection.cursor() as cursor:
        return invariants.broken(cursor, sweep_seconds=5)


def asked(*options: str) -> tuple[int, str]:
    """The exit code of the command and what it says."""
    out = StringIO()
    try:
        call_command("check_invariants", *options, stdout=out)
    except SystemExit as left:
        return int(left.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_a_talk_in_which_much_has_happened_breaks_nothing(talk):
    say(talk, "One more")
    assert broken() == {}
    assert asked("--json") == (0, "{}\n")


def test_the_command_names_the_rule_and_the_offending_ids(talk):
    message = Message.objects.filter(role="user").first()
    assert message
    Message.objects.filter(pk=message.pk).update(revision=10_000)
    code, said = asked()
    assert code == 1
    assert "BROKEN revision_reached" in said
    assert str(message.pk) in said
    assert asked("--json") == (1, json.dumps({"revision_reached": [str(message.pk)]}) + "\n")


def last(talk: Conversation) -> Message:
    return Message.objects.within(talk).filter(role="character").order_by("-position")[0]


def _lease(talk: Conversation) -> None:
    say(talk)
    Reply.objects.active().update(lease_until=LONG_AGO)


def _active_but_deleted(talk: Conversation) -> None:
    opened = say(talk)
    Message.objects.filter(pk=opened.answer.pk).update(deleted_in=1, deleted_at=LONG_AGO)


def _unanswered(talk: Conversation) -> None:
    Message.objects.create(
        conversation=talk, position=99, role="user", text="?", author=talk.owner, revision=1
    )


def _answer_elsewhere(talk: Conversation) -> None:
    other = Conversation.objects.create(owner=talk.owner, language="en", revision=9)
    speaker = Participant.objects.create(conversation=other, name="Tomori")
    Message.objects.filter(pk=last(talk).pk).update(participant=speaker)


def _chosen_deleted(talk: Conversation) -> None:
    Reply.objects.filter(message=last(talk)).update(deleted_in=1, deleted_at=LONG_AGO)


def _chosen_of_another(talk: Conversation) -> None:
    greeting = Message.objects.ever(talk)[0]
    Message.objects.filter(pk=last(talk).pk).update(chosen_reply=greeting.chosen_reply)


def _reply_elsewhere(talk: Conversation) -> None:
    other = Conversation.objects.create(owner=talk.owner, language="en")
    Reply.objects.filter(message=last(talk)).update(conversation=other)


def _ended_without_time(talk: Conversation) -> None:
    Reply.objects.filter(message=last(talk)).update(ended_at=None)


def _ended_with_lease(talk: Conversation) -> None:
    Reply.objects.filter(message=last(talk)).update(lease_until=LONG_AGO)


def _half_deleted(talk: Conversation) -> None:
    Message.objects.filter(pk=last(talk).pk).update(deleted_in=1)


def _foreign_author(talk: Conversation) -> None:
    Message.objects.filter(role="user").update(author=make_user("mallory"))


def _foreign_persona(talk: Conversation) -> None:
    Conversation.objects.update(persona=make_persona(make_user("mallory")))


def _foreign_character(talk: Conversation) -> None:
    Participant.objects.update(character=make_character(make_user("mallory")))


def _lost_piece(talk: Conversation) -> None:
    PromptPiece.objects.filter(text="Good night").delete()


def _miscounted(talk: Conversation) -> None:
    make_memory(talk.owner, None)
    MemoryScope.objects.update(unpinned_count=2)


def _foreign_scope(talk: Conversation) -> None:
    theirs = make_character(make_user("mallory"))
    MemoryScope.objects.create(owner=talk.owner, character=theirs)


def _foreign_journal(talk: Conversation) -> None:
    make_memory(talk.owner, None)
    MemoryChange.objects.update(owner=make_user("mallory"))


DAMAGE: list[tuple[str, Any]] = [
    ("live_lease", _lease),
    ("active_is_shown", _active_but_deleted),
    ("answered", _unanswered),
    ("answers_in_the_same_talk", _answer_elsewhere),
    ("chosen_is_there", _chosen_deleted),
    ("chosen_is_there", _chosen_of_another),
    ("reply_in_its_talk", _reply_elsewhere),
    ("ended_is_ended", _ended_without_time),
    ("ended_is_ended", _ended_with_lease),
    ("deleted_once", _half_deleted),
    ("author_owns_talk", _foreign_author),
    ("persona_of_owner", _foreign_persona),
    ("character_of_owner", _foreign_character),
    ("prompt_is_kept", _lost_piece),
    ("counters_are_counts", _miscounted),
    ("scope_of_owner", _foreign_scope),
    ("scope_of_owner", _foreign_journal),
]


@pytest.mark.requirement("P7", "A1", "X1")
@pytest.mark.parametrize(("rule", "damage"), DAMAGE)
def test_damage_is_found(talk, rule, damage):
    damage(talk)
    assert broken()[rule]


# What the database refuses by itself: the constraint goes first, for this transaction.
REFUSED = [
    ("one_active_reply", "conversations_reply", "one_active_reply", "INDEX"),
    ("never_doubled", "conversations_message", "never_doubled", "CONSTRAINT"),
    ("one_per_position", "conversations_message", "one_per_position", "CONSTRAINT"),
]


@pytest.mark.requirement("P2", "P4")
@pytest.mark.parametrize(("rule", "table", "name", "kind"), REFUSED)
def test_damage_that_a_constraint_refuses_is_found_without_it(talk, rule, table, name, kind):
    drop = f"ALTER TABLE {table} DROP CONSTRAINT {name}"
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"DROP INDEX {name}" if kind == "INDEX" else drop)
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    opened, client_id = say(talk), uuid4()
    if rule == "one_active_reply":
        number, lease = 7, timezone.now() + timedelta(minutes=1)
        Reply.objects.create(
            conversation=talk, message=opened.answer, number=number, lease_until=lease
        )
    for place in (0, 1):
        Message.objects.create(
            conversation=talk,
            position=200 if rule == "one_per_position" else 200 + place,
            role="user",
            text="?",
            client_id=client_id if rule == "never_doubled" else None,
            author=talk.owner,
            revision=1,
        )
    assert broken()[rule]


def test_every_rule_is_seen_to_break():
    seen = {rule for rule, _ in DAMAGE} | {rule for rule, *_ in REFUSED} | {"revision_reached"}
    assert seen == {rule.name for rule in invariants.RULES}
