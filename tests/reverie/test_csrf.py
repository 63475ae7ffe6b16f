"""A cookie alone changes nothing: another site could have sent it (A3)."""

import re

import pytest

from tests.reverie.endpoints import OPERATIONS, PAGES, filled
from tests.reverie.houses import stranger, street

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("A3")]
CHANGING = [key for key in OPERATIONS if not key.startswith("GET ")]
POSTED = [route for route, page in PAGES.items() if page.post != 405 and page.html]


@pytest.fixture(scope="module")
def houses(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), street() as found:
        yield found


@pytest.fixture
def juno(houses, db):
    return houses["owner"]


def call(browser, key, house, **headers):
    operation = OPERATIONS[key]
    body, kind = operation.sent(house.ids)
    path = f"/api/v1/{filled(operation.path, house.ids)}"
    return browser.generic(key.split()[0], path, body, content_type=kind, headers=headers)


def token_of(browser) -> str:
    """The token that a page of ours carries."""
    found = re.search(
        r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get("/settings/").content.decode()
    )
    assert found
    return found[1]


@pytest.mark.parametrize("route", [route for route in POSTED if not route.startswith("api/")])
def test_a_form_from_another_site_changes_nothing(route, juno):
    browser, before, page = juno.browser(csrf=True), juno.rows(), PAGES[route]
    answer = browser.post(filled(page.path, juno.ids), filled(page.form, juno.ids))
    assert answer.status_code == 403
    assert juno.rows() == before
    assert browser.get("/chats/").status_code == 200, "still signed in"


@pytest.mark.parametrize("route", [route for route in POSTED if not route.startswith("api/")])
def test_a_form_of_our_own_page_works(route, juno):
    browser, page = juno.browser(csrf=True), PAGES[route]
    form = {**filled(page.form, juno.ids), "csrfmiddlewaretoken": token_of(browser)}
    assert browser.post(filled(page.path, juno.ids), form).status_code == page.post


@pytest.mark.parametrize("key", CHANGING)
def test_the_api_refuses_a_cookie_without_a_csrf_token(key, juno):
    before = juno.rows()
    answer = call(juno.browser(csrf=True), key, juno)
    assert answer.status_code == 403
    assert set(answer.json()) == {"detail", "code"}
    assert juno.rows() == before


@pytest.mark.parametrize("key", CHANGING)
def test_a_wrong_bearer_token_is_no_way_around_csrf(key, juno):
    before = juno.rows()
    answer = call(juno.browser(csrf=True), key, juno, Authorization="Bearer wrong")
    assert answer.status_code == 403
    assert juno.rows() == before


@pytest.mark.parametrize("key", CHANGING)
def test_the_api_takes_a_cookie_with_a_csrf_token(key, juno):
    browser = juno.browser(csrf=True)
    answer = call(browser, key, juno, **{"X-CSRFToken": token_of(browser)})
    assert answer.status_code == OPERATIONS[key].status


@pytest.mark.parametrize("key", CHANGING)
def test_the_api_takes_a_bearer_token_without_a_csrf_token(key, juno):
    assert (
        call(stranger(csrf=True), key, juno, **juno.bearer()).status_code == OPERATIONS[key].status
    )
