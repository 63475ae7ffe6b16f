"""A code after the password: switched on and off by its person only, kept sealed (A9, A10)."""

import json
import re
from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from django.utils import timezone

from reverie.accounts import signin
from tests.factories import make_user
from tests.reverie.codes import code_of
from tests.reverie.houses import stranger

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("A10")]
PASSWORD = "a good long password"


def inside(person):
    browser = stranger()
    browser.force_login(person)
    return browser


def confirmed(person):
    """A browser in which the person has just given the password again."""
    browser = inside(person)
    browser.post("/settings/confirm/", {"password": PASSWORD})
    return browser


def switch_on(person) -> tuple[str, list[str]]:
    """The secret in the person's app, and their recovery codes."""
    browser = confirmed(person)
    page = browser.get("/settings/two-factor/").content.decode()
    secret = re.search(r'id="secret">(\w+)<', page)[1]
    answer = browser.post("/settings/two-factor/", {"code": code_of(secret)})
    assert answer["Location"] == "/settings/codes/"
    codes = re.findall(r"<code>(\d+)</code>", browser.get("/settings/codes/").content.decode())
    assert len(codes) == 10
    return secret, codes


def sign_in(next_page: str = "", name: str = "juno"):
    """A browser that gave name and password, and the answer."""
    browser = stranger()
    told = {"login": name, "password": PASSWORD, "next": next_page}
    return browser, browser.post("/sign-in/", told)


def is_in(browser) -> bool:
    return bool(browser.get("/chats/").status_code == 200)


def later(minutes: int = 2):
    """A code works once, so the next one needs another half minute."""
    return time_machine.travel(timezone.now() + timedelta(minutes=minutes))


def test_signing_in_asks_for_the_code_of_the_app(juno):
    secret, _ = switch_on(juno)
    with later():
        browser, answer = sign_in("/personas/")
        assert answer["Location"].startswith("/sign-in/code/")
        assert not is_in(browser)
        assert browser.post("/sign-in/code/", {"code": "000000"}).status_code == 200
        assert not is_in(browser)
        answer = browser.post("/sign-in/code/", {"code": code_of(secret)})
        assert answer["Location"] == "/personas/"
        assert is_in(browser)


def test_a_code_works_once(juno):
    secret, _ = switch_on(juno)
    with later():
        code = code_of(secret)
        first, second = sign_in()[0], sign_in()[0]
        assert first.post("/sign-in/code/", {"code": code}).status_code == 302
        assert second.post("/sign-in/code/", {"code": code}).status_code == 200
        assert not is_in(second)


def test_a_recovery_code_works_once(juno):
    _, codes = switch_on(juno)
    browser = sign_in()[0]
    assert browser.post("/sign-in/code/", {"code": codes[0]}).status_code == 302
    assert is_in(browser)
    again = sign_in()[0]
    assert again.post("/sign-in/code/", {"code": codes[0]}).status_code == 200
    assert not is_in(again)


def test_new_recovery_codes_take_the_place_of_the_old_ones(juno):
    _, codes = switch_on(juno)
    browser = confirmed(juno)
    assert browser.post("/settings/codes/new/")["Location"] == "/settings/codes/"
    other = sign_in()[0]
    assert other.post("/sign-in/code/", {"code": codes[0]}).status_code == 200
    assert not is_in(other)


def test_codes_cannot_be_guessed(juno):
    secret, _ = switch_on(juno)
    browser = sign_in()[0]
    for number in range(5):
        browser.post("/sign-in/code/", {"code": f"{number:06}"})
    with later():
        answer = browser.post("/sign-in/code/", {"code": code_of(secret)})
    assert "Wait five minutes" in answer.content.decode()
    assert not is_in(browser)


@pytest.mark.parametrize("way", ["one-time link", "console", "new password"])
def test_no_way_in_goes_around_the_code(way, settings, mailoutbox):
    root = make_user("root", is_staff=True, is_superuser=True, email="root@example.com")
    secret, _ = switch_on(root)
    browser = stranger()
    with later():
        if way == "one-time link":
            answer = browser.post(signin.link_path(root))
        else:
            if way == "new password":
                settings.SENDS_MAIL = True
                browser.post("/forgotten/", {"email": "root@example.com"})
                link = re.search(r"http://testserver(\S+)", mailoutbox[0].body)[1]
                form = browser.get(link)["Location"]
                told = {"password1": PASSWORD + "!", "password2": PASSWORD + "!"}
                assert browser.post(form, told)["Location"] == "/sign-in/"
            door = browser.get("/admin/login/?next=/admin/")["Location"]
            word = PASSWORD + "!" * (way == "new password")
            answer = browser.post(door, {"login": "root", "password": word})
        assert answer["Location"].startswith("/sign-in/code/")
        assert not is_in(browser)
        assert browser.get("/admin/accounts/user/").status_code == 302
        assert browser.post("/sign-in/code/", {"code": code_of(secret)}).status_code == 302
        assert browser.get("/admin/accounts/user/").status_code == 200


@pytest.mark.requirement("A9")
def test_neither_the_secret_nor_a_code_can_be_read_in_the_database(juno):
    secret, codes = switch_on(juno)
    kept = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in kept
    assert not any(code in kept for code in codes)
    assert kept.count("gAAAA") == 2, "both are sealed"


@pytest.mark.requirement("A9")
def test_a_lost_key_is_told_in_plain_words(juno, settings):
    secret, _ = switch_on(juno)
    settings.FIELD_KEYS = ["b2xkIG9sZCBvbGQgb2xkIG9sZCBvbGQgb2xkIG9sZCE="]
    browser = sign_in()[0]
    answer = browser.post("/sign-in/code/", {"code": code_of(secret)})
    assert "lost the key of your second factor" in answer.content.decode()
    assert not is_in(browser)


@pytest.mark.parametrize(
    ("method", "page"),
    [
        ("get", "codes/"),
        *(
            (m, p)
            for m in ("get", "post")
            for p in ("two-factor/", "two-factor/off/", "codes/new/")
        ),
    ],
)
def test_what_could_lock_somebody_out_asks_for_the_password_again(page, method, juno):
    if page != "two-factor/":
        switch_on(juno)
    before = list(Authenticator.objects.values())
    answer = getattr(inside(juno), method)(f"/settings/{page}")
    assert answer["Location"].startswith("/settings/confirm/?next=")
    assert list(Authenticator.objects.values()) == before


def test_switching_off_takes_the_codes_along(juno):
    switch_on(juno)
    assert confirmed(juno).post("/settings/two-factor/off/").status_code == 302
    assert not Authenticator.objects.filter(user=juno).exists()
    browser, _ = sign_in()
    assert is_in(browser)


def test_without_a_password_there_is_no_second_factor_and_the_page_says_why():
    person = make_user("link")
    person.set_unusable_password()
    person.save()
    browser = inside(person)
    answer = browser.get("/settings/two-factor/", follow=True)
    assert "Set a password first" in answer.content.decode()
    assert answer.request["PATH_INFO"] == "/settings/"


def test_who_gives_up_at_the_code_can_start_over(juno):
    switch_on(juno)
    browser, _ = sign_in()
    assert browser.get("/sign-in/")["Location"] == "/sign-in/code/"
    browser.post("/sign-out/")
    assert browser.get("/sign-in/").status_code == 200
