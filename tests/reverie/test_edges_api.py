"""Odd input to the API gets a clear answer, and nothing is lost or half done (A11, A12)."""

import json
from base64 import urlsafe_b64encode
from uuid import uuid4

import pytest
from django.utils import translation
from django.utils.translation import gettext

from characters.models import Character
from conversations.models import Message
from tests.reverie.endpoints import OPERATIONS, TALK, filled
from tests.reverie.houses import House, stranger, street

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("A12")]
LONE, NUL, RTL = "\ud83d", "\x00", "\u202e"


@pytest.fixture(scope="module")
def houses(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), street() as found:
        yield found


@pytest.fixture
def juno(houses, db):
    return houses["owner"]


def send(house: House, method: str, path: str, body: bytes | str | dict):
    """A call with exactly this body; JSON is written with escapes, so any text passes as it is."""
    raw = json.dumps(body) if isinstance(body, dict) else body
    return stranger().generic(
        method, f"/api/v1/{path}", raw, content_type="application/json", headers=house.bearer()
    )


def say(house: House, text: str, client_id: object = None):
    body = {"client_id": str(client_id or uuid4()), "text": text}
    return send(house, "POST", f"conversations/{house.ids['chat']}/messages", body)


def refusal(answer) -> tuple[int, str]:
    """Status and code of a refusal, which always has words too."""
    told = answer.json()
    assert told["detail"]
    assert isinstance(told["code"], str)
    return answer.status_code, told["code"]


@pytest.mark.requirement("A11")
@pytest.mark.case("C70", "C73")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        (" \n\t\u3000", "empty"),
        (NUL, "empty"),
        (LONE, "empty"),
        ("x" * 32_001, "too_long"),
        ("𠮷" * 32_001, "too_long"),
        ("👨‍👩‍👧‍👦" * 5_000, "too_long"),
    ],
)
def test_what_cannot_be_sent_is_refused_in_words_and_nothing_is_written(text, code, juno):
    before = juno.rows()
    assert refusal(say(juno, text)) == (422, code)
    assert juno.rows() == before


@pytest.mark.case("C70", "C73", "C74")
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"a{NUL}b", "ab"),
        (f"a{LONE}b", "ab"),
        ("\ud83d\ude00", "😀"),
        ("か\u3099", "が"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        (f"{RTL}abc", f"{RTL}abc"),
        ("👨‍👩‍👧‍👦🇯🇵𠮷野家", "👨‍👩‍👧‍👦🇯🇵𠮷野家"),
        ("x" * 32_000, "x" * 32_000),
        (f"  {'y' * 10}\n", f"  {'y' * 10}\n"),
    ],
)
def test_a_message_is_kept_as_it_may_be_stored(text, kept, juno, settings):
    settings.CHAT_CONTEXT_TOKENS = 200_000
    answer = say(juno, text)
    assert answer.status_code == 202, answer.content
    assert answer.json()["message"]["text"] == kept
    assert Message.objects.get(pk=answer.json()["message"]["id"]).text == kept


@pytest.mark.requirement("P2")
def test_the_same_words_in_another_dress_are_the_same_message(juno):
    """A client that sends again after a reload may have another line end or normal form."""
    client_id = uuid4()
    first = say(juno, "か\u3099\r\nMochi", client_id)
    again = say(juno, f"が\nMochi{NUL}", client_id)
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["message"]["id"] == again.json()["message"]["id"]


BROKEN = {
    "nothing": b"",
    "no JSON": b"{",
    "words": b"hello",
    "a list": b"[]",
    "a string": b'"text"',
    "null": b"null",
    "a number": b"1",
    "NaN": b'{"name": NaN}',
    "infinity": b'{"name": "a", "is_default": Infinity}',
    "a float that overflows": b'{"name": "a", "is_default": 1e999}',
    "a whole number without end": b'{"name": ' + b"9" * 5_000 + b"}",
    "no UTF-8": b'{"name": "\xff\xfe"}',
    "UTF-8 of a surrogate": b'{"name": "\xed\xa0\xbd"}',
    "UTF-16 with half a letter": b"\xff\xfe{",
    "a mark before nothing": b"\xef\xbb\xbf",
    "very deep lists": b'{"name": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "very deep objects": b'{"name":' * 30_000 + b"1" + b"}" * 30_000,
    "deep but readable": b'{"tags": ' + b"[" * 700 + b"]" * 700 + b', "name": "a"}',
    "two hundred thousand keys": json.dumps({str(n): n for n in range(200_000)}).encode(),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("path", ["characters", "personas", "conversations"])
def test_a_body_that_is_no_such_thing_is_refused(kind, path, juno):
    before = juno.rows()
    status, _ = refusal(send(juno, "POST", path, BROKEN[kind]))
    assert status in (400, 422)
    assert juno.rows() == before


def test_a_body_over_the_limit_is_refused_and_not_read_into_memory(juno):
    before = juno.rows()
    answer = send(juno, "POST", "personas", {"name": "a", "description": "x" * 6_000_000})
    assert answer.status_code in (400, 413)
    assert juno.rows() == before


@pytest.mark.parametrize(
    "body",
    [
        {"name": ""},
        {"name": NUL},
        {"name": LONE},
        {"name": "x" * 81},
        {"name": None},
        {"name": ["a"]},
        {"name": 5},
        {"name": "a", "description": "x" * 40_001},
        {"name": "a", "tagline": "x" * 201},
        {"name": "a", "language": "xx"},
        {"name": "a", "tags": "none"},
        {"name": "a", "tags": [1]},
        {"name": "a", "alternate_greetings": ["x" * 40_001]},
        {"name": "a", "alternate_greetings": ["x"] * 1_000},
        {"name": "a", "tags": ["x"] * 1_000},
        {"name": "a", "tags": ["x" * 10_000]},
    ],
    ids=lambda body: json.dumps(body)[:40],
)
def test_a_character_that_cannot_be_is_refused(body, juno):
    before = juno.rows()
    status, _ = refusal(send(juno, "POST", "characters", body))
    assert status == 422
    assert juno.rows() == before


@pytest.mark.case("C70", "C73")
def test_every_text_of_a_character_is_cleaned(juno):
    odd, tidy = f"か\u3099{NUL}{LONE}\r\n!", "が\n!"
    texts = ("description", "personality", "greeting", "system_prompt", "creator_notes")
    body = {"name": f"T{NUL}{LONE}", **dict.fromkeys(texts, odd), "tags": [odd]}
    answer = send(juno, "POST", "characters", {**body, "alternate_greetings": [odd]})
    assert answer.status_code == 201, answer.content
    kept = Character.objects.get(pk=answer.json()["id"])
    assert kept.name == "T"
    assert {getattr(kept, name) for name in texts} == {tidy}
    assert (kept.tags, kept.alternate_greetings) == ([tidy], [tidy])


def test_fields_that_nobody_may_set_are_ignored(juno):
    body = {"name": "A", "owner": str(uuid4()), "owner_id": str(uuid4()), "id": str(uuid4())}
    answer = send(
        juno, "POST", "characters", {**body, "extensions": {"a": 1}, "avatar": "/etc/passwd"}
    )
    assert answer.status_code == 201
    kept = Character.objects.get(pk=answer.json()["id"])
    assert (kept.owner, kept.avatar.name, kept.extensions) == (juno.user, "", {})
    assert str(kept.pk) != body["id"]


WRONG_IDS = ("not-an-id", "1", "0" * 36, "%00", "%ED%A0%BD", "..%2f..", "x" * 3_000, "'--", "-")


@pytest.mark.parametrize("wrong", WRONG_IDS)
@pytest.mark.parametrize("key", [key for key, it in OPERATIONS.items() if "{" in it.path])
def test_an_id_that_is_none_is_not_found(key, wrong, juno):
    path = filled(OPERATIONS[key].path, dict.fromkeys(juno.ids, wrong))
    answer = send(juno, key.split()[0], path, filled(OPERATIONS[key].body, juno.ids) or b"")
    assert answer.status_code in (404, 422)


@pytest.mark.parametrize("value", [*WRONG_IDS, 5, None, [], {}, True, NUL, LONE])
@pytest.mark.parametrize("field", ["character_id", "persona_id"])
def test_a_wrong_id_in_a_body_is_refused(field, value, juno):
    body = {"character_id": juno.ids["character"], field: value}
    before = juno.rows()
    answer = send(juno, "POST", "conversations", body)
    if field == "persona_id" and value is None:
        assert answer.status_code == 201
    else:
        assert refusal(answer)[0] == 422
        assert juno.rows() == before


@pytest.mark.parametrize("kind", ["", "group", NUL, "x" * 5_000, LONE])
def test_a_kind_of_talk_that_there_is_not_is_refused(kind, juno):
    before = juno.rows()
    answer = send(
        juno, "POST", "conversations", {"character_id": juno.ids["character"], "kind": kind}
    )
    assert refusal(answer)[0] == 422
    assert juno.rows() == before


def test_a_title_too_long_is_refused_and_the_talk_stays_as_it_was(juno):
    before = juno.rows()
    answer = send(juno, "PATCH", f"conversations/{juno.ids['chat']}", {"title": "x" * 201})
    assert refusal(answer) == (422, "too_long")
    assert juno.rows() == before


def test_refusals_are_in_the_language_of_the_person(juno):
    """A program says no language, or the one of its machine; its person has chosen theirs."""
    type(juno.user).objects.filter(pk=juno.user.pk).update(language="ja")
    with translation.override("ja"):
        nothing, missing = (
            gettext("There is nothing to send."),
            gettext("There is no such thing here."),
        )
    assert "送" in nothing, "a translation is there to tell by"
    assert say(juno, "").json()["detail"] == nothing
    headers = {**juno.bearer(), "Accept-Language": "en"}
    assert (
        stranger().get(f"/api/v1/characters/{uuid4()}", headers=headers).json()["detail"] == missing
    )


def forged(values: str) -> str:
    return urlsafe_b64encode(values.encode()).decode().rstrip("=")


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize(
    "value",
    [
        *('"1"', "null", "1e999", "[]", "{}", '"\\u0000"', '"\\ud83d"', "true", "1", "-1", "NaN"),
        *(
            '"2026-13-45"',
            '"2026-01-01"',
            '"0000-00-00"',
            "9" * 30,
            "9" * 5_000,
            f'"{"x" * 5_000}"',
        ),
    ],
    ids=lambda value: value[:12],
)
@pytest.mark.parametrize(
    "path",
    [
        "characters",
        "personas",
        "conversations",
        f"{TALK}/messages",
        f"{TALK}/messages?after_revision=0",
    ],
)
def test_a_forged_cursor_is_refused_or_leads_somewhere(path, value, size, juno):
    told, _, query = filled(path, juno.ids).partition("?")
    query += f"&cursor={forged('[' + ','.join([value] * size) + ']')}"
    answer = stranger().generic("GET", f"/api/v1/{told}", QUERY_STRING=query, headers=juno.bearer())
    if answer.status_code == 200:
        assert set(answer.json()) >= {"items", "next"}
    else:
        assert (answer.status_code, answer.json().get("code")) == (422, "cursor")
