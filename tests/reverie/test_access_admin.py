"""Who gets what in the admin, and that it shows nobody's words (A1)."""

import re

import pytest
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone
from django_q.models import Failure, OrmQ, Success
from django_q.tasks import async_task

from characters.models import Bond
from reverie.accounts.models import ApiToken, User
from tests.factories import make_user, with_second_factor
from tests.reverie.endpoints import routes
from tests.reverie.houses import stranger, street

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("A1")]

# What a superuser gets of: list, add, history, delete, change. A model that is not here fails.
MODELS = {
    "accounts/apitoken": (200, 403, 200, 200, 200),
    "accounts/invitation": (200, 200, 200, 200, 200),
    "accounts/user": (200, 200, 200, 200, 200),
    "auth/group": (200, 200, 200, 200, 200),
    "characters/bond": (200, 403, 200, 200, 200),
    "characters/character": (200, 403, 200, 200, 200),
    "characters/persona": (200, 403, 200, 200, 200),
    "providers/connectedmodel": (200, 403, 200, 200, 200),
    "django_q/failure": (200, 403, 200, 200, 200),
    "django_q/ormq": (200, 403, 200, 200, 200),
    "django_q/success": (200, 403, 200, 200, 200),
    "memories/memory": (200, 403, 200, 200, 200),
    "mfa/authenticator": (200, 403, 200, 200, 200),
}
VIEWS = (
    "",
    "add/",
    "<path:object_id>/history/",
    "<path:object_id>/delete/",
    "<path:object_id>/change/",
)
# What staff without permissions and a superuser get from GET.
OTHERS = {
    "admin/": (200, 200),
    "admin/login/": (302, 302),
    "admin/logout/": (405, 405),
    "admin/password_change/": (200, 200),
    "admin/password_change/done/": (200, 200),
    "admin/autocomplete/": (403, 403),
    "admin/jsi18n/": (200, 200),
    "admin/r/<path:content_type_id>/<path:object_id>/": (404, 404),
    "admin/accounts/user/<id>/password/": (403, 200),
    "admin/accounts/user/<uuid:pk>/sign-in-link/": (405, 405),
    "admin/^(?P<app_label>auth|django_q|accounts|mfa|providers|characters|memories)/$": (404, 200),
    "admin/(?P<url>.*)$": (404, 404),
}
DOORS = ("/admin/login/", "/sign-in/", "/", "/admin/")

MATRIX = {
    **OTHERS,
    **{
        f"admin/{model}/{view}": (403, status)
        for model, statuses in MODELS.items()
        for view, status in zip(VIEWS, statuses, strict=True)
    },
    **{f"admin/{model}/<path:object_id>/": (302, 302) for model in MODELS},
}


@pytest.fixture(scope="module")
def houses(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), street() as found:
        rows = jobs()
        for name in ("staff", "superuser"):
            with_second_factor(found[name].user)
        yield found, rows
        for row in rows.values():
            row.delete()


@transaction.atomic
def jobs():
    """A row of every model that is nobody's."""
    ended = {"func": "f", "started": timezone.now(), "stopped": timezone.now()}
    async_task("conversations.leases.sweep")
    return {
        "auth/group": Group.objects.create(name="g"),
        "mfa/authenticator": Authenticator.objects.create(
            user=User.objects.get(username="juno"), type="recovery_codes", data={"seed": "s"}
        ),
        "django_q/success": Success.objects.create(id="1" * 32, name="s", success=True, **ended),
        "django_q/failure": Failure.objects.create(id="2" * 32, name="f", success=False, **ended),
        "django_q/ormq": OrmQ.objects.latest("id"),
    }


def address(route: str, houses) -> str:
    """The route with the thing of Juno, or of nobody, that it is about."""
    people, rows = houses
    juno = people["owner"]
    things = {
        "accounts/user": juno.ids["owner"],
        "accounts/apitoken": ApiToken.objects.get(user=juno.user).pk,
        "accounts/invitation": juno.ids["invitation"],
        "characters/character": juno.ids["character"],
        "characters/persona": juno.ids["persona"],
        "memories/memory": juno.ids["memory"],
        "providers/connectedmodel": juno.ids["model"],
        "characters/bond": Bond.objects.get(user=juno.user).pk,
        **{model: row.pk for model, row in rows.items()},
    }
    model = "/".join(route.split("/")[1:3])
    told = re.sub(r"\^\(\?P<app_label>.*\$", "characters/", route)
    told = told.replace("(?P<url>.*)$", "nowhere/")
    return "/" + re.sub("<.*?>", str(things.get(model, juno.ids["owner"])), told)


def test_every_view_of_the_admin_is_in_the_matrix():
    assert {route for route, _ in routes() if route.startswith("admin/")} == set(MATRIX)
    registered = {f"{m._meta.app_label}/{m._meta.model_name}" for m in admin.site._registry}
    assert registered == set(MODELS)


@pytest.mark.parametrize("route", MATRIX)
@pytest.mark.parametrize("caller", ["anonymous", "suspended", "owner", "other"])
def test_nobody_but_staff_comes_into_the_admin(route, caller, houses):
    people, _ = houses
    browser = stranger() if caller == "anonymous" else None
    if caller == "suspended":
        browser = people["superuser"].browser()
        people["superuser"].suspend()
    before = people["owner"].rows()
    for answer in _both((browser or people[caller].browser()), address(route, houses)):
        refused = (302, 403, 405) if route == "admin/login/" else (302, 405)
        assert answer.status_code in refused
        assert answer.headers.get("Location", "/").split("?")[0] in DOORS
        assert people["owner"].secret.encode() not in answer.content
    assert people["owner"].rows() == before


def _both(browser, path):
    return browser.get(path), browser.post(path, {"post": "yes"})


@pytest.mark.requirement("A10")
@pytest.mark.parametrize("route", MATRIX)
def test_staff_without_a_second_factor_are_sent_to_set_one_up(route, houses, db):
    people, _ = houses
    before, browser = people["owner"].rows(), stranger()
    browser.force_login(make_user("new", is_staff=True, is_superuser=True))
    for answer in _both(browser, address(route, houses)):
        assert answer.status_code == 302
        assert people["owner"].secret.encode() not in answer.content
    assert browser.get("/admin/login/")["Location"] == "/settings/two-factor/"
    assert people["owner"].rows() == before


@pytest.mark.parametrize("route", MATRIX)
def test_staff_without_permissions_see_and_change_nothing(route, houses):
    people, _ = houses
    before = people["owner"].rows()
    seen, sent = _both(people["staff"].browser(), address(route, houses))
    assert seen.status_code == MATRIX[route][0]
    assert sent.status_code < 500
    assert people["owner"].secret.encode() not in seen.content + sent.content
    assert people["owner"].rows() == before


@pytest.mark.parametrize("route", MATRIX)
def test_a_superuser_sees_names_and_never_what_somebody_wrote(route, houses):
    people, _ = houses
    answer = people["superuser"].browser().get(address(route, houses))
    assert answer.status_code == MATRIX[route][1]
    text = answer.content.decode()
    secret = people["owner"].secret
    for name in ("character", "persona"):  # names are how the console tells things apart
        text = text.replace(f"{secret} {name}", "")
    assert secret not in text
    assert people["owner"].token not in text


@pytest.mark.requirement("A3")
@pytest.mark.parametrize("route", MATRIX)
def test_the_admin_changes_nothing_without_a_csrf_token(route, houses):
    people, _ = houses
    browser, before = people["superuser"].browser(csrf=True), people["owner"].rows()
    assert browser.post(address(route, houses), {"post": "yes"}).status_code == 403
    assert people["owner"].rows() == before
