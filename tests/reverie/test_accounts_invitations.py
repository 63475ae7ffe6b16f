"""New people come by invitation: each link lets one person in, once."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
import time_machine
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from reverie.accounts import invitations
from reverie.accounts.models import Invitation, User
from tests.factories import make_user, with_second_factor
from tests.reverie.houses import stranger

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("A10")]
PASSWORD = "a good long password"
AT_ONCE = "192.0.2.30"  # what is committed for it is counted beyond its test


@pytest.fixture
def host(db) -> User:
    return make_user("steve", is_staff=True)


def inside(person):
    browser = stranger()
    browser.force_login(person)
    return browser


def link_of(host: User, **told: str) -> str:
    return f"/join/{invitations.make(host, **told)[1]}/"


def join(link: str, name: str = "rin", address: str = "127.0.0.1", **told: str):
    """A browser that came by a link, and the answer."""
    browser = stranger()
    browser.defaults["REMOTE_ADDR"] = address
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD, **told}
    return browser, browser.post(link, form, headers={"Accept-Language": "ja"})


def test_a_host_makes_an_invitation_whose_link_is_shown_once(host):
    browser = inside(host)
    answer = browser.post("/settings/invitations/", {"note": "Rin", "email": "rin@example.com"})
    link = re.search(r"http://testserver(/join/\S+?/)<", answer.content.decode())[1]
    assert "no-store" in answer["Cache-Control"]
    assert link not in browser.get("/settings/invitations/").content.decode()
    row = Invitation.objects.get()
    assert link.split("/")[2] not in str(vars(row)), "only its digest is kept"
    page = stranger().get(link).content.decode()
    assert "rin@example.com" in page
    assert join(link)[1]["Location"] == "/"
    row.refresh_from_db()
    assert row.used_by.username == "rin"
    assert "rin came in by it" in browser.get("/settings/invitations/").content.decode()


def test_who_joins_is_in_with_the_language_and_the_clock_of_their_browser(host):
    browser, _ = join(link_of(host), time_zone="Asia/Tokyo", email="Rin@Example.com")
    rin = User.objects.get(username="rin")
    assert (rin.language, rin.time_zone, rin.email) == ("ja", "Asia/Tokyo", "rin@example.com")
    assert not rin.is_staff
    assert not rin.is_superuser
    assert rin.check_password(PASSWORD)
    assert browser.get("/", follow=True).status_code == 200


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../etc/passwd", "x" * 64])
def test_a_browser_without_a_clock_gets_utc(zone, host):
    join(link_of(host), time_zone=zone)
    assert User.objects.get(username="rin").time_zone == "UTC"


@pytest.mark.parametrize("why", ["used", "withdrawn", "old", "host suspended", "host no host"])
def test_an_invitation_that_is_over_lets_nobody_in(why, host):
    row, token = invitations.make(host)
    link, now = f"/join/{token}/", timezone.now()
    if why == "used":
        join(link, "first")
    elif why == "withdrawn":
        inside(host).post(f"/settings/invitations/{row.pk}/withdraw/")
    elif why.startswith("host"):
        change = {"is_active": False} if "suspended" in why else {"is_staff": False}
        User.objects.filter(pk=host.pk).update(**change)
    when = now + timedelta(days=14, minutes=1 if why == "old" else -1)
    with time_machine.travel(when):
        answer = stranger().get(link)
        assert answer.status_code == 404
        assert "This invitation is used up" in answer.content.decode()
        assert join(link)[1].status_code == 404
    assert not User.objects.filter(username="rin").exists()


def test_a_used_invitation_cannot_be_withdrawn(host):
    row, token = invitations.make(host)
    join(f"/join/{token}/")
    assert not invitations.withdraw(host, row.pk)
    row.refresh_from_db()
    assert row.revoked_at is None


@pytest.mark.django_db(transaction=True)
def test_of_two_people_who_send_the_same_link_at_once_one_is_let_in():
    link, ready = link_of(make_user("steve", is_staff=True)), Barrier(4)

    def send(number: int) -> int:
        try:
            ready.wait(10)
            return int(join(link, f"guest{number}", AT_ONCE)[1].status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        statuses = sorted(pool.map(send, range(4)))
    assert statuses.count(302) == 1
    assert set(statuses) <= {200, 302, 404}
    assert User.objects.filter(username__startswith="guest").count() == 1
    assert Invitation.objects.get().used_by.username.startswith("guest")


@pytest.mark.django_db(transaction=True)
def test_of_two_people_who_take_the_same_name_at_once_one_gets_it():
    host, ready = make_user("steve", is_staff=True), Barrier(4)
    links = [link_of(host) for _ in range(4)]

    def send(number: int) -> int:
        try:
            ready.wait(10)
            return int(join(links[number], ("Rin", "rin")[number % 2], AT_ONCE)[1].status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        statuses = sorted(pool.map(send, range(4)))
    assert statuses == [200, 200, 200, 302]
    assert User.objects.filter(username__iexact="rin").count() == 1
    assert Invitation.objects.filter(used_at__isnull=False).count() == 1


def test_names_that_look_alike_are_one_name(host, juno):
    for name in ("juno", "JUNO", "ｊｕｎｏ", " juno "):
        link = link_of(host)
        assert join(link, name)[1].status_code == 200
        assert Invitation.objects.open().count(), "a refused form uses nothing up"
    with pytest.raises(IntegrityError), transaction.atomic():
        make_user("JUNO")


@pytest.mark.case("C70", "C73")
def test_a_name_may_be_typed_in_any_composition(host):
    assert join(link_of(host), "か\u3099く")[1].status_code == 302
    assert User.objects.get(username="がく")
    for typed in ("がく", "か\u3099く"):
        told = {"login": typed, "password": PASSWORD}
        assert stranger().post("/sign-in/", told).status_code == 302


@pytest.mark.requirement("A12")
@pytest.mark.parametrize("odd", ["\x00", "a\x00b", "\u202e", "x" * 5_000, "<script>alert(1)"])
@pytest.mark.parametrize("field", ["username", "email", "password1", "password2", "time_zone"])
def test_no_word_makes_joining_fail(odd, field, host):
    odd = (
        odd.encode("utf-8", "surrogatepass").decode("utf-8", "replace") if "\ud83d" in odd else odd
    )
    answer = join(link_of(host), **{"name": odd} if field == "username" else {field: odd})[1]
    assert answer.status_code in (200, 302)
    assert b"<script>alert(1)" not in answer.content
    assert not User.objects.filter(username__contains="<").exists()


def test_only_staff_may_invite_and_only_for_themselves(host, juno):
    row, _ = invitations.make(host, note="Rin from the band")
    other = make_user("stella", is_staff=True)
    assert inside(juno).post("/settings/invitations/", {"note": "x"}).status_code == 404
    assert "Rin from" not in inside(other).get("/settings/invitations/").content.decode()
    path = f"/settings/invitations/{row.pk}/withdraw/"
    assert inside(other).post(path).status_code == inside(juno).post(path).status_code == 404
    assert Invitation.objects.open().get() == row


def test_nobody_joins_without_an_invitation_unless_the_owner_says_so(settings):
    page = stranger().get("/join/").content.decode()
    assert "by invitation" in page
    assert join("/join/")[1].status_code == 200
    assert not User.objects.filter(username="rin").exists()
    settings.REGISTRATION = "open"
    assert "/join/" in stranger().get("/sign-in/").content.decode()
    assert join("/join/")[1]["Location"] == "/"
    assert User.objects.filter(username="rin").exists()
    assert join("/join/no/", "other")[1].status_code == 404


def test_an_email_address_that_somebody_has_is_not_told(host):
    make_user("juno", email="juno@example.com")
    assert join(link_of(host), email="juno@example.com")[1].status_code == 302


def test_the_console_shows_no_host_what_another_wrote_and_can_make_and_withdraw(host):
    invitations.make(host, note="Rin from the band")
    root = inside(with_second_factor(make_user("root", is_staff=True, is_superuser=True)))
    assert "Rin from" not in root.get("/admin/accounts/invitation/").content.decode()
    answer = root.post("/admin/accounts/invitation/add/", {"note": "x", "email": ""}, follow=True)
    link = re.search(r"http://testserver(/join/[-\w]+/)", answer.content.decode())[1]
    assert stranger().get(link).status_code == 200
    chosen = {
        "action": "withdraw",
        "_selected_action": [row.pk for row in Invitation.objects.all()],
    }
    root.post("/admin/accounts/invitation/", chosen)
    assert not Invitation.objects.open().exists()
