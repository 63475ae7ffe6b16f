"""What people write never reaches a log, not even when everything fails and all is logged (A13)."""

import json
import urllib.error
import urllib.request
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client as Browser

from characters.models import Bond
from reverie.accounts import signin
from reverie.providers.models import ConnectedModel
from tests.factories import make_character, make_conversation, make_persona, make_user
from tests.live import Client, Web
from tests.scripted import Script

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.requirement("A13")]
CANARY = "kanarienvogel"
KEY = "sk-schluessel-9f2c"


@pytest.fixture
def loud(transactional_db, provider):
    """A web process that logs all that it can."""
    told = {"CHAT_BASE_URL": provider.base_url, "CHAT_MODEL": "scripted", "CHAT_API_KEY": KEY}
    with Web(**told, LOG_LEVEL="DEBUG") as web:
        yield web


@pytest.fixture
def talk(loud):
    """A program and a talk in which every text has the canary in it."""
    user = make_user("juno", shown_name=f"{CANARY} name")
    words = {"description": CANARY, "system_prompt": CANARY, "greeting": f"{CANARY} greeting"}
    character = make_character(user, f"{CANARY} character", **words)
    make_persona(user, f"{CANARY} persona", description=CANARY, is_default=True)
    Bond.objects.create(user=user, character=character, note=CANARY)
    return Client(loud, user), make_conversation(user, character).pk


def says(word: str) -> Script:
    return Script(text=[f"{word} ", "and so on"], reasoning=[f"{word} thought"])


BODY = {"error": {"message": CANARY, "type": CANARY, "code": CANARY}}
FAILURES = {
    "an answer": says(CANARY),
    "401": Script(status=401, body=BODY),
    "402": Script(status=402, body=BODY),
    "404": Script(status=404, body=CANARY),
    "413": Script(status=413, body={"error": {"message": f"maximum context length {CANARY}"}}),
    "429": Script(status=429, body=BODY, headers={"Retry-After": "20"}),
    "500": Script(status=500, body=CANARY),
    "200 with an error": Script(body=BODY),
    "no JSON": Script(raw=f"data: {{{CANARY}\n\n".encode()),
    "no stream": Script(raw=CANARY.encode()),
    "no UTF-8": Script(raw=b"data: \xff\xfe" + CANARY.encode() + b"\n\n"),
    "a wrong shape": Script(
        extra=[{"choices": [{"delta": {"content": [CANARY]}}]}, {"choices": CANARY}]
    ),
    "a wrong count": Script(usage={"prompt_tokens": CANARY}),
    "an error amid it": Script(text=[CANARY], extra=[BODY]),
    "no end": Script(text=[CANARY], finish=None),
    "a cut": Script(text=[CANARY, CANARY, CANARY], cut_after=2),
    "a filter": Script(text=[CANARY], finish="content_filter"),
    "odd tool calls": Script(
        text=[CANARY],
        tool_calls=[
            [{"index": 0, "id": "1", "function": {"name": CANARY, "arguments": f"{{{CANARY}"}}]
        ],
    ),
}


def test_no_turn_and_no_failure_of_a_provider_is_logged_in_words(talk, loud, provider):
    client, chat = talk
    for name, script in FAILURES.items():
        provider.queue(*[script] * 4)  # as often as it is tried again
        status, turn = client.send(chat, f"{CANARY} {name}")
        assert status == 202, name
        client.await_end(chat, turn["reply"]["id"])
        provider.scripts.clear()
    assert CANARY in json.dumps([request.json for request in provider.requests])
    said = loud.said()
    assert "level='debug'" in said, "the log is the one that is looked at"
    assert CANARY not in said, near(said, CANARY)
    assert KEY not in said
    assert client.token not in said


def test_no_refusal_is_logged_in_words(talk, loud):
    client, chat = talk
    told = {"client_id": str(uuid4()), "text": CANARY}
    paths = (f"conversations/{chat}/messages", "characters", f"conversations/{uuid4()}/messages")
    for path in paths:
        for body in (
            json.dumps(told),
            json.dumps({**told, "text": CANARY * 40_000}),
            json.dumps({**told, "client_id": CANARY}),
            json.dumps({"name": [CANARY], "tags": CANARY}),
            json.dumps({"name": CANARY * 50, "description": CANARY * 9_000}),
            f'{{"text": {CANARY}',
            CANARY,
            json.dumps({**told, "text": CANARY + "x" * 6_000_000}),
        ):
            assert posted(client, path, body.encode()) < 500
    assert posted(client, paths[0], b"\xff" + CANARY.encode()) < 500
    assert CANARY not in loud.said(), near(loud.said(), CANARY)


def test_a_form_that_is_refused_is_not_logged(loud):
    key = f"/join/{CANARY}/"
    for path in ("/sign-in/", "/characters/new/", "/settings/", "/admin/login/", key):
        data = f"username={CANARY}&password={CANARY}&name={CANARY}".encode()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(loud.address + path, data, timeout=20)
    assert CANARY not in loud.said(), near(loud.said(), CANARY)


@pytest.mark.requirement("A9")
def test_no_key_of_a_model_is_logged_or_answered_whatever_happens_to_it(loud, provider):
    """Connected through the page, tested, used, refused by its provider, and all of it logged."""
    owner = make_user("root", is_staff=True, is_superuser=True)
    key, browser = "sk-kanarienvogel-31415926", visitor(loud, owner)
    listed = {"kind": "other", "base_url": provider.base_url, "model": "m", "api_key": key}
    said = [browser("/models/new/", {**listed, "context_tokens": "1"})]  # refused
    said.append(browser("/models/new/", {**listed, "offered": "1"}))
    said.append(browser("/models/new/", {**listed, "context_tokens": "8192", "enabled": "on"}))
    row = ConnectedModel.objects.get()
    assert row.key() == key
    client, chat = Client(loud, owner), make_conversation(owner)
    client.call("PATCH", f"conversations/{chat.pk}", {"model_id": str(row.pk)})
    body = {"error": {"message": f"no such key: {key}"}}
    for script in (Script(), Script(status=401, body=body), Script(status=500, body=body)):
        provider.scripts.clear()
        provider.queue(*[script] * 6)
        said.append(browser("/models/test/", {"model": str(row.pk)}))
        turn = client.send(chat.pk, "Hello")[1]
        said.append(json.dumps(client.await_end(chat.pk, turn["reply"]["id"])))
    said.append(json.dumps(client.call("GET", "models")[1]))
    said += [browser(path) for path in ("/models/", f"/models/{row.pk}/", f"/chats/{chat.pk}/")]
    assert provider.last.headers["authorization"] == f"Bearer {key}"
    assert not [text for text in said if key in text]
    assert key not in loud.said(), near(loud.said(), key)


def visitor(web: Web, person):
    """Opens a path, or posts a form to it, as this person; the text of the page it comes to."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    cookie, token = session_cookie(person), "k" * 32

    def visit(path: str, form: dict[str, str] | None = None) -> str:
        data = urlencode({**form, "csrfmiddlewaretoken": token}).encode() if form else None
        request = urllib.request.Request(web.address + path, data)
        request.add_header("Cookie", f"{cookie}; csrftoken={token}")
        with browser.open(request, timeout=40) as answer:
            return str(answer.read().decode())

    return visit


def session_cookie(person) -> str:
    signed_in = Browser()
    signed_in.force_login(person)
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={signed_in.cookies[name].value}"


def test_words_and_tokens_in_an_address_are_not_logged(loud):
    """What is searched for are a person's words, and a one-time link is a key."""
    # As the product starts it: Daphne's own list of requests is off, and ours says no queries.
    path = signin.link_path(make_user("juno"))
    for told in (f"/characters/?q={CANARY}", f"/sign-in/?next=/characters/%3Fq={CANARY}", path):
        urllib.request.urlopen(loud.address + told, timeout=20).close()
    assert CANARY not in loud.said(), near(loud.said(), CANARY)
    assert path.rstrip("/").rsplit("/", 1)[1] not in loud.said()


def posted(client: Client, path: str, body: bytes) -> int:
    """Status of a POST with exactly this body."""
    request = urllib.request.Request(f"{client.web.address}/api/v1/{path}", body, method="POST")
    request.add_header("Authorization", f"Bearer {client.token}")
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def near(said: str, word: str) -> str:
    """Where the log says it."""
    place = max(0, said.find(word))
    return said[max(0, place - 300) : place + 300]
