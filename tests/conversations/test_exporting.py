"""A chat leaves as words for people or as everything for programs, however long it is."""

import asyncio
import json
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from conversations import exporting, history
from conversations.models import Conversation, Message, Reply
from tests.conversations.test_history import answer_again
from tests.factories import exchange, make_persona


def get(user, chat, ending):
    client = Client()
    client.force_login(user)
    return client.get(f"/chats/{chat.pk}/export.{ending}")


def test_the_text_reads_as_the_talk_was_told_in_the_persons_own_time(chat, juno):
    juno.time_zone = "Asia/Tokyo"
    juno.save()
    turn = exchange(chat, "猫は？", "asleep")
    answer_again(chat, turn, "On the *windowsill*")
    gone = exchange(chat, "taken back", "unheard")
    history.delete_message(juno, chat.pk, gone.message.pk, following=True)
    at = datetime(2026, 5, 1, 22, 30, tzinfo=UTC)
    Message.objects.filter(conversation=chat).update(created_at=at)
    answer = get(juno, chat, "txt")
    head, *told = answer.getvalue().decode().split("\n\n")
    assert head.splitlines()[:2] == ["Tomori", "Tomori"]
    assert "(Asia/Tokyo)" in head
    assert [part.strip() for part in told] == [
        "Tomori · 2026-05-02 07:30\nHello, juno.",
        "juno · 2026-05-02 07:30\n猫は？",
        "Tomori · 2026-05-02 07:30\nOn the *windowsill*",
    ]


@pytest.mark.case("C88")
def test_the_json_holds_everything_but_what_is_deleted(chat, juno):
    chat.persona = make_persona(juno, "凪")
    chat.save()
    turn = exchange(chat, "And?", "first")
    second = answer_again(chat, turn, "second")
    history.choose(juno, chat.pk, turn.reply.pk)
    Reply.objects.filter(pk=second.pk).update(
        reasoning="hm", prompt_tokens=12, cost="0.001", error_code="rate", error_detail="slow"
    )
    told = json.loads(get(juno, chat, "json").getvalue())
    assert (told["format"], told["version"]) == ("reverie.chat", 1)
    assert told["conversation"]["persona"] == {"id": str(chat.persona_id), "name": "凪"}
    assert [m["position"] for m in told["messages"]] == [1, 2, 3]
    greeting, said, answer = told["messages"]
    assert (greeting["name"], greeting["place"]) == ("Tomori", 0)
    assert (said["text"], said["persona"]["name"]) == ("And?", "凪")
    assert said["client_id"] == str(turn.message.client_id)
    assert answer["answers"] == said["id"]
    assert answer["chosen_reply_id"] == str(turn.reply.pk)
    assert [reply["text"] for reply in answer["replies"]] == ["first", "second"]
    version = answer["replies"][1]
    assert (version["reasoning"], version["model"]) == ("hm", second.model)
    assert version["error"] == {"code": "rate", "detail": "slow"}
    assert version["usage"]["prompt_tokens"] == 12
    assert version["usage"]["cost"] == "0.001000"
    stored = Message.objects.get(pk=said["id"]).created_at
    assert datetime.fromisoformat(said["created_at"]) == stored


def test_a_chat_without_messages_is_a_file_too(juno):
    chat = Conversation.objects.create(owner=juno, language="en", revision=1)
    assert json.loads(get(juno, chat, "json").getvalue())["messages"] == []
    assert get(juno, chat, "txt").status_code == 200


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("桜の夜", "桜の夜.txt"),
        ("../../etc/passwd", "etc passwd.txt"),
        ('a"b\\c:d', "a b c d.txt"),
        ("\u202etxt.exe", "txt.exe.txt"),
        ("...", "chat.txt"),
        ("夜" * 200, "夜" * 80 + ".txt"),
    ],
)
def test_the_file_is_called_after_the_chat(chat, title, name):
    chat.title = title
    assert exporting.file_name(chat, "txt") == name


def test_the_name_of_the_file_survives_the_way(chat, juno):
    history.change(juno, chat.pk, {"title": "桜の夜"})
    answer = get(juno, chat, "json")
    assert answer.headers["Content-Disposition"].startswith(
        "attachment; filename*=utf-8''%E6%A1%9C"
    )
    assert answer.headers["Content-Type"].startswith("application/json")


def long_talk(chat, count) -> None:
    speaker = chat.participants.get()
    shared = {"conversation": chat, "revision": 1}
    for position in range(2, count + 2, 2):
        Message.objects.create(position=position, role="user", text=f"Line {position}", **shared)
        answer = Message(position=position + 1, role="character", participant=speaker, **shared)
        answer.save()
        reply = Reply.objects.create(conversation=chat, message=answer, status="done", text="Yes")
        Message.objects.filter(pk=answer.pk).update(chosen_reply=reply)


def test_a_long_chat_is_read_a_batch_at_a_time(chat, juno, monkeypatch):
    monkeypatch.setattr(exporting, "BATCH", 10)
    long_talk(chat, 60)
    pieces = exporting.as_json(Conversation.objects.with_speakers().get(pk=chat.pk))
    sizes, asked = [], []
    with CaptureQueriesContext(connection) as all_asked:
        whole = ""
        for piece in pieces:
            whole += piece
            sizes.append(piece.count('"position"'))
            asked.append(len(all_asked))
    assert max(sizes) == 10
    assert len(json.loads(whole)["messages"]) == 61
    # Two statements a batch, and one that finds no more.
    assert {after - before for before, after in pairwise(asked[2:])} <= {1, 2}


@pytest.mark.django_db(transaction=True)
def test_an_async_server_is_given_the_pieces_one_by_one(juno, chat):
    long_talk(chat, 6)
    talk = Conversation.objects.with_speakers().get(pk=chat.pk)

    async def read() -> list[str]:
        return [piece async for piece in exporting.in_hops(exporting.as_json(talk))]

    pieces = asyncio.run(read())
    assert len(pieces) > 3
    assert len(json.loads("".join(pieces))["messages"]) == 7


def test_the_api_gives_both_and_refuses_any_other(chat, juno):
    client = Client()
    client.force_login(juno)
    address = f"/api/v1/conversations/{chat.pk}/export"
    assert json.loads(client.get(address).getvalue())["format"] == "reverie.chat"
    assert b"Hello, juno." in client.get(f"{address}?format=text").getvalue()
    assert client.get(f"{address}?format=pdf").status_code == 422
