"""Guessing is slow: passwords, codes and emails are counted, per person and per address (A10)."""

from datetime import timedelta

import pytest
import time_machine
from django.core.cache import cache
from django.db import connection
from django.utils import timezone, translation
from django.utils.translation import gettext

from tests.factories import make_user
from tests.reverie.houses import stranger

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("A10")]
PASSWORD = "a good long password"


def try_in(name: str = "juno", password: str = "wrong", **options):
    """What a fresh browser is told."""
    told = {"login": name, "password": password}
    return stranger().post("/sign-in/", told, **options)


def test_after_five_wrong_passwords_the_right_one_is_refused_for_five_minutes(juno):
    for _ in range(5):
        assert try_in().status_code == 200
    refused = try_in(password=PASSWORD)
    assert refused.status_code == 200
    assert "Wait five minutes" in refused.content.decode()
    with time_machine.travel(timezone.now() + timedelta(minutes=4)):
        assert try_in(password=PASSWORD).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(minutes=5, seconds=1)):
        assert try_in(password=PASSWORD).status_code == 302


def test_the_wait_is_told_in_japanese(juno):
    for _ in range(6):
        answer = try_in(headers={"Accept-Language": "ja"})
    with translation.override("ja"):
        said = gettext("That was wrong too often. Wait five minutes, then try again.")
    assert "5分" in said
    assert said in answer.content.decode()


def test_right_passwords_are_not_counted(juno):
    for _ in range(7):
        assert try_in(password=PASSWORD).status_code == 302


def test_somebody_elses_wrong_passwords_lock_nobody_else_out(juno, mallory):
    for _ in range(6):
        try_in("mallory", REMOTE_ADDR="192.0.2.7")
    assert try_in("juno", PASSWORD).status_code == 302


def test_one_address_may_not_try_many_people():
    for number in range(10):
        try_in(f"person{number}", REMOTE_ADDR="192.0.2.7")
    make_user("juno")
    assert try_in("juno", PASSWORD, REMOTE_ADDR="192.0.2.7").status_code == 200
    assert try_in("juno", PASSWORD, REMOTE_ADDR="192.0.2.8").status_code == 302


def test_an_address_is_not_believed_from_a_header_that_anybody_can_write(juno):
    for number in range(10):
        try_in(f"person{number}", headers={"X-Forwarded-For": f"192.0.2.{number}"})
    refused = try_in("juno", PASSWORD, headers={"X-Forwarded-For": "192.0.2.99"})
    assert refused.status_code == 200


def test_behind_a_proxy_of_ones_own_its_word_counts(juno, settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for number in range(10):
        # Only what our own proxy added, the last one, is believed.
        try_in(f"person{number}", headers={"X-Forwarded-For": f"203.0.113.{number}, 192.0.2.7"})
    for ours, status in (("192.0.2.7", 200), ("192.0.2.8", 302)):
        answer = try_in("juno", PASSWORD, headers={"X-Forwarded-For": f"203.0.113.99, {ours}"})
        assert answer.status_code == status


@pytest.mark.parametrize("said", ["", "nonsense", "\x00", "1.2.3.4.5", "::1%eth0", "[::1]:80"])
def test_an_odd_address_from_a_proxy_is_no_crash(said, juno, settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    assert try_in(headers={"X-Forwarded-For": said}).status_code in (200, 403)
    browser = stranger()
    browser.force_login(juno)
    assert browser.get("/settings/", headers={"X-Forwarded-For": said}).status_code == 200


def test_every_process_counts_on_the_same_slate(juno):
    """In the database, so that a restart or a further web process forgives nothing."""
    try_in()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM reverie_cache WHERE cache_key LIKE '%%login_failed%%'")
        assert cursor.fetchone()[0] >= 2  # by person and by address
    cache.clear()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM reverie_cache")
        assert cursor.fetchone()[0] == 0


@pytest.mark.parametrize("form", ["password", "email"])
def test_who_found_an_open_browser_cannot_guess_the_password_in_it(form, juno):
    browser, new = stranger(), "an even better long password"
    browser.force_login(juno)
    field = {"password": "old_password", "email": "password"}[form]
    told = {"form": form, "new_password1": new, "new_password2": new, "email": "new@example.com"}
    for _ in range(5):
        assert browser.post("/settings/", {**told, field: "wrong"}).status_code == 200
    answer = browser.post("/settings/", {**told, field: PASSWORD})
    assert "Wait five minutes" in answer.content.decode()
    juno.refresh_from_db()
    assert juno.check_password(PASSWORD)
    assert juno.email == ""


def test_nobody_is_sent_many_emails(juno, settings, mailoutbox):
    settings.SENDS_MAIL = True
    for address in ("juno@example.com", "nobody@example.com"):
        for _ in range(3):
            answer = stranger().post("/forgotten/", {"email": address})
            assert answer["Location"] == "/forgotten/sent/"
        refused = stranger().post("/forgotten/", {"email": address})
        assert refused.status_code == 429
        assert "Wait a quarter of an hour" in refused.content.decode()
    assert len(mailoutbox) == 6


def test_joining_is_counted_too(settings):
    settings.REGISTRATION = "open"
    for _ in range(20):
        assert stranger().post("/join/", {}).status_code == 200
    assert stranger().post("/join/", {}).status_code == 429
