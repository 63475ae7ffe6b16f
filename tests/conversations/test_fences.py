"""Whoever lost a reply cannot write it, and whatever a provider counts can be stored."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from conversations import generation, leases, sync, trash, turns, versions
from conversations.models import Conversation, Fold, Message, Reply
from reverie.providers.base import Usage
from reverie.providers.errors import ProviderError
from tests.conversations.test_races import at_once
from tests.factories import exchange, make_conversation, make_user, say


def lose(opened) -> None:
    """Let the lease of this reply run out and be swept."""
    past = timezone.now() - timedelta(days=1)
    Reply.objects.filter(pk=opened.reply.pk).update(lease_until=past, text="half")
    assert leases.sweep() == 1


@pytest.mark.requirement("P7")
def test_a_process_that_lost_a_reply_cannot_end_it_after_it_was_continued(chat):
    opened = say(chat)
    old = turns.prepare(opened.reply.pk)
    lose(opened)
    versions.go_on(chat.owner, chat.pk, opened.reply.pk)
    assert not turns.close(opened.reply.pk, old.attempt, turns.Outcome(Reply.Status.DONE, "old"))
    new = turns.prepare(opened.reply.pk)
    assert new.text == "half"
    assert leases.checkpoint([leases.Checkpoint(opened.reply.pk, old.attempt, "old")])


@pytest.mark.requirement("P6")
def test_a_reply_that_was_stopped_before_it_began_is_never_asked_for(chat):
    opened = say(chat)
    turns.stop(chat.owner, chat.pk)
    assert turns.prepare(opened.reply.pk) is None
    assert Reply.objects.get(pk=opened.reply.pk).status == Reply.Status.STOPPED


def test_what_another_process_writes_is_not_refused(chat):
    opened = say(chat)
    turns.prepare(opened.reply.pk)
    turns.refuse(opened.reply.pk, "internal")
    assert Reply.objects.get(pk=opened.reply.pk).status == Reply.Status.STREAMING


def test_the_answer_to_regenerate_knows_the_version_it_chose(chat):
    opened = exchange(chat, "Hello", "Hi")
    again = versions.regenerate(chat.owner, chat.pk, opened.answer.pk)
    row = sync.message_row(again.answer)
    assert row["chosen_reply_id"] == row["replies"][-1]["id"] == str(again.reply.pk)


@pytest.mark.requirement("D17")
def test_a_larger_context_brings_back_what_was_left_out(chat, settings):
    settings.CHAT_BASE_URL, settings.CHAT_CONTEXT_TOKENS = "http://127.0.0.1:9/v1", 2_000
    for n in range(20):
        exchange(chat, f"line {n} " + "word " * 40, f"answer {n} " + "word " * 40)
    settings.CHAT_CONTEXT_TOKENS = 64_000
    opened = exchange(chat, "And now?", "Now I remember")
    assert Reply.objects.get(pk=opened.reply.pk).sent["skipped"] == []
    assert Fold.objects.filter(conversation=chat).last().reason == Fold.Reason.CHANGE


@pytest.mark.requirement("D10")
def test_deleting_the_oldest_message_is_a_change_and_no_lack_of_space(chat):
    exchange(chat, "one", "1")
    Message.objects.within(chat).filter(position=1).update(deleted_in=99)
    exchange(chat, "two", "2")
    reasons = Fold.objects.filter(conversation=chat).order_by("id").values_list("reason", flat=True)
    assert list(reasons) == ["first", "change"]


@pytest.mark.requirement("P8", "A12")
@pytest.mark.parametrize(
    "usage",
    [
        Usage(2**40, 2**40, 2**40, None),
        Usage(-1, 0, 0, None),
        Usage(1, 1, 1, Decimal(10**9)),
        Usage(0, 0, 0, Decimal(-1)),
    ],
)
def test_nonsense_that_a_provider_counts_does_not_keep_a_reply_from_ending(chat, usage):
    opened = say(chat)
    prepared = turns.prepare(opened.reply.pk)
    counted = generation.believable(usage)
    outcome = turns.Outcome(Reply.Status.DONE, "Fine", usage=counted)
    assert turns.close(opened.reply.pk, prepared.attempt, outcome)


@pytest.mark.requirement("P8", "A12")
def test_whatever_a_provider_says_of_an_error_can_be_stored(chat):
    problem = ProviderError("rate", "no \x00 \ud83d way", retry_after=10.0**20)
    opened = say(chat)
    prepared = turns.prepare(opened.reply.pk)
    outcome = turns.Outcome(
        Reply.Status.FAILED,
        "",
        error_code=problem.code,
        error_detail=problem.detail,
        retry_after=problem.retry_after,
    )
    assert turns.close(opened.reply.pk, prepared.attempt, outcome)


@pytest.mark.requirement("P10")
def test_a_client_that_is_far_behind_gets_a_fresh_page_instead_of_everything(chat, monkeypatch):
    monkeypatch.setattr(sync, "CATCH_UP", 4)
    for n in range(3):
        exchange(chat, f"line {n}", f"answer {n}")
    assert sync.changes(chat.owner, chat.pk, 1)["whole"]
    assert not sync.changes(chat.owner, chat.pk, 5)["whole"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.requirement("P2")
def test_preparing_a_reply_and_deleting_its_talk_do_not_lock_each_other_out():
    user = make_user("juno")
    for _ in range(12):
        chat = make_conversation(user)
        opened = say(chat)
        acts = [
            lambda chat=chat: trash.delete(user, chat.pk),
            lambda opened=opened: turns.prepare(opened.reply.pk),
        ]
        at_once(2, lambda number, acts=acts: acts[number]())
    assert not Conversation.objects.of(user).exists()
