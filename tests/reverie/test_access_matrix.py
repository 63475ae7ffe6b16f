"""Who gets what, at every page and every operation of the API (A1)."""

import json
import re
from itertools import combinations

import pytest
from django.test import Client

from tests.reverie.endpoints import OPERATIONS, PAGES, Page, filled, operations, routes
from tests.reverie.houses import NOBODYS, OWNER_OF, House, own_models, stranger, street

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("A1")]
SIGNED_OUT = ("anonymous", "suspended")
OTHERS = ("other", "staff", "superuser")


@pytest.fixture(scope="module")
def houses(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), street() as found:
        yield found


@pytest.fixture
def juno(houses, db):
    return houses["owner"]


def test_every_page_is_in_the_matrix():
    found = {route for route, _ in routes() if not route.startswith(("admin/", "api/v1/"))}
    assert found == {route for route in PAGES if not route.startswith("api/v1/")}


def test_every_operation_of_the_api_is_in_the_matrix():
    assert operations() == set(OPERATIONS)
    described = {re.sub(r"\{.*?\}", "*", key.split()[1]) for key in OPERATIONS}
    described |= {route.removeprefix("api/v1/") for route in PAGES if route.startswith("api/v1/")}
    served = {route.removeprefix("api/v1/") for route, _ in routes() if route.startswith("api/v1/")}
    assert {re.sub("<.*?>", "*", route) for route in served} == described


def test_every_model_of_the_product_has_an_owner():
    assert {model._meta.label for model in own_models()} == set(OWNER_OF) | NOBODYS


def visit(browser: Client, page: Page, method: str, house: House) -> tuple[int, str, str]:
    """Status, address of a redirect and text of a call that names the things in `house`."""
    path = filled(page.path, house.ids)
    if method == "GET":
        answer = browser.get(path)
    else:
        answer = browser.post(path, filled(page.form, house.ids))
    return (
        answer.status_code,
        answer.headers.get("Location", ""),
        answer.getvalue().decode(errors="replace"),
    )


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("route", PAGES)
@pytest.mark.parametrize("caller", SIGNED_OUT)
def test_nobody_who_is_signed_out_or_suspended_reaches_a_page(route, method, caller, juno):
    page = PAGES[route]
    browser = stranger() if caller == "anonymous" else juno.browser()
    if caller == "suspended":
        juno.suspend()
    before = juno.rows()
    status, location, text = visit(browser, page, method, juno)
    if page.signed_out is None:
        assert (status, location.split("?")[0]) == (302, "/sign-in/")
    else:
        assert status == page.signed_out[method == "POST"]
    assert juno.secret not in text
    assert juno.rows() == before


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("route", PAGES)
@pytest.mark.parametrize("caller", OTHERS)
def test_what_is_not_yours_is_not_there(route, method, caller, juno, houses):
    page, before = PAGES[route], juno.rows()
    status, _, text = visit(houses[caller].browser(), page, method, juno)
    mine = page.get, page.post
    own = (page.staff or mine if caller != "other" else mine)[method == "POST"]
    if caller == "superuser" and page.operator:
        assert status == page.operator[method == "POST"]
    else:
        assert status == (404 if page.names and own != 405 else own)
    assert juno.secret not in text
    assert juno.rows() == before


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("route", PAGES)
def test_the_owner_gets_every_page(route, method, juno):
    page = PAGES[route]
    status, location, _ = visit(juno.browser(), page, method, juno)
    assert status == (page.get if method == "GET" else page.post)
    assert not location.startswith("/sign-in/")


def call(browser: Client, key: str, ids: dict[str, str], **headers: str) -> tuple[int, object]:
    """Status and JSON of a call to the API that names the things in `ids`."""
    operation = OPERATIONS[key]
    body, kind = operation.sent(ids)
    path = f"/api/v1/{filled(operation.path, ids)}"
    answer = browser.generic(key.split()[0], path, body, content_type=kind, headers=headers)
    return answer.status_code, json.loads(answer.getvalue() or b"null")


@pytest.mark.parametrize("key", OPERATIONS)
@pytest.mark.parametrize("caller", [*SIGNED_OUT, "suspended cookie", "wrong token", "no token"])
def test_nobody_who_is_signed_out_or_suspended_reaches_the_api(key, caller, juno):
    headers = {
        "suspended": juno.bearer(),
        "wrong token": {"Authorization": "Bearer rv_wrong"},
        "no token": {"Authorization": "Bearer "},
    }
    browser = juno.browser() if caller == "suspended cookie" else stranger()
    if caller.startswith("suspended"):
        juno.suspend()
    before = juno.rows()
    status, answer = call(browser, key, juno.ids, **headers.get(caller, {}))
    assert (status, answer) == (401, {"detail": "Please sign in.", "code": "signed_out"})
    assert juno.rows() == before


@pytest.mark.parametrize("key", OPERATIONS)
@pytest.mark.parametrize("way", ["token", "cookie"])
@pytest.mark.parametrize("caller", OTHERS)
def test_the_api_does_not_know_what_is_not_yours(key, way, caller, juno, houses):
    operation, before, asks = OPERATIONS[key], juno.rows(), houses[caller]
    if way == "token":
        status, answer = call(stranger(), key, juno.ids, **asks.bearer())
    else:
        status, answer = call(asks.browser(), key, juno.ids)
    assert status == (404 if operation.names else operation.status)
    assert juno.secret not in json.dumps(answer)
    assert juno.rows() == before
    if operation.names:
        assert answer == {"detail": "There is no such thing here.", "code": "not_found"}


@pytest.mark.parametrize("key", [key for key, it in OPERATIONS.items() if len(it.names) > 1])
def test_one_thing_of_somebody_else_among_your_own_changes_nothing(key, juno, houses):
    mallory, names = houses["other"], OPERATIONS[key].names
    for size in range(1, len(names)):
        for foreign in combinations(names, size):
            before = juno.rows(), mallory.rows()
            ids = mallory.ids | {name: juno.ids[name] for name in foreign}
            assert call(stranger(), key, ids, **mallory.bearer())[0] == 404, foreign
            assert (juno.rows(), mallory.rows()) == before


@pytest.mark.parametrize("key", OPERATIONS)
@pytest.mark.parametrize("way", ["token", "cookie"])
def test_the_owner_gets_every_operation(key, way, juno):
    browser, headers = (stranger(), juno.bearer()) if way == "token" else (juno.browser(), {})
    assert call(browser, key, juno.ids, **headers)[0] == OPERATIONS[key].status
