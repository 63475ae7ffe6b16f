"""What a person sees and sets of their own account: privacy, sessions, tokens."""

import re
from datetime import timedelta

import pytest
import time_machine
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Permission
from django.contrib.sessions.models import Session
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reverie.accounts import devices
from reverie.accounts.models import ApiToken, User
from tests.factories import make_user, with_second_factor
from tests.reverie.houses import stranger

pytestmark = pytest.mark.django_db
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 "
    "(KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0"
)


def inside(person, user_agent: str = FIREFOX):
    browser = stranger()
    browser.defaults["HTTP_USER_AGENT"] = user_agent
    browser.force_login(person)
    browser.get("/settings/")
    return browser


def key_of(browser) -> str:
    return str(browser.session.session_key)


@pytest.mark.requirement("D15")
def test_a_person_chooses_what_characters_may_know_among_other_people(juno):
    browser = inside(juno)
    assert juno.privacy == "open"
    page = browser.get("/settings/").content.decode()
    assert "there are no shared rooms yet" in page
    for level in ("messages", "invisible", "open"):
        told = {"form": "privacy", "privacy": level}
        assert browser.post("/settings/", told).status_code == 302
        juno.refresh_from_db()
        assert juno.privacy == level
    assert browser.post("/settings/", {"form": "privacy", "privacy": "x"}).status_code == 200
    with pytest.raises(IntegrityError):
        User.objects.filter(pk=juno.pk).update(privacy="x")


def test_one_form_of_the_settings_leaves_the_others_alone(juno):
    browser = inside(juno)
    browser.post("/settings/", {"form": "privacy", "privacy": "invisible"})
    told = {"form": "preferences", "shown_name": "J", "language": "en", "time_zone": "UTC"}
    browser.post("/settings/", told)
    juno.refresh_from_db()
    assert (juno.privacy, juno.shown_name) == ("invisible", "J")
    assert browser.post("/settings/", {"form": "nonsense"}).status_code == 200


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (FIREFOX, ("Firefox", "Linux")),
        (SAFARI, ("Safari", "iPhone")),
        (EDGE, ("Edge", "Windows")),
        ("curl/8.0", ("", "")),
        ("", ("", "")),
    ],
)
def test_a_device_is_told_in_words(said, shown):
    assert devices.told(said) == shown


@pytest.mark.requirement("A2")
def test_a_person_sees_where_they_are_signed_in_and_ends_one_session(juno, mallory):
    here, there, elsewhere = inside(juno), inside(juno, SAFARI), inside(juno, EDGE)
    page = here.get("/settings/").content.decode()
    assert [page.count(name) > 0 for name in ("Firefox on Linux", "Safari on iPhone")] == [True] * 2
    chosen = UserSession.objects.get(session_key=key_of(there)).pk
    assert inside(mallory).post("/settings/sessions/end/", {"session": chosen}).status_code == 404
    assert there.get("/chats/").status_code == 200
    assert here.post("/settings/sessions/end/", {"session": chosen}).status_code == 302
    assert there.get("/chats/").status_code == 302
    assert elsewhere.get("/chats/").status_code == here.get("/chats/").status_code == 200


@pytest.mark.requirement("A2")
def test_a_person_ends_all_other_sessions(juno, mallory):
    here, others, stays = inside(juno), [inside(juno), inside(juno, SAFARI)], inside(mallory)
    assert here.post("/settings/sessions/end/", {"others": "1"}).status_code == 302
    assert here.get("/chats/").status_code == stays.get("/chats/").status_code == 200
    assert [other.get("/chats/").status_code for other in others] == [302, 302]
    assert Session.objects.count() == 2


def test_a_session_is_not_ended_by_itself_or_by_nonsense(juno):
    here = inside(juno)
    mine = UserSession.objects.get(session_key=key_of(here)).pk
    for told in (
        {"session": mine},
        {"session": "x"},
        {"session": "-1"},
        {"session": "9" * 400},
        {},
    ):
        assert here.post("/settings/sessions/end/", told).status_code == 404
    assert here.get("/chats/").status_code == 200


def test_being_seen_costs_nothing_until_minutes_have_passed(juno, settings):
    browser = inside(juno)
    with CaptureQueriesContext(connection) as quiet:
        browser.get("/settings/")
    writes = [q["sql"] for q in quiet if "usersession" in q["sql"] and "UPDATE" in q["sql"]]
    assert not writes
    before = UserSession.objects.get(user=juno).last_seen_at
    with time_machine.travel(timezone.now() + timedelta(seconds=settings.SEEN_SECONDS + 1)):
        browser.get("/settings/")
    assert UserSession.objects.get(user=juno).last_seen_at > before


@pytest.mark.requirement("A9")
def test_a_token_is_shown_once_works_and_is_taken_away(juno):
    browser = inside(juno)
    form = {"form": "token", "name": "Home script", "password": "a good long password"}
    page = browser.post("/settings/", form)
    token = re.search(r"rv_[-\w]+", page.content.decode())[0]
    assert "no-store" in page["Cache-Control"]
    again = browser.get("/settings/").content.decode()
    assert token not in again
    assert "Home script" in again
    bearer = {"Authorization": f"Bearer {token}"}
    assert stranger().get("/api/v1/characters", headers=bearer).status_code == 200
    row = ApiToken.objects.get()
    browser.post(f"/settings/tokens/{row.pk}/delete/")
    assert stranger().get("/api/v1/characters", headers=bearer).status_code == 401


@pytest.mark.parametrize("name", ["x" * 81, "\x00", "か\u3099"])
def test_the_name_of_a_token_is_taken_clean_or_not_at_all(name, juno):
    form = {"form": "token", "name": name, "password": "a good long password"}
    inside(juno).post("/settings/", form)
    for row in ApiToken.objects.all():
        assert row.name in ("", "が")


@pytest.mark.requirement("A10")
def test_staff_help_somebody_in_by_a_link_that_works_once(juno):
    root = inside(with_second_factor(make_user("root", is_staff=True, is_superuser=True)))
    page = root.post(f"/admin/accounts/user/{juno.pk}/sign-in-link/").content.decode()
    link = re.search(rf"http://testserver(/sign-in/{juno.pk}/[-\w]+/)", page)[1]
    browser = stranger()
    assert browser.post(link).status_code == 302
    assert browser.get("/chats/").status_code == 200
    assert stranger().get(link).status_code == 404
    log = root.get(f"/admin/accounts/user/{juno.pk}/history/").content.decode()
    assert "Made a sign-in link" in log


@pytest.mark.requirement("A1")
def test_who_may_change_people_cannot_become_one_who_may_do_more(juno):
    root = make_user("root", is_staff=True, is_superuser=True)
    steve = with_second_factor(make_user("steve", is_staff=True))
    allowed = Permission.objects.filter(
        codename__endswith="_user", content_type__app_label="accounts"
    )
    steve.user_permissions.set(allowed)
    browser, people = inside(steve), "/admin/accounts/user"
    for person in (root, steve):
        assert browser.post(f"{people}/{person.pk}/sign-in-link/").status_code == 403
        assert browser.post(f"{people}/{person.pk}/change/", {"username": "x"}).status_code == 403
        assert browser.post(f"{people}/{person.pk}/password/", {}).status_code == 403
        assert browser.post(f"{people}/{person.pk}/delete/", {"post": "yes"}).status_code == 403
    assert browser.post(f"{people}/{juno.pk}/sign-in-link/").status_code == 200
    told = {"username": "juno", "is_active": "on", "is_staff": "on", "is_superuser": "on"}
    told |= {"language": "en", "time_zone": "UTC", "privacy": "open", "date_joined_0": "2026-01-01"}
    browser.post(f"{people}/{juno.pk}/change/", told | {"date_joined_1": "00:00:00"})
    juno.refresh_from_db()
    assert juno.language == "en", "the rest is saved"
    assert not juno.is_staff
    assert not juno.is_superuser


@pytest.mark.requirement("A10")
def test_nobody_is_let_in_while_suspended(juno):
    root = inside(with_second_factor(make_user("root", is_staff=True, is_superuser=True)))
    User.objects.filter(pk=juno.pk).update(is_active=False)
    assert root.post(f"/admin/accounts/user/{juno.pk}/sign-in-link/").status_code == 403


@pytest.mark.requirement("A10")
def test_whoever_changes_a_password_is_told_of_the_tokens_that_outlive_it(juno):
    client = stranger()
    client.force_login(juno)
    new = "another long password 4"
    form = {"form": "password", "old_password": "a good long password"}
    form |= {"new_password1": new, "new_password2": new}
    ApiToken.issue(juno, name="bot")
    answer = client.post("/settings/", form, follow=True)
    assert "Your password is set." in answer.content.decode()
    assert "1 token still works without it." in answer.content.decode()


@pytest.mark.requirement("A10")
@pytest.mark.parametrize("password", ["", "not the one"])
def test_whoever_sits_at_an_open_session_makes_no_token_without_the_password(juno, password):
    answer = inside(juno).post("/settings/", {"form": "token", "name": "x", "password": password})
    assert answer.status_code == 200
    assert "rv_" not in answer.content.decode()
    assert not ApiToken.objects.exists()
