"""Whatever is done to a talk, a tab that catches up shows what a fresh one shows (P10)."""

import json
from uuid import uuid4

import pytest
from django.test import Client

from conversations import sync, turns, versions
from conversations.models import Conversation, Reply
from reverie.accounts.models import ApiToken
from reverie.api import api
from tests.factories import exchange, make_model, make_persona, say


def _send(call, chat, _):
    call("post", "messages", {"client_id": str(uuid4()), "text": "And now?"})


def _edit_message(call, chat, turn):
    call("patch", f"messages/{turn.message.pk}", {"text": "Edited"})


def _delete_message(call, chat, turn):
    call("delete", f"messages/{turn.message.pk}?following=true")


def _restore(call, chat, turn):
    call("delete", f"messages/{turn.message.pk}")
    call("post", f"messages/{turn.message.pk}/restore")


def _regenerate(call, chat, turn):
    call("post", f"messages/{turn.answer.pk}/regenerate")


def _edit_reply(call, chat, turn):
    call("patch", f"replies/{turn.reply.pk}", {"text": "Edited"})


def _delete_reply(call, chat, turn):
    _second_version(chat, turn)
    call("delete", f"replies/{turn.reply.pk}")


def _choose(call, chat, turn):
    _second_version(chat, turn)
    call("post", f"replies/{turn.reply.pk}/choose")


def _continue(call, chat, turn):
    call("post", f"replies/{turn.reply.pk}/continue")


def _stop(call, chat, turn):
    opened = say(chat, "Say much")
    prepared = turns.prepare(opened.reply.pk)
    call("post", "stop")
    stopped = turns.Outcome(Reply.Status.STOPPED, "Not so")
    turns.close(opened.reply.pk, prepared.attempt, stopped)


def _change(call, chat, _):
    worn, model = make_persona(chat.owner, "Rin"), make_model()
    talks = {"model_id": str(model.pk), "temperature": 0.5, "reply_tokens": 256}
    call("patch", "", {"title": "Tea with Rin", "persona_id": str(worn.pk), **talks})


def _second_version(chat, turn):
    again = versions.regenerate(chat.owner, chat.pk, turn.answer.pk)
    prepared = turns.prepare(again.reply.pk)
    turns.close(again.reply.pk, prepared.attempt, turns.Outcome(Reply.Status.DONE, "Other"))


def _delete_and_restore(call, chat, turn):
    call("delete", "")
    call("post", "restore")


ACTS = {
    "send": _send,
    "edit_message": _edit_message,
    "delete_message": _delete_message,
    "restore": _restore,
    "regenerate": _regenerate,
    "edit_reply": _edit_reply,
    "delete_reply": _delete_reply,
    "choose": _choose,
    "go_on": _continue,
    "stop": _stop,
    "change_conversation": _change,
    "restore_conversation": _delete_and_restore,
}
# No page is kept in step before a talk begins or after it is gone; a draft changes nothing.
NOT_ON_A_PAGE = {"create_conversation", "delete_conversation", "impersonate"}


def mutating() -> set[str]:
    """The names of all operations of the API that change a talk."""
    return {
        operation.view_func.__name__
        for prefix, router in api._routers
        for path, view in router.path_operations.items()
        for operation in view.operations
        if "conversations" in path and not {"GET", "HEAD"} & set(operation.methods)
    }


def whole(chat) -> dict:
    page = sync.page(chat.owner, Conversation.objects.get(pk=chat.pk))
    return {row["id"]: row for row in page["messages"]}


@pytest.mark.requirement("P10")
def test_no_act_escapes_this_test():
    assert mutating() == set(ACTS) | NOT_ON_A_PAGE


@pytest.mark.requirement("P10")
@pytest.mark.parametrize("act", ACTS)
def test_a_stale_tab_that_catches_up_shows_what_a_fresh_one_shows(chat, act):
    exchange(chat, "Hello", "Hi")
    turn = exchange(chat, "How is Mochi?", "Asleep")
    stale, revision = whole(chat), Conversation.objects.get(pk=chat.pk).revision
    client, token = Client(), ApiToken.issue(chat.owner)

    def call(method, path, body=None):
        response = getattr(client, method)(
            f"/api/v1/conversations/{chat.pk}" + (f"/{path}" if path else ""),
            json.dumps(body) if body else "",
            content_type="application/json",
            headers={"authorization": f"Bearer {token}"},
        )
        assert response.status_code < 300, response.content

    ACTS[act](call, chat, turn)
    caught_up = sync.changes(chat.owner, chat.pk, revision)
    assert caught_up["revision"] > revision
    shown = stale | {row["id"]: row for row in caught_up["messages"]}
    shown = {pk: row for pk, row in shown.items() if not row["deleted"]}
    assert shown == whole(chat)
    assert caught_up["conversation"] == sync.conversation_row(Conversation.objects.get(pk=chat.pk))
