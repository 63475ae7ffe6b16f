"""The beginning of the prompt changes only at a fold, and a fold says why."""

from datetime import UTC, datetime

import pytest
import time_machine

from characters.models import Bond
from conversations import sent, turns
from conversations.engine import prompt
from conversations.models import Fold, PromptPiece, Reply
from tests.factories import exchange, make_persona, say

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def reasons(chat) -> list[str]:
    return list(
        Fold.objects.filter(conversation=chat).order_by("id").values_list("reason", flat=True)
    )


@pytest.mark.requirement("D10", "S72")
def test_a_quiet_day_needs_one_fold(chat):
    with time_machine.travel(NOON):
        for n in range(5):
            exchange(chat, f"line {n}", f"answer {n}")
    assert reasons(chat) == ["first"]


@pytest.mark.requirement("D10", "S18")
def test_the_first_reply_of_a_utc_day_folds(chat):
    with time_machine.travel(NOON) as clock:
        exchange(chat, "Good evening", "Good evening")
        clock.move_to(datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC))
        exchange(chat, "Still up?", "Yes")
        clock.move_to(datetime(2026, 12, 1, 0, 0, 1, tzinfo=UTC))
        exchange(chat, "And now?", "Now it is tomorrow")
        exchange(chat, "Sleep well", "You too")
    assert reasons(chat) == ["first", "day"]


@pytest.mark.requirement("D10")
@pytest.mark.parametrize("change", ["character", "persona", "bond", "model"])
def test_a_change_of_what_is_in_it_folds_once(chat, tomori, settings, change):
    persona = make_persona(chat.owner, "Rin", description="Rin paints.")
    with time_machine.travel(NOON):
        exchange(chat, "Hello", "Hi")
        if change == "character":
            tomori.personality = "Bolder now"
            tomori.save()
        elif change == "persona":
            chat.persona = persona
            chat.save()
        elif change == "bond":
            bond = Bond.objects.between(chat.owner, tomori)
            bond.note = "Old friends"
            bond.save()
        else:
            settings.CHAT_BASE_URL, settings.CHAT_MODEL = "http://127.0.0.1:9/v1", "other"
        exchange(chat, "Again", "Yes")
        exchange(chat, "And again", "Yes")
    assert reasons(chat) == ["first", "change"]


@pytest.mark.requirement("D10", "D17")
def test_a_full_context_folds_and_the_reply_says_what_was_left_out(chat, settings):
    settings.CHAT_BASE_URL, settings.CHAT_CONTEXT_TOKENS = "http://127.0.0.1:9/v1", 3_000
    with time_machine.travel(NOON):
        for n in range(40):
            opened = exchange(chat, f"line {n} " + "word " * 40, f"answer {n} " + "word " * 40)
    assert set(reasons(chat)) == {"first", "context"}
    assert len(reasons(chat)) < 15
    reply = Reply.objects.get(pk=opened.reply.pk)
    ((first, last),) = reply.sent["skipped"]
    told = dict(reply.sent["sections"])
    shown = [ref[2] for name in ("waiting", "live") for ref in told.get(name, [])]
    assert first == 1
    assert shown[0] == f"message:{last + 1}"


@pytest.mark.requirement("X1", "D42")
def test_the_shown_prompt_is_byte_for_byte_what_was_sent(chat):
    exchange(chat, "Hello", "Hi")
    opened = say(chat, "こんばんは\n— two lines")
    request = turns.prepare(opened.reply.pk).request
    row = sent.prompt_row(Reply.objects.get(pk=opened.reply.pk))
    assert [(m["role"], m["content"]) for m in row["messages"]] == [
        (m.role, m.content) for m in request.messages
    ]
    assert [m["mark"] for m in row["messages"]] == [m.cache_mark for m in request.messages]


@pytest.mark.requirement("X1", "D42")
def test_an_edit_afterwards_does_not_change_what_was_sent(chat, tomori):
    opened = exchange(chat, "Hello", "Hi")
    before = sent.prompt_row(Reply.objects.get(pk=opened.reply.pk))
    tomori.description = "Somebody else entirely"
    tomori.save()
    assert sent.prompt_row(Reply.objects.get(pk=opened.reply.pk)) == before


@pytest.mark.requirement("D42")
def test_what_was_sent_costs_a_few_kilobytes_and_each_text_is_kept_once(chat):
    for n in range(25):
        opened = exchange(chat, f"line {n} " + "word " * 100, f"answer {n} " + "word " * 100)
    reply = Reply.objects.get(pk=opened.reply.pk)
    assert len(str(reply.sent)) < 6_000
    texts = list(PromptPiece.objects.filter(owner=chat.owner).values_list("text", flat=True))
    assert len(texts) == len(set(texts))


@pytest.mark.requirement("D42", "A1")
def test_two_people_never_share_a_piece(chat, mallory):
    exchange(chat, "Hello", "Hi")
    refs = sent.refs(prompt.tail(*_mallorys()))
    assert all(not section.pieces[0].text for section in sent.sections(mallory, _juno_refs(chat)))
    assert refs


def _juno_refs(chat):
    return Reply.objects.filter(conversation=chat, sent__isnull=False).first().sent["sections"]


def _mallorys():
    from conversations.engine.values import Card, Mask

    return Card("c", "Tomori"), Mask("", "Mallory"), "now", "en", len
