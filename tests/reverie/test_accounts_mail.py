"""Emails: a forgotten password and a new address, in their person's language."""

import re

import pytest
from allauth.account.models import EmailAddress

from tests.factories import make_user
from tests.reverie.houses import stranger

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("A10")]
PASSWORD, NEW = "a good long password", "an even better long password"


@pytest.fixture
def post(settings, mailoutbox):
    """A site that sends email, and what it sent."""
    settings.SENDS_MAIL = True
    return mailoutbox


def inside(person):
    browser = stranger()
    browser.force_login(person)
    return browser


def link_in(mail) -> str:
    return re.search(r"http://testserver(/\S+)", mail.body)[1]


def ask(address: str, browser=None):
    return (browser or stranger()).post("/forgotten/", {"email": address})


@pytest.mark.parametrize(
    ("language", "subject", "greeting"),
    [
        ("en", "Set a new password for Reverie", "Hello juno,"),
        ("ja", "Reverie のパスワード再設定", "junoさん、こんにちは。"),
    ],
)
def test_who_forgot_the_password_sets_a_new_one_by_email(language, subject, greeting, post):
    juno = make_user("juno", email="juno@example.com", language=language)
    elsewhere = inside(juno)
    assert ask("Juno@example.com")["Location"] == "/forgotten/sent/"
    [mail] = post
    assert (mail.subject, mail.to) == (subject, ["juno@example.com"])
    assert mail.body.startswith(greeting)
    assert "&" not in mail.body.replace(link_in(mail), "")
    browser = stranger()
    form = browser.get(link_in(mail))["Location"]
    assert link_in(mail).split("-", 1)[1] not in form, "the key does not stay in the address"
    told = {"password1": NEW, "password2": NEW}
    assert browser.post(form, told)["Location"] == "/sign-in/"
    juno.refresh_from_db()
    assert juno.check_password(NEW)
    assert elsewhere.get("/chats/").status_code == 302, "other sessions end"
    again = stranger().get(link_in(mail))
    assert "used up" in again.content.decode() or "使えません" in again.content.decode()


def test_nobody_learns_whether_an_address_has_an_account(post):
    make_user("juno", email="juno@example.com")
    make_user("gone", email="gone@example.com", is_active=False)
    asked = ["juno@example.com", "no@example.com", "gone@example.com"]
    answers = [ask(address) for address in asked]
    assert len({(a.status_code, a["Location"], a.content) for a in answers}) == 1
    assert [mail.to for mail in post] == [[address] for address in asked]
    assert "no account there has it" in post[1].body
    assert "no account there has it" in post[2].body, "who is suspended cannot come back so"


def test_a_site_that_sends_no_email_says_so_and_never_pretends(mailoutbox):
    make_user("juno", email="juno@example.com")
    for answer in (stranger().get("/forgotten/"), ask("juno@example.com")):
        assert "This site sends no email" in answer.content.decode()
        assert answer.status_code == 200
    assert not mailoutbox


def test_an_email_that_cannot_be_sent_is_not_said_to_be_sent(post, settings, unused_tcp_port):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", unused_tcp_port
    juno = make_user("juno", email="juno@example.com")
    for address in ("juno@example.com", "no@example.com"):
        answer = ask(address)
        assert answer.status_code == 200
        assert "could not be sent" in answer.content.decode()
    told = {"form": "email", "email": "new@example.com", "password": PASSWORD}
    assert "could not be sent" in inside(juno).post("/settings/", told).content.decode()
    settings.REGISTRATION = "open"
    told = {"username": "rin", "email": "rin@example.com"}
    told |= {"password1": PASSWORD, "password2": PASSWORD}
    browser = stranger()
    page = browser.post("/join/", told, follow=True).content.decode()
    assert "could not send an email" in page
    assert browser.get("/chats/").status_code == 200, "in all the same"


def test_a_new_address_takes_the_place_of_the_old_one_when_its_email_is_answered(post):
    juno = make_user("juno", email="old@example.com", language="en")
    browser = inside(juno)
    told = {"form": "email", "email": "New@example.com", "password": PASSWORD}
    page = browser.post("/settings/", told, follow=True).content.decode()
    assert "on its way to new@example.com" in page
    juno.refresh_from_db()
    assert juno.email == "old@example.com"
    [mail] = post
    assert (mail.to, mail.subject) == (["new@example.com"], "Is this your email address?")
    preview = stranger()
    assert preview.get(link_in(mail)).status_code == 200
    juno.refresh_from_db()
    assert juno.email == "old@example.com", "a scanner that opens links confirms nothing"
    assert browser.post(link_in(mail))["Location"] == "/settings/"
    juno.refresh_from_db()
    assert juno.email == "new@example.com"
    assert [row.email for row in EmailAddress.objects.filter(user=juno)] == ["new@example.com"]
    assert browser.post(link_in(mail)).status_code == 404


def test_a_new_address_takes_the_password(post, juno):
    for password in ("", "wrong"):
        told = {"form": "email", "email": "new@example.com", "password": password}
        assert inside(juno).post("/settings/", told).status_code == 200
    assert not post
    assert not EmailAddress.objects.exists()


def test_an_address_that_somebody_else_confirmed_cannot_be_taken_over(post, juno, mallory):
    EmailAddress.objects.create(user=juno, email="juno@example.com", verified=True, primary=True)
    told = {"form": "email", "email": "juno@example.com", "password": PASSWORD}
    assert inside(mallory).post("/settings/", told).status_code == 302, "which tells nothing"
    answer = inside(mallory).post(link_in(post[0]), follow=True)
    assert "somebody else" in answer.content.decode()
    ask("juno@example.com")
    assert "/forgotten/" + juno.pk.hex in post[-1].body


def test_where_no_email_is_sent_an_address_is_taken_as_it_is(juno, mailoutbox):
    browser = inside(juno)
    for address in ("juno@example.com", "second@example.com", ""):
        told = {"form": "email", "email": address, "password": PASSWORD}
        assert browser.post("/settings/", told).status_code == 302
        juno.refresh_from_db()
        assert juno.email == address
        rows = EmailAddress.objects.filter(user=juno)
        assert [row.email for row in rows] == ([address] if address else [])
        if address:
            name = {"login": address.upper(), "password": PASSWORD}
            assert stranger().post("/sign-in/", name).status_code == 302
    assert not mailoutbox


@pytest.mark.requirement("A12")
@pytest.mark.parametrize(
    "odd", ["\x00", "a\x00@b.example", "x" * 5_000, "a@b", "é@例え.jp", "<a@b.c>"]
)
def test_no_word_makes_a_form_about_addresses_fail(odd, post, juno):
    told = {"form": "email", "email": odd, "password": PASSWORD}
    for answer in (ask(odd), inside(juno).post("/settings/", told)):
        assert answer.status_code in (200, 302)
