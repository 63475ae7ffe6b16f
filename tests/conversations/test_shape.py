"""What goes over the wire stays small, says what it is, and cannot wipe a talk out."""

import json

import pytest
from django.test import Client

from conversations import sync
from conversations.models import Reply
from conversations.schemas import SendIn
from reverie.api import api
from tests.factories import exchange


@pytest.mark.case("C40", "C41")
def test_no_call_writes_a_whole_chat_so_no_empty_one_can_be_written_over_it():
    operations = [
        (path, operation)
        for _, router in api._routers
        for path, view in router.path_operations.items()
        for operation in view.operations
    ]
    assert not [path for path, operation in operations if "PUT" in operation.methods]
    schema = json.dumps(api.get_openapi_schema()["components"]["schemas"]["ConversationPatch"])
    assert "messages" not in schema


@pytest.mark.case("C105")
def test_a_send_carries_its_own_words_and_nothing_of_the_chat():
    assert set(SendIn.model_fields) == {"client_id", "text"}


@pytest.mark.case("C104", "C109")
def test_a_page_of_a_chat_carries_no_reasoning(chat):
    opened = exchange(chat, "Hello", "Hi")
    Reply.objects.filter(pk=opened.reply.pk).update(reasoning="hidden thought " * 2_000)
    page = json.dumps(sync.page(chat.owner, chat))
    assert "hidden thought" not in page
    assert len(page) < 8_000


@pytest.mark.case("C65")
def test_token_counts_are_shown_as_estimates_beside_what_the_provider_counted(chat):
    opened = exchange(chat, "こんばんは", "こんばんは")
    Reply.objects.filter(pk=opened.reply.pk).update(prompt_tokens=4_321, cached_tokens=1_234)
    person = Client()
    person.force_login(chat.owner)
    page = person.get(f"/chats/{chat.pk}/replies/{opened.reply.pk}/prompt/").content.decode()
    assert "≈" in page
    assert "o200k" in page
    assert "4,321" in page
    assert "1,234" in page
