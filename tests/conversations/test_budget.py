"""The budget bar: what the next reply would take, by the code that lays it, and nothing written."""

import pytest
import time_machine
from django.core.exceptions import ValidationError

from conversations import budgeting, sent
from conversations.models import Conversation, Fold, PromptPiece, Reply
from tests.conversations.test_folds import NOON
from tests.factories import exchange, make_memory, make_persona

pytestmark = pytest.mark.requirement("X1")
CHARACTER = {"character", "persona", "bond", "instructions", "time"}


def taken(opened) -> dict[str, int]:
    """What a reply took, by the groups of the bar and without what was said to it."""
    row = sent.prompt_row(Reply.objects.get(pk=opened.reply.pk))
    tokens = {part["name"]: part["tokens"] for part in row["sections"]}
    character = sum(tokens.get(name, 0) for name in CHARACTER)
    memories = sum(tokens.get(name, 0) for name in ("pins", "memories", "saved"))
    talk = row["total_tokens"] - character - memories - tokens["newest"]
    return {"character": character, "memories": memories, "talk": talk}


@pytest.mark.parametrize("context", [32_768, 3_000])
def test_the_bar_tells_exactly_what_the_next_reply_will_take(chat, tomori, settings, context):
    settings.CHAT_BASE_URL, settings.CHAT_CONTEXT_TOKENS = "http://127.0.0.1:9/v1", context
    chat.persona = make_persona(chat.owner, "Rin", description="A drummer.")
    chat.save()
    tomori.post_history_instructions = "Stay brief."
    tomori.save()
    with time_machine.travel(NOON, tick=False):
        make_memory(chat.owner, None, "is allergic to nuts", pinned=True)
        exchange(chat, "Hello", "Hi")
        make_memory(chat.owner, tomori)
        for n in range(8):
            exchange(chat, f"line {n} " + "word " * 150, f"answer {n} " + "word " * 150)
            expected = budgeting.estimate(chat.owner, chat.pk)
            opened = exchange(chat, "?", "!")
            if not Reply.objects.get(pk=opened.reply.pk).sent["skipped"]:
                assert taken(opened) == expected.parts
            row = sent.prompt_row(Reply.objects.get(pk=opened.reply.pk))
            assert (row["context_tokens"], row["reserve_tokens"]) == (
                expected.context,
                expected.reserve,
            )
            assert expected.used + expected.reserve <= expected.context


def test_asking_writes_nothing_and_asks_little(chat, tomori, django_assert_max_num_queries):
    for n in range(30):
        make_memory(chat.owner, tomori, f"fact {n}")
    for n in range(5):
        exchange(chat, f"line {n}", f"answer {n}")
    rows = [model.objects.count() for model in (Fold, PromptPiece, Reply)]
    revision = Conversation.objects.get(pk=chat.pk).revision
    with django_assert_max_num_queries(9):
        budgeting.estimate(chat.owner, chat.pk)
    assert rows == [model.objects.count() for model in (Fold, PromptPiece, Reply)]
    assert revision == Conversation.objects.get(pk=chat.pk).revision


def test_a_character_too_large_for_the_model_is_shown_as_large_as_it_is(
    chat, tomori, settings, client
):
    settings.CHAT_BASE_URL, settings.CHAT_CONTEXT_TOKENS = "http://127.0.0.1:9/v1", 2_000
    tomori.description = "word " * 3_000
    tomori.save()
    estimate = budgeting.estimate(chat.owner, chat.pk)
    assert estimate.overfull
    assert estimate.parts["character"] > 2_000
    client.force_login(chat.owner)
    assert b"too large for this model" in client.get(f"/chats/{chat.pk}/budget/").content


def test_without_its_character_a_chat_says_so_and_is_no_error(chat, tomori, client):
    chat.participants.update(character=None)
    with pytest.raises(ValidationError, match="was deleted"):
        budgeting.estimate(chat.owner, chat.pk)
    client.force_login(chat.owner)
    answer = client.get(f"/chats/{chat.pk}/budget/", headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert "This character was deleted." in answer.content.decode()
    assert "<html" not in answer.content.decode()


@pytest.mark.requirement("A1")
def test_somebody_elses_chat_has_no_bar(chat, mallory):
    with pytest.raises(Conversation.DoesNotExist):
        budgeting.estimate(mallory, chat.pk)
