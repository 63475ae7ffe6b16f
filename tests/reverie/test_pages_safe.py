"""Pages carry a strict policy, and what people or models write stays text on them (A4, A5)."""

import json
import re
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.contrib import admin
from django.test import Client

from characters.models import Bond, CardDraft, Character, Persona
from conversations import trash
from conversations.models import Conversation, Message, Reply
from reverie.text import markdown
from tests.factories import (
    exchange,
    make_character,
    make_conversation,
    make_persona,
    make_user,
    with_second_factor,
)
from tests.reverie.endpoints import PAGES, filled
from tests.reverie.hostile import HOSTILE, MARKUP, Page
from tests.reverie.houses import House, stranger

pytestmark = pytest.mark.django_db


def policy(answer) -> dict[str, list[str]]:
    told = answer.headers.get("Content-Security-Policy", "")
    parts = [part.split() for part in told.split(";") if part.strip()]
    return {part[0]: part[1:] for part in parts}


def assert_strict(answer, where: str) -> None:
    """A policy under which nothing but our own files runs, loads, frames or is framed."""
    told = policy(answer)
    assert told.get("script-src") == ["'self'"], where
    assert told.get("default-src") == ["'none'"], where
    assert told.get("base-uri") == ["'none'"], where
    assert told.get("frame-ancestors") == ["'none'"], where
    assert told.get("form-action") == ["'self'"], where
    loose = {"'unsafe-inline'", "'unsafe-eval'", "*", "http:", "https:", "blob:"}
    assert not loose & {source for sources in told.values() for source in sources}, where
    assert "data:" not in told["script-src"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff", where


def is_page(answer) -> bool:
    return bool(answer.headers.get("Content-Type", "").startswith("text/html"))


def crawl(browser: Client, starts: list[str]) -> dict[str, Any]:
    """Every page that can be reached by links, with its answer."""
    found: dict[str, Any] = {}
    ahead = list(starts)
    while ahead:
        path = ahead.pop()
        if path in found or len(found) > 400:
            continue
        answer = found[path] = browser.get(path)
        if is_page(answer):
            page = Page(answer.content.decode(), own=True)
            local = [urlsplit(urljoin(path, link)) for link in page.links]
            ahead += [f"{u.path}?{u.query}" if u.query else u.path for u in local if not u.netloc]
    return {path: answer for path, answer in found.items() if not path.startswith("/static/")}


@pytest.mark.requirement("A5")
def test_every_page_that_a_stranger_can_reach_has_a_strict_policy():
    pages = crawl(stranger(), ["/", "/sign-in/", "/nowhere/", "/admin/login/", "/chats/"])
    for path, answer in pages.items():
        assert answer.status_code in (200, 302, 404), path
        assert_strict(answer, path)
        assert not Page(answer.content.decode(), own=True).wrong, path


@pytest.mark.requirement("A5")
def test_every_page_that_a_person_can_reach_has_a_strict_policy_and_works():
    juno = House.of("juno")
    private = [filled(page.path, juno.ids) for page in PAGES.values() if page.get == 200]
    pages = crawl(juno.browser(), ["/", *private])
    assert len(pages) > len(private) / 2
    for path, answer in pages.items():
        assert answer.status_code in (200, 302), path  # a sign-in leads on
        if is_page(answer):
            assert_strict(answer, path)
            assert answer.headers["X-Frame-Options"] == "DENY", path
            assert not Page(answer.content.decode(), own=True).wrong, path


@pytest.mark.requirement("A5")
def test_refusals_have_the_strict_policy_too():
    juno, steve = House.of("juno"), House.of("steve", is_staff=True)
    with_second_factor(steve.user)
    refusals = [
        juno.browser(csrf=True).post("/settings/", {}),
        juno.browser().get("/sign-out/"),
        juno.browser().get("/nowhere/"),
        juno.browser().get("/", headers={"Host": "evil.example"}),
        juno.browser().generic("POST", "/settings/", b"x", content_type="multipart/form-data"),
        steve.browser().get("/admin/auth/group/"),
    ]
    assert [answer.status_code for answer in refusals] == [403, 405, 404, 400, 400, 403]
    for answer in refusals:
        assert_strict(answer, str(answer))


@pytest.mark.requirement("A12")
@pytest.mark.parametrize("path", ["nowhere", "characters", "characters/x", ""])
def test_the_api_refuses_in_its_own_form_and_never_with_a_page(path):
    for answer in (
        stranger().get(f"/api/v1/{path}"),
        stranger().put(f"/api/v1/{path}"),
        stranger().get(f"/api/v1/{path}", headers={"Host": "evil.example"}),
    ):
        assert answer.status_code in (400, 401, 404, 405)
        assert set(answer.json()) == {"detail", "code"}
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_reader_of_these_tests_notices_what_comes_alive():
    alive = [text for text in MARKUP if Page(text, own=True).wrong]
    assert len(alive) >= 20
    assert all(Page(text, own=False).wrong for text in MARKUP[:12])
    assert Page('<a href="java&#115;cript:hostile()">x</a>', own=True).wrong
    assert not Page("<p>&lt;script&gt;hostile()&lt;/script&gt;</p>", own=False).wrong


@pytest.mark.requirement("A4")
@pytest.mark.parametrize("text", HOSTILE)
def test_the_html_of_a_message_holds_nothing_but_calm_text(text):
    for dressed in (
        text,
        f"*{text}*",
        f"- {text}",
        f"「{text}」",
        f"a\n\n{text}\n{text}",
        f"{text} " * 40,
    ):
        html = markdown.render(dressed)
        assert not Page(html, own=False).wrong, html
        links = re.findall("<a [^>]*>", html)
        assert all('rel="noopener noreferrer nofollow"' in link for link in links)
        assert "evil.example/pixel" not in re.sub("<[^>]*>", "", html) or "<img" not in html


@pytest.fixture
def mallory():
    """Somebody all of whose words are hostile; each text is all of the corpus."""
    every = "\n\n".join(HOSTILE)
    user = make_user("mallory", shown_name=HOSTILE[6])
    for number, text in enumerate(HOSTILE):
        short = text.replace("\n", " ")[:80]
        words = {"tagline": short, "nickname": short, "tags": [text], "creator": short}
        make_character(user, short, greeting=f"{text} {{{{char}}}}", description=text, **words)
        make_persona(user, short, description=text, is_default=number == 0)
    character = make_character(
        user, "<b>B", greeting=every, description=every, alternate_greetings=HOSTILE
    )
    Bond.objects.create(user=user, character=character, note=every)
    card = {"name": HOSTILE[0], "tags": HOSTILE, every: every, "extensions": {every: every}}
    book = {"entries": [{every: every}, every]}
    told = {**card, "description": every, "first_mes": [every], "character_book": book}
    assets = [{"uri": f"https://evil.example/{every}"}]
    CardDraft.objects.create(owner=user, card=json.dumps({**told, "assets": assets}))
    talk = make_conversation(user, character)
    for text in (*HOSTILE[:12], every):
        exchange(talk, text, text)
    failed = exchange(talk, "x", "y").reply
    Reply.objects.filter(pk=failed.pk).update(
        status="failed", error_code="network", error_detail=every
    )
    Conversation.objects.filter(pk=talk.pk).update(title=HOSTILE[2])
    gone = make_conversation(user, character)
    trash.delete(user, gone.pk)
    Conversation.objects.filter(pk=gone.pk).update(title=HOSTILE[3])
    return user


def paths_of(user) -> list[str]:
    """A page for every thing that they have."""
    talk = Conversation.objects.of(user).get()
    gone = Conversation.objects.trashed(user).get()
    replies = Reply.objects.of(user).exclude(sent=None).values_list("pk", flat=True)
    return [
        *("/", "/chats/", "/characters/", "/personas/", "/settings/", "/usage/", "/limits/"),
        *("/chats/?q=hostile", "/chats/?q=<", "/chats/deleted/", f"/chats/?deleted={gone.pk}"),
        *(f"/chats/{talk.pk}/{rest}" for rest in ("", "edit/")),
        f"/chats/{gone.pk}/erase/",
        *(f"/chats/{talk.pk}/replies/{pk}/prompt/" for pk in replies),
        *(
            f"/characters/{pk}/{r}"
            for pk in _ids(Character, user)
            for r in ("", "delete/", "bond/", "export/")
        ),
        *(f"/characters/drafts/{pk}/" for pk in _ids(CardDraft, user)),
        *(f"/personas/{pk}/{r}" for pk in _ids(Persona, user) for r in ("", "delete/")),
    ]


def _ids(model, user):
    return model.objects.of(user).values_list("pk", flat=True)[:80]


@pytest.mark.requirement("A4")
def test_hostile_words_stay_words_on_every_page(mallory):
    browser = stranger()
    browser.force_login(mallory)
    for path in paths_of(mallory):
        for headers in ({}, {"HX-Request": "true"}):
            answer = browser.get(path, headers=headers)
            assert answer.status_code == 200, path
            assert not Page(answer.content.decode(), own=True).wrong, path


@pytest.mark.requirement("A4")
def test_hostile_words_stay_words_when_a_form_comes_back(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # only quicker
    browser = House.of("juno").browser()
    for text in HOSTILE:
        told = {
            "name": text * 9,
            "title": text * 99,
            "tags": text,
            "language": text,
            "time_zone": text,
        }
        for path in ("/characters/new/", "/personas/new/", "/settings/"):
            answer = browser.post(path, {**told, "form": "preferences", "shown_name": text * 9})
            assert not Page(answer.content.decode(), own=True).wrong, (path, text)
        for path in ("/sign-in/", "/admin/login/"):
            answer = stranger().post(path, {"login": text, "password": text, "next": text})
            assert not Page(answer.content.decode(), own=True).wrong, (path, text)
        for path in ("/characters/", "/sign-in/", "/chats/"):
            answer = browser.get(path, {"q": text, "next": text, "page": text}, follow=True)
            assert not Page(answer.content.decode(), own=True).wrong, (path, text)


@pytest.mark.requirement("A4")
def test_hostile_words_stay_words_in_what_a_saved_form_says():
    browser = House.of("juno").browser()
    for text in HOSTILE:
        answer = browser.post(
            "/personas/new/", {"name": text[:80], "description": text}, follow=True
        )
        assert not Page(answer.content.decode(), own=True).wrong, text


@pytest.mark.requirement("A4")
def test_the_html_of_replies_in_the_api_is_calm(mallory):
    browser, talk = stranger(), Conversation.objects.of(mallory).get()
    browser.force_login(mallory)
    answer = browser.get(f"/api/v1/conversations/{talk.pk}/messages", {"limit": 200})
    replies = [reply for message in answer.json()["items"] for reply in message["replies"]]
    assert len(replies) > len(HOSTILE)
    assert not [wrong for reply in replies for wrong in Page(reply["html"], own=False).wrong]
    assert answer.headers["Content-Type"].startswith("application/json")
    assert Message.objects.of(mallory).count() == len(answer.json()["items"])


@pytest.mark.requirement("A4", "A5")
def test_the_admin_shows_hostile_names_as_text(mallory):
    house = House.of("root", is_staff=True, is_superuser=True)
    with_second_factor(house.user)
    root = house.browser()
    for model in admin.site._registry:
        listed = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        ids = [row.pk for row in model._default_manager.all()[:25]]
        for path in (
            listed,
            *(f"{listed}{pk}/change/" for pk in ids),
            *(f"{listed}{pk}/delete/" for pk in ids[:5]),
        ):
            answer = root.get(path)
            assert answer.status_code == 200, path
            assert not Page(answer.content.decode(), own=True).wrong, path


@pytest.mark.requirement("A4")
def test_a_page_says_its_state_in_a_form_that_no_word_can_leave(mallory):
    browser, talk = stranger(), Conversation.objects.of(mallory).get()
    browser.force_login(mallory)
    html = browser.get(f"/chats/{talk.pk}/").content.decode()
    state = re.search('<script id="state" type="application/json">(.*?)</script>', html, re.DOTALL)
    assert state
    told = json.loads(state[1])
    assert told["conversation"]["title"] == HOSTILE[2]
    assert HOSTILE[0] in {message["text"] for message in told["messages"]}
