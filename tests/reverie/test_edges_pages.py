"""Odd addresses, queries, forms, cookies and headers get a clear answer, never a crash (A12)."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.shortcuts import get_object_or_404

from characters.models import Character, Persona
from conversations import trash
from conversations.models import Conversation
from tests.factories import with_second_factor
from tests.reverie.endpoints import OPERATIONS, PAGES, filled
from tests.reverie.houses import House, stranger, street

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("A12")]

ODD = {
    "NUL": "%00",
    "half a pair": "%ED%A0%BD",
    "no UTF-8": "%FF%FE",
    "10 kB": "x" * 10_000,
    "10 kB of kana": "%E3%81%82" * 3_400,
    "right to left": "%E2%80%AE%E2%81%A6abc",
    "a number without end": "9" * 400,
    "below zero": "-1",
    "wildcards": "%25%5F%5C%27%22",
    "markup": "%3Cscript%3Ealert(1)%3C/script%3E",
    "a bad escape": "%zz%",
    "empty": "",
}
PARAMETERS = (
    "q",
    "page",
    "cursor",
    "limit",
    "after_revision",
    "before",
    "next",
    "language",
    "form",
    "format",
    "deleted",
    "for_good",
    "at",
    "tag",
    "sort",
    "version",
)


@pytest.fixture(scope="module")
def houses(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), street() as found:
        with_second_factor(found["superuser"].user)
        yield found


@pytest.fixture
def juno(houses, db):
    return houses["owner"]


@pytest.mark.case("C77")
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("route", [r for r, page in PAGES.items() if page.get == 200])
def test_no_query_makes_a_page_fail(route, odd, juno):
    path = filled(PAGES[route].path, juno.ids)
    query = "&".join(f"{name}={ODD[odd]}" for name in (*PARAMETERS, ODD[odd][:40]))
    answer = juno.browser().generic("GET", path, QUERY_STRING=query)
    assert answer.status_code in (200, 400), answer.status_code
    assert b"<script>alert(1)" not in answer.getvalue()


@pytest.mark.case("C77")
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("key", [key for key in OPERATIONS if key.startswith("GET ")])
def test_no_query_makes_the_api_fail(key, odd, juno):
    path = f"/api/v1/{filled(OPERATIONS[key].path, juno.ids)}"
    for name in PARAMETERS:
        answer = stranger().generic(
            "GET", path, QUERY_STRING=f"{name}={ODD[odd]}", headers=juno.bearer()
        )
        assert answer.status_code in (200, 422), (name, answer.status_code)
        if answer.status_code == 422:
            assert set(answer.json()) >= {"detail", "code"}


@pytest.mark.parametrize(
    "path",
    [
        "/%00",
        "/chats/%00/",
        "/chats/%ED%A0%BD/",
        "/characters/%FF/avatar/",
        "/sign-in/{owner}/%00/",
        "/sign-in/{owner}/%ED%A0%BD%FF/",
        "/api/v1/%00",
        "/api/v1/conversations/%00",
        "/admin/%00/",
        "/admin/characters/character/%00/change/",
        "/admin/accounts/user/%ED%A0%BD/change/",
        "/static/%00",
        "/static/..%2f..%2fmanage.py",
        "/static/%2e%2e/%2e%2e/reverie/settings.py",
        "/" + "x" * 8_000,
    ],
)
def test_no_address_makes_the_server_fail(path, juno, houses):
    for browser in (stranger(), juno.browser(), houses["superuser"].browser()):
        answer = browser.get(filled(path, juno.ids))
        assert answer.status_code in (302, 400, 404), answer.status_code
        assert b"SECRET_KEY" not in answer.content


@pytest.mark.parametrize(
    "odd", ["\x00", "a\x00b", "\ud83d", "\u202e", "é" * 5_000, "=" * 200, '";']
)
def test_no_cookie_makes_a_page_fail(odd, juno):
    for name in ("sessionid", "csrftoken", "django_language", "messages", "x"):
        browser = juno.browser()
        browser.cookies[name] = odd.encode("utf-8", "replace").decode("latin-1")
        for path in ("/", "/sign-in/", f"/chats/{juno.ids['chat']}/", "/api/v1/characters"):
            assert browser.get(path).status_code in (200, 302, 401), (name, path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Accept-Language", "x" * 10_000),
        ("Accept-Language", "ja;q=NaN,en;q=-1,\x00"),
        ("Accept", "\x00"),
        ("HX-Request", "true\x00"),
        ("HX-Current-URL", "javascript:alert(1)"),
        ("HX-Trigger", "\x00" * 3),
        ("Authorization", "Bearer \x00"),
        ("Authorization", "Bearer é\xff"),
        ("Authorization", "Bearer"),
        ("Authorization", "Basic \x00"),
        ("Authorization", "Bearer " + "x" * 10_000),
        ("Content-Type", "text/html; charset=nowhere"),
        ("X-CSRFToken", "\x00"),
        ("Referer", "\x00"),
        ("If-Modified-Since", "tomorrow"),
        ("Range", "bytes=9-1"),
    ],
)
def test_no_header_makes_the_server_fail(name, value, juno):
    for path in ("/", "/characters/", f"/chats/{juno.ids['chat']}/", "/api/v1/characters"):
        answer = juno.browser().get(path, headers={name: value})
        assert answer.status_code in (200, 400, 401), path


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "a b", "\x00", ""])
def test_an_address_that_is_not_ours_is_refused(host):
    answer = stranger().get("/", headers={"Host": host})
    assert answer.status_code == 400
    assert b"evil.example" not in answer.content


WORDS = {
    "empty": "",
    "NUL": "a\x00b",
    "only NUL": "\x00",
    "lone surrogate": "a\ud83db",
    "decomposed": "か\u3099",
    "line ends": "a\r\nb",
    "long": "x" * 50_000,
    "list": '["a"]',
    "markup": "<script>alert(1)</script>",
}
FORMS = {
    "/characters/new/": (
        "name",
        "tagline",
        "description",
        "tags",
        "alternate_greetings",
        "language",
    ),
    "/personas/new/": ("name", "description", "is_default"),
    "/characters/{character}/bond/": ("note", "learns", "memory_detail", "persona"),
    "/characters/drafts/{draft}/": ("name", "description", "tags", "alternate_greetings"),
    "/characters/weigh/": ("description", "greeting"),
    "/characters/import/": ("file",),
    "/chats/{chat}/edit/": ("title",),
    "/settings/": ("form", "shown_name", "language", "time_zone", "new_password1"),
    "/sign-in/": ("login", "password", "next"),
    "/language/": ("language", "next"),
    "/chats/new/": ("character", "persona"),
}
GOOD = {
    "name": "A",
    "language": "en",
    "form": "preferences",
    "time_zone": "UTC",
    "login": "juno",
}


@pytest.mark.case("C70", "C73")
@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("form", FORMS)
def test_no_form_makes_a_page_fail_and_what_is_kept_is_clean(form, words, juno):
    for field in FORMS[form]:
        for kind in ("multipart", "urlencoded"):
            browser = stranger() if form == "/sign-in/" else juno.browser()
            told = {**GOOD, "character": juno.ids["character"], field: WORDS[words]}
            answer = post(browser, filled(form, juno.ids), told, kind)
            assert answer.status_code in (200, 302, 400, 404, 422), (field, kind)
            assert b"<script>alert(1)" not in answer.content
    assert_clean(juno)


def post(browser, path: str, told: dict[str, str], kind: str):
    """As a browser sends it; half a pair goes as the bytes that only a broken client makes."""
    raw = {name: text.encode("utf-8", "surrogatepass") for name, text in told.items()}
    if kind == "multipart":
        part = b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
        body = b"".join(part % (name.encode(), text) for name, text in raw.items()) + b"--b--\r\n"
        return browser.generic("POST", path, body, content_type="multipart/form-data; boundary=b")
    pairs = ("".join(f"%{byte:02x}" for byte in text) for text in raw.values())
    query = "&".join(f"{name}={text}" for name, text in zip(raw, pairs, strict=True))
    return browser.generic("POST", path, query, content_type="application/x-www-form-urlencoded")


def assert_clean(juno: House) -> None:
    texts = [
        *Character.objects.of(juno.user).values_list("name", "tagline", "description"),
        *Persona.objects.of(juno.user).values_list("name", "description"),
        *Conversation.objects.of(juno.user).values_list("title"),
    ]
    for text in (text for row in texts for text in row):
        assert not set(text) & {"\x00", "\r", "\u3099"}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=", b"x"),
        ("multipart/form-data; boundary=b", b"--b\r\n\r\n"),
        (
            "multipart/form-data; boundary=b",
            b"--b\r\nContent-Disposition: form-data; name=\x00\r\n\r\n\r\n--b--",
        ),
        ("application/x-www-form-urlencoded; charset=nowhere", b"name=a"),
        ("application/x-www-form-urlencoded; charset=utf-16", b"name=a"),
        ("application/x-www-form-urlencoded", b"a&" * 2_000),
        ("application/x-www-form-urlencoded", b"name=%ff%00&%00=%00"),
        ("application/json", b"{"),
        ("", b"\xff"),
    ],
)
def test_a_broken_form_is_refused(kind, body, juno):
    before = juno.rows()
    for path in ("/characters/new/", f"/chats/{juno.ids['chat']}/edit/", "/settings/"):
        answer = juno.browser().generic("POST", path, body, content_type=kind)
        assert answer.status_code in (200, 302, 400), (path, answer.status_code)
    kept = juno.rows()
    assert kept["characters.Character"] == before["characters.Character"]


@pytest.mark.requirement("A7")
@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a\x00.png", "x" * 3_000 + ".png", "＜.svg", ""]
)
def test_a_picture_that_is_none_is_refused_whatever_its_name(name, juno):
    drawn = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    before = juno.rows()
    for content in (
        drawn,
        b"\x89PNG\r\n\x1a\n" + b"\x00" * 50,
        b"GIF89a",
        b"RIFF\x00\x00\x00\x00WEBP",
        b"",
    ):
        upload = SimpleUploadedFile(name or "x", content, "image/png")
        upload._name = name  # type: ignore[attr-defined]  # past what Django makes of it
        told = {"name": "A", "language": "en", "picture": upload}
        path = f"/characters/{juno.ids['character']}/"
        assert juno.browser().post(path, told).status_code in (200, 302, 400)
        if content and name:
            assert juno.rows() == before


def test_what_a_first_click_has_deleted_is_not_found_by_the_second(juno, client, monkeypatch):
    def looked_up(*found: Any, pk: Any) -> Any:
        """As Django does it, and the first click gets in between."""
        chat = get_object_or_404(*found, pk=pk)
        trash.delete(juno.user, pk)
        return chat

    monkeypatch.setattr("conversations.views.get_object_or_404", looked_up)
    client.force_login(juno.user)
    assert client.post(f"/chats/{juno.ids['chat']}/delete/").status_code == 404
