"""A turn is opened once, answered once, and never lost."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from characters.models import Bond
from conversations import leases, sync, turns, versions
from conversations.models import Conversation, Message, Reply
from reverie.text.clean import clean
from tests.factories import exchange, make_character, make_conversation, make_persona, say


def refusal(act, *args, **kwargs):
    with pytest.raises(ValidationError) as refused:
        act(*args, **kwargs)
    return refused.value.code


def test_a_talk_begins_with_the_greeting_and_its_alternates(juno):
    character = make_character(juno, greeting="Hi {{user}}!", alternate_greetings=["Oh, {{user}}."])
    make_persona(juno, "Rin", is_default=True)
    chat = make_conversation(juno, character)
    first = Message.objects.within(chat).get()
    assert [reply.text for reply in first.replies.order_by("number")] == ["Hi Rin!", "Oh, Rin."]
    assert first.chosen_reply.text == "Hi Rin!"


def test_a_turn_stores_the_message_and_queues_its_answer(chat):
    opened = say(chat, "How is Mochi?")
    assert opened.message.text == "How is Mochi?"
    assert opened.answer.answers == opened.message
    assert opened.reply.status == Reply.Status.QUEUED
    assert [m.position for m in Message.objects.within(chat)] == [1, 2, 3]


@pytest.mark.requirement("P2")
def test_the_same_send_twice_is_one_message(chat):
    client_id = uuid4()
    first = say(chat, "Hello", client_id=client_id)
    again = say(chat, "Hello", client_id=client_id)
    assert (again.message, again.answer, again.reply) == (first.message, first.answer, first.reply)
    assert Message.objects.within(chat).filter(role="user").count() == 1


@pytest.mark.requirement("P2")
def test_the_same_id_with_other_words_is_refused_and_nothing_is_written(chat):
    client_id = uuid4()
    say(chat, "Hello", client_id=client_id)
    revision = Conversation.objects.get(pk=chat.pk).revision
    assert refusal(say, chat, "Goodbye", client_id=client_id) == "id_taken"
    assert Conversation.objects.get(pk=chat.pk).revision == revision
    assert Message.objects.within(chat).count() == 3


@pytest.mark.requirement("P2")
def test_a_late_second_delivery_still_finds_its_message_many_turns_later(chat):
    client_id = uuid4()
    first = say(chat, "Hello", client_id=client_id)
    prepared = turns.prepare(first.reply.pk)
    turns.close(first.reply.pk, prepared.attempt, turns.Outcome(Reply.Status.DONE, "Hi"))
    for n in range(5):
        exchange(chat, f"line {n}", f"answer {n}")
    assert say(chat, "Hello", client_id=client_id).message == first.message


@pytest.mark.requirement("P4")
def test_while_a_reply_is_under_way_a_second_message_is_refused(chat):
    say(chat, "Hello")
    assert refusal(say, chat, "And another thing") == "turn_in_progress"


@pytest.mark.requirement("P4")
def test_the_database_itself_refuses_a_second_active_reply(chat):
    opened = say(chat)
    with pytest.raises(IntegrityError, match="one_active_reply"), transaction.atomic():
        Reply.objects.create(
            conversation=chat,
            message=opened.answer,
            number=1,
            status=Reply.Status.QUEUED,
            lease_until=timezone.now(),
        )


@pytest.mark.requirement("A11", "A12")
@pytest.mark.case("C70", "C73")
@pytest.mark.parametrize("text", ["a\x00b", "a\ud83db", "か\u3099", "line\r\nline", "\ud83d\ude00"])
def test_odd_letters_are_stored_as_they_should_have_been(chat, text):
    assert say(chat, text).message.text == clean(text)


@pytest.mark.requirement("A11")
@pytest.mark.parametrize(
    ("text", "code"),
    [("", "empty"), (" \n\u3000", "empty"), ("\x00", "empty"), ("あ" * 32_001, "too_long")],
)
def test_what_cannot_be_sent_is_refused_with_a_reason(chat, text, code):
    assert refusal(say, chat, text) == code
    assert Message.objects.within(chat).count() == 1


def test_a_message_of_exactly_the_limit_is_sent(chat, settings):
    settings.CHAT_BASE_URL, settings.CHAT_CONTEXT_TOKENS = "http://127.0.0.1:9/v1", 200_000
    assert len(say(chat, "あ" * 32_000).message.text) == 32_000


@pytest.mark.requirement("D17")
def test_a_message_that_the_model_can_never_read_is_refused_before_it_is_stored(chat, settings):
    settings.CHAT_BASE_URL, settings.CHAT_CONTEXT_TOKENS = "http://127.0.0.1:9/v1", 4_000
    assert refusal(say, chat, "長" * 4_000) == "too_long_for_model"
    assert Message.objects.within(chat).count() == 1


def test_a_talk_whose_character_was_deleted_stays_readable_and_says_why_it_is_silent(chat, tomori):
    exchange(chat, "Hello", "Hi")
    tomori.delete()
    assert refusal(say, chat, "Still there?") == "character_gone"
    rows = sync.page(chat.owner, chat)["messages"]
    assert [row["name"] for row in rows] == ["Tomori", "", "Tomori"]


@pytest.mark.requirement("A1")
def test_nobody_opens_a_turn_in_somebody_elses_talk(chat, mallory):
    with pytest.raises(Conversation.DoesNotExist):
        turns.open(mallory, chat.pk, uuid4(), "Let me in")


def test_a_reply_is_claimed_once(chat):
    opened = say(chat)
    assert turns.prepare(opened.reply.pk)
    assert turns.prepare(opened.reply.pk) is None


@pytest.mark.requirement("P7")
def test_a_process_that_lost_its_reply_cannot_write_it(chat):
    opened = say(chat)
    prepared = turns.prepare(opened.reply.pk)
    Reply.objects.filter(pk=opened.reply.pk).update(lease_until=timezone.now() - timedelta(1))
    assert leases.sweep() == 1
    assert not turns.close(
        opened.reply.pk, prepared.attempt, turns.Outcome(Reply.Status.DONE, "too late")
    )
    reply = Reply.objects.get(pk=opened.reply.pk)
    assert (reply.status, reply.text) == (Reply.Status.INTERRUPTED, "")


@pytest.mark.requirement("P7")
def test_the_sweep_keeps_the_text_of_a_lost_reply_and_leaves_living_ones_alone(juno, chat):
    lost, living = say(chat), say(make_conversation(juno))
    for opened in (lost, living):
        prepared = turns.prepare(opened.reply.pk)
        kept = leases.Checkpoint(opened.reply.pk, prepared.attempt, "Mochi is")
        assert leases.checkpoint([kept]) == set()
    Reply.objects.filter(pk=lost.reply.pk).update(lease_until=timezone.now() - timedelta(1))
    assert leases.sweep() == 1
    reply = Reply.objects.get(pk=lost.reply.pk)
    assert (reply.status, reply.text, reply.html) == (
        "interrupted",
        "Mochi is",
        "<p>Mochi is</p>\n",
    )
    assert Reply.objects.get(pk=living.reply.pk).status == Reply.Status.STREAMING


@pytest.mark.requirement("P6")
def test_a_stopped_reply_is_told_at_its_next_checkpoint(chat):
    opened = say(chat)
    prepared = turns.prepare(opened.reply.pk)
    turns.stop(chat.owner, chat.pk)
    kept = leases.Checkpoint(opened.reply.pk, prepared.attempt, "more")
    assert leases.checkpoint([kept]) == {opened.reply.pk}
    assert Reply.objects.get(pk=opened.reply.pk).text == ""


@pytest.mark.requirement("D25")
@pytest.mark.case("C1")
def test_only_the_chosen_version_of_an_answer_is_told_to_the_model(chat):
    opened = exchange(chat, "And the key?", "Aoi drops the key in the river.")
    again = versions.regenerate(chat.owner, chat.pk, opened.answer.pk)
    prepared = turns.prepare(again.reply.pk)
    assert "river" not in str(prepared.request)
    kept = turns.Outcome(Reply.Status.DONE, "Aoi keeps the key.")
    turns.close(again.reply.pk, prepared.attempt, kept)
    later = turns.prepare(say(chat, "What next?").reply.pk)
    assert "river" not in str(later.request)
    assert "keeps the key" in str(later.request)
    assert opened.answer.replies.count() == 2


def test_only_the_last_answer_is_written_anew(chat):
    first = exchange(chat, "Hello", "Hi")
    exchange(chat, "How are you?", "Well")
    assert refusal(versions.regenerate, chat.owner, chat.pk, first.answer.pk) == "not_last"
    greeting = Message.objects.within(chat)[0]
    assert refusal(versions.regenerate, chat.owner, chat.pk, greeting.pk) == "not_last"


@pytest.mark.case("C45")
def test_a_failed_answer_keeps_its_text_and_is_not_told_to_the_model(chat):
    opened = say(chat)
    prepared = turns.prepare(opened.reply.pk)
    failed = turns.Outcome(
        Reply.Status.FAILED,
        "Mochi is hal",
        error_code="rate",
        error_detail="slow down",
        retry_after=20,
    )
    turns.close(opened.reply.pk, prepared.attempt, failed)
    row = sync.reply_row(Reply.objects.get(pk=opened.reply.pk))
    assert row["text"] == "Mochi is hal"
    assert row["error"]["code"] == "rate"
    assert 18 <= row["error"]["retry_after"] <= 20
    assert "hal" not in str(turns.prepare(say(chat, "Again?").reply.pk).request.messages[-3:])


@pytest.mark.requirement("P10")
def test_every_act_of_a_turn_takes_the_next_revision(chat):
    seen = [Conversation.objects.get(pk=chat.pk).revision]
    opened = say(chat)
    seen.append(Conversation.objects.get(pk=chat.pk).revision)
    prepared = turns.prepare(opened.reply.pk)
    turns.close(opened.reply.pk, prepared.attempt, turns.Outcome(Reply.Status.DONE, "Fine"))
    seen.append(Conversation.objects.get(pk=chat.pk).revision)
    versions.regenerate(chat.owner, chat.pk, opened.answer.pk)
    seen.append(Conversation.objects.get(pk=chat.pk).revision)
    assert seen == [1, 2, 3, 4]


@pytest.mark.requirement("R3", "R21")
def test_the_level_of_memory_detail_sets_the_window_of_the_next_reply(chat, tomori):
    for n in range(30):
        exchange(chat, f"line {n}", f"answer {n}")
    bond = Bond.objects.between(chat.owner, tomori)
    bond.memory_detail = Bond.Detail.KEY_EVENTS
    bond.save()
    opened = say(chat)
    turns.prepare(opened.reply.pk)
    sections = dict(Reply.objects.get(pk=opened.reply.pk).sent["sections"])
    assert len(sections["live"]) == 29  # with the newest message thirty
    assert len(sections["waiting"]) == 61 - 29
