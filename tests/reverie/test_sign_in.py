"""Coming in and going out: the one-time link, passwords, and where a sign-in may lead."""

from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone, translation
from django.utils.translation import gettext

from reverie.accounts import signin
from reverie.accounts.models import User
from tests.factories import make_user
from tests.reverie.houses import stranger

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("A10")]
PASSWORD = "a good long password"


@pytest.fixture
def owner() -> User:
    """The first owner of a machine, who has no password yet."""
    return signin.first_owner()


def signed_in(browser) -> bool:
    return bool(browser.get("/chats/").status_code == 200)


def test_a_link_lets_its_bearer_in_once(owner):
    path, first, second = signin.link_path(owner), stranger(), stranger()
    assert first.post(path).status_code == 302
    assert signed_in(first)
    assert second.get(path).status_code == second.post(path).status_code == 404
    assert not signed_in(second)


def test_opening_a_link_uses_nothing_up_and_lets_nobody_in(owner):
    """Chat programs and mail scanners open every link that they see."""
    path, preview, browser = signin.link_path(owner), stranger(), stranger()
    preview.head(path)
    for _ in range(3):
        assert preview.get(path).status_code == 200
    assert not signed_in(preview)
    assert "no-store" in preview.get(path)["Cache-Control"]
    assert preview.get(path)["Referrer-Policy"] == "same-origin"
    assert browser.post(path).status_code == 302
    assert signed_in(browser)


def test_a_link_dies_of_age(owner):
    path, now = signin.link_path(owner), timezone.now()
    day = timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
    with time_machine.travel(now + day - timedelta(seconds=60)):
        assert stranger().get(path).status_code == 200
    with time_machine.travel(now + day + timedelta(seconds=60)):
        late = stranger()
        assert late.get(path).status_code == late.post(path).status_code == 404
        assert not signed_in(late)


@pytest.mark.parametrize("event", ["a sign-in by password", "a new password", "suspension"])
def test_a_link_dies_when_its_person_comes_in_otherwise(event):
    person = make_user("juno")
    path = signin.link_path(person)
    if event == "a sign-in by password":
        stranger().post("/sign-in/", {"login": "juno", "password": PASSWORD})
    elif event == "a new password":
        person.set_password("another good long password")
        person.save()
    else:
        User.objects.filter(pk=person.pk).update(is_active=False)
    browser = stranger()
    assert browser.get(path).status_code == browser.post(path).status_code == 404
    assert not signed_in(browser)


def test_a_link_is_for_one_person_only(owner):
    mallory = make_user("mallory")
    token = signin.link_path(owner).rstrip("/").rsplit("/", 1)[1]
    browser = stranger()
    assert browser.post(f"/sign-in/{mallory.pk}/{token}/").status_code == 404
    assert browser.post(signin.link_path(owner).replace(token, token[:-1])).status_code == 404
    assert not signed_in(browser)


def test_a_link_takes_the_place_of_whoever_was_signed_in_here(owner):
    """A machine's owner who opens the link in a browser of somebody else gets no part of them."""
    mallory, browser = make_user("mallory"), stranger()
    browser.force_login(mallory)
    before = browser.session.session_key
    browser.post(signin.link_path(owner))
    assert browser.session["_auth_user_id"] == str(owner.pk)
    assert browser.session.session_key != before


def test_signing_in_changes_the_session_and_signing_out_ends_it():
    make_user("juno")
    browser = stranger()
    browser.get("/sign-in/")
    browser.session["kept"] = 1
    answer = browser.post("/sign-in/", {"login": "juno", "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert signed_in(browser)
    stolen = browser.cookies[settings.SESSION_COOKIE_NAME].value
    assert browser.get("/sign-out/").status_code == 405, "a link or an image must sign nobody out"
    assert signed_in(browser)
    assert browser.post("/sign-out/").status_code == 302
    assert not signed_in(browser)
    assert not Session.objects.filter(session_key=stolen).exists()
    thief = stranger()
    thief.cookies[settings.SESSION_COOKIE_NAME] = stolen
    assert not signed_in(thief)


def test_the_session_cookie_is_for_the_server_alone():
    make_user("juno")
    browser = stranger()
    browser.post("/sign-in/", {"login": "juno", "password": PASSWORD})
    cookie = browser.cookies[settings.SESSION_COOKIE_NAME]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_a_wrong_password_a_wrong_name_and_a_suspension_look_the_same():
    make_user("juno")
    make_user("gone", is_active=False)
    tries = [("juno", "wrong"), ("nobody", PASSWORD), ("gone", PASSWORD), ("juno", ""), ("", "")]
    for name, password in tries:
        browser = stranger()
        answer = browser.post("/sign-in/", {"login": name, "password": password})
        assert answer.status_code == 200
        assert not signed_in(browser)
    told = [
        stranger().post("/sign-in/", {"login": name, "password": password}).context["form"].errors
        for name, password in tries[:3]
    ]
    assert told[0] == told[1] == told[2]


ELSEWHERE = (
    "https://evil.example/",
    "//evil.example/",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "http:evil.example",
    "https:///evil.example",
    "javascript:alert(1)",
    "data:text/html,hi",
    "\thttps://evil.example",
    "/\t/evil.example",
    "https://testserver@evil.example/",
    "https://testserver.evil.example/",
)


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_nothing_leads_to_another_site(elsewhere):
    make_user("juno")
    login = {"login": "juno", "password": PASSWORD, "next": elsewhere}
    browser = stranger()
    assert browser.post("/sign-in/", login)["Location"] == "/"
    for answer in (
        browser.get("/sign-in/", {"next": elsewhere}),
        browser.post("/sign-out/", {"next": elsewhere}),
        stranger().post("/language/", {"language": "ja", "next": elsewhere}),
        stranger().post("/language/", {"language": "ja"}, headers={"Referer": elsewhere}),
        stranger().post(f"/sign-in/?next={elsewhere}", login),
    ):
        assert "evil" not in answer.headers.get("Location", "")
        assert not answer.headers.get("Location", "/").startswith(("javascript", "data", "//"))


def test_the_door_of_the_console_leads_to_no_other_site_either():
    make_user("root", is_staff=True, is_superuser=True)
    for elsewhere in ELSEWHERE:
        browser = stranger()
        door = browser.get("/admin/login/", {"next": elsewhere})["Location"]
        assert door.startswith("/sign-in/?next=")
        answer = browser.post(door, {"login": "root", "password": PASSWORD}, follow=True)
        assert answer.request["PATH_INFO"] in ("/", "/settings/confirm/")


def test_a_sign_in_leads_back_to_where_it_was_asked_for():
    make_user("juno")
    browser = stranger()
    asked = browser.get("/personas/")["Location"]
    assert asked == "/sign-in/?next=/personas/"
    login = {"login": "juno", "password": PASSWORD, "next": "/personas/"}
    assert browser.post(asked, login)["Location"] == "/personas/"


def test_a_new_password_ends_the_other_sessions_and_keeps_this_one():
    person = make_user("juno", language="en")
    here, there = stranger(), stranger()
    here.force_login(person)
    there.force_login(person)
    new = "an even better long password"
    told = {
        "form": "password",
        "old_password": PASSWORD,
        "new_password1": new,
        "new_password2": new,
    }
    assert here.post("/settings/", told).status_code == 302
    assert signed_in(here)
    assert not signed_in(there)


def test_nobody_changes_a_password_without_knowing_it():
    person = make_user("juno")
    browser, new = stranger(), "an even better long password"
    browser.force_login(person)
    for old in ("", "wrong"):
        told = {"form": "password", "old_password": old, "new_password1": new, "new_password2": new}
        assert browser.post("/settings/", told).status_code == 200
    person.refresh_from_db()
    assert person.check_password(PASSWORD)


def test_pages_follow_the_language_of_their_person():
    person = make_user("juno", language="ja")
    browser = stranger()
    browser.force_login(person)
    answer = browser.get("/settings/", headers={"Accept-Language": "en"})
    with translation.override("ja"):
        word = gettext("Settings")
    assert word != "Settings"
    assert word in answer.content.decode()
    assert answer["Content-Language"] == "ja"
