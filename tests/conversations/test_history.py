"""What people do with what was said: edit, delete, bring back, choose, write anew, go on."""

from datetime import timedelta

import pytest
from django.utils import timezone

from conversations import history, turns, versions
from conversations.models import Message, Reply
from tests.conversations.test_turns import refusal
from tests.factories import exchange, say


def told(chat) -> list[str]:
    """What the next prompt would tell of the talk."""
    prepared = turns.prepare(say(chat, "?").reply.pk)
    lines = [m.content for m in prepared.request.messages if m.role != "system"]
    done = turns.Outcome(Reply.Status.DONE, "!")
    turns.close(prepared.reply_id, prepared.attempt, done)
    return lines[:-1]


def answer_again(chat, opened, text):
    """Another version of this answer, with these words."""
    again = versions.regenerate(chat.owner, chat.pk, opened.answer.pk)
    prepared = turns.prepare(again.reply.pk)
    turns.close(again.reply.pk, prepared.attempt, turns.Outcome(Reply.Status.DONE, text))
    return Reply.objects.get(pk=again.reply.pk)


def test_edited_words_of_a_person_are_told_from_then_on_and_nothing_is_answered_anew(chat):
    opened = exchange(chat, "I live in Osaka", "Lovely")
    history.edit_message(chat.owner, chat.pk, opened.message.pk, "I live in Kobe")
    assert told(chat)[-2:] == ["I live in Kobe", "Lovely"]
    assert opened.answer.replies.count() == 1


def test_edited_words_of_a_character_are_told_from_then_on(chat):
    opened = exchange(chat, "Where is the key?", "In the river")
    history.edit_reply(chat.owner, chat.pk, opened.reply.pk, "In *my* pocket")
    reply = Reply.objects.get(pk=opened.reply.pk)
    assert reply.html == "<p>In <em>my</em> pocket</p>\n"
    assert told(chat)[-1] == "In *my* pocket"


@pytest.mark.case("C39")
def test_an_edit_from_a_stale_view_is_refused_and_loses_nothing(chat):
    opened = exchange(chat, "I live in Osaka", "Lovely")
    seen = Message.objects.get(pk=opened.message.pk).revision
    history.edit_message(chat.owner, chat.pk, opened.message.pk, "In Kobe", seen=seen)
    code = refusal(
        history.edit_message, chat.owner, chat.pk, opened.message.pk, "In Nara", seen=seen
    )
    assert code == "changed_elsewhere"
    assert Message.objects.get(pk=opened.message.pk).text == "In Kobe"


@pytest.mark.parametrize("text", ["", "  ", "x" * 32_001])
def test_an_edit_to_what_cannot_be_sent_is_refused(chat, text):
    opened = exchange(chat, "Hello", "Hi")
    for act, pk in (
        (history.edit_message, opened.message.pk),
        (history.edit_reply, opened.reply.pk),
    ):
        assert refusal(act, chat.owner, chat.pk, pk, text) in ("empty", "too_long")


@pytest.mark.requirement("D37")
@pytest.mark.case("C114")
def test_a_message_that_was_deleted_with_all_that_follows_comes_back_whole(chat):
    exchange(chat, "one", "1")
    second = exchange(chat, "two", "2")
    exchange(chat, "three", "3")
    count = history.delete_message(chat.owner, chat.pk, second.message.pk, following=True)
    assert count == 4
    assert told(chat) == ["Hello, juno.", "one", "1"]
    assert history.restore(chat.owner, chat.pk, second.message.pk) == 4
    assert told(chat)[:7] == ["Hello, juno.", "one", "1", "two", "2", "three", "3"]


@pytest.mark.requirement("D37")
@pytest.mark.case("C113")
def test_one_message_alone_is_deleted_with_all_its_versions_and_one_version_alone(chat):
    opened = exchange(chat, "one", "first")
    answer_again(chat, opened, "second")
    third = answer_again(chat, opened, "third")
    history.delete_reply(chat.owner, chat.pk, third.pk)
    assert told(chat)[-1] == "second"
    chat.messages.filter(position__gt=opened.answer.position).delete()
    assert history.delete_message(chat.owner, chat.pk, opened.answer.pk) == 1
    assert told(chat)[-1] == "one"
    history.restore(chat.owner, chat.pk, opened.answer.pk)
    history.restore(chat.owner, chat.pk, opened.answer.pk)
    texts = Reply.objects.kept().filter(message=opened.answer).values_list("text", flat=True)
    assert list(texts) == ["first", "second", "third"]


def test_the_only_version_is_not_deleted_by_itself(chat):
    opened = exchange(chat, "one", "1")
    code = refusal(history.delete_reply, chat.owner, chat.pk, opened.reply.pk)
    assert code == "only_version"


def test_nothing_that_is_being_written_is_deleted_or_edited(chat):
    opened = say(chat, "one")
    for act in (history.edit_reply, history.choose, history.delete_reply):
        more = ("text",) if act is history.edit_reply else ()
        assert refusal(act, chat.owner, chat.pk, opened.reply.pk, *more) == "turn_in_progress"
    for following in (True, False):
        code = refusal(
            history.delete_message, chat.owner, chat.pk, opened.answer.pk, following=following
        )
        assert code == "turn_in_progress"
    assert not Message.objects.ever(chat).exclude(deleted_in=None).exists()


@pytest.mark.requirement("D25")
@pytest.mark.case("CS11")
def test_alternatives_are_kept_and_the_chosen_one_is_told(chat):
    opened = exchange(chat, "And?", "first")
    answer_again(chat, opened, "second")
    assert told(chat)[-1] == "second"
    history.choose(chat.owner, chat.pk, opened.reply.pk)
    prepared = turns.prepare(say(chat, "?").reply.pk)
    assert "first" in str(prepared.request)
    assert "second" not in str(prepared.request)


@pytest.mark.case("C43")
def test_regenerating_while_it_is_written_keeps_the_text_and_starts_exactly_one_new_run(chat):
    opened = say(chat, "And?")
    prepared = turns.prepare(opened.reply.pk)
    Reply.objects.filter(pk=opened.reply.pk).update(text="half of it")
    first = versions.regenerate(chat.owner, chat.pk, opened.answer.pk)
    second = versions.regenerate(chat.owner, chat.pk, opened.answer.pk)
    assert first.replaced == opened.reply.pk
    assert second.reply.pk == first.reply.pk
    kept = Reply.objects.get(pk=opened.reply.pk)
    assert (kept.status, kept.text) == (Reply.Status.STOPPED, "half of it")
    late = turns.Outcome(Reply.Status.DONE, "half of it and the rest")
    assert not turns.close(opened.reply.pk, prepared.attempt, late)
    assert Reply.objects.filter(conversation=chat).active().count() == 1


def test_a_pause_later_a_second_regenerate_is_a_new_wish(chat):
    opened = exchange(chat, "And?", "first")
    again = versions.regenerate(chat.owner, chat.pk, opened.answer.pk)
    Reply.objects.filter(pk=again.reply.pk).update(created_at=timezone.now() - timedelta(seconds=5))
    third = versions.regenerate(chat.owner, chat.pk, opened.answer.pk)
    assert third.reply.pk != again.reply.pk
    assert Reply.objects.get(pk=again.reply.pk).status == Reply.Status.STOPPED


def test_an_earlier_answer_is_written_anew_when_what_follows_may_go(chat):
    first = exchange(chat, "one", "1")
    exchange(chat, "two", "2")
    code = refusal(versions.regenerate, chat.owner, chat.pk, first.answer.pk)
    assert code == "not_last"
    versions.regenerate(chat.owner, chat.pk, first.answer.pk, following=True)
    assert [m.position for m in Message.objects.within(chat)] == [1, 2, 3]
    gone = Message.objects.ever(chat).exclude(deleted_in=None).first()
    assert history.restore(chat.owner, chat.pk, gone.pk) == 2


def test_an_answer_to_nothing_is_not_written_anew(chat):
    opened = exchange(chat, "one", "1")
    history.delete_message(chat.owner, chat.pk, opened.message.pk)
    code = refusal(versions.regenerate, chat.owner, chat.pk, opened.answer.pk)
    assert code == "nothing_to_answer"


@pytest.mark.requirement("P7")
def test_an_interrupted_reply_goes_on_from_where_it_ends(chat):
    opened = say(chat, "Tell me")
    prepared = turns.prepare(opened.reply.pk)
    cut = turns.Outcome(Reply.Status.INTERRUPTED, "Once upon a")
    turns.close(opened.reply.pk, prepared.attempt, cut)
    versions.go_on(chat.owner, chat.pk, opened.reply.pk)
    prepared = turns.prepare(opened.reply.pk)
    *_, asked, partial, order = prepared.request.messages
    assert (asked.content, partial.role, partial.content) == ("Tell me", "assistant", "Once upon a")
    assert "exactly where it ends" in order.content
    assert prepared.text == "Once upon a"
    assert prepared.attempt == 3


def test_a_reply_without_text_cannot_go_on(chat):
    opened = say(chat, "Tell me")
    prepared = turns.prepare(opened.reply.pk)
    turns.close(opened.reply.pk, prepared.attempt, turns.Outcome(Reply.Status.FAILED, ""))
    code = refusal(versions.go_on, chat.owner, chat.pk, opened.reply.pk)
    assert code == "nothing_to_continue"


def test_a_draft_of_ones_own_line_is_asked_for_in_the_words_of_the_talk_and_kept_nowhere(chat):
    exchange(chat, "Hello", "How are you?")
    before = list(Message.objects.ever(chat).values_list("pk", "revision"))
    _, request = turns.impersonate(chat.owner, chat.pk)
    assert "what juno says next" in request.messages[-1].content
    assert list(Message.objects.ever(chat).values_list("pk", "revision")) == before


@pytest.mark.requirement("A1")
def test_nobody_acts_in_somebody_elses_talk(chat, mallory):
    opened = exchange(chat, "Hello", "Hi")
    acts = [
        lambda: history.edit_message(mallory, chat.pk, opened.message.pk, "mine now"),
        lambda: history.edit_reply(mallory, chat.pk, opened.reply.pk, "mine now"),
        lambda: history.delete_message(mallory, chat.pk, opened.message.pk),
        lambda: history.choose(mallory, chat.pk, opened.reply.pk),
        lambda: versions.regenerate(mallory, chat.pk, opened.answer.pk),
        lambda: versions.go_on(mallory, chat.pk, opened.reply.pk),
        lambda: turns.impersonate(mallory, chat.pk),
    ]
    for act in acts:
        with pytest.raises(chat.DoesNotExist):
            act()
