"""The second factor, invitations and tokens, as a person meets them in a browser."""

import re

import pytest
from allauth.mfa.models import Authenticator
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from reverie.accounts.models import Invitation, User
from tests.browser.stage import Stage
from tests.browser.test_pages import faults
from tests.reverie.codes import code_of

PASSWORD = "a good long password"


@pytest.fixture
def juno(juno: User, settings: Settings) -> User:
    """Juno with a password that the server can read, whose hashes are slow ones."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    juno.set_password(PASSWORD)
    juno.save()
    return juno


def fill_in(page: Page, **told: str) -> None:
    """Fill a form of `main` by the names of its fields, and send it by keyboard alone."""
    for name, text in told.items():
        page.locator(f"main [name={name}]").fill(text)
    page.keyboard.press("Enter")


@pytest.mark.requirement("A10", "X6")
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_second_factor_is_switched_on_asked_and_switched_off(stage: Stage, juno, language):
    juno.language = language
    juno.save()
    page = stage.open(juno, "/settings/two-factor/", locale=language)
    fill_in(page, password=PASSWORD)
    expect(page.locator("#secret")).to_be_visible()
    secret = page.locator("#secret").inner_text()
    fill_in(page, code="000000")
    expect(page.locator(".errorlist")).to_be_visible()
    wrong = faults(page, language)
    assert page.locator("#secret").inner_text() == secret
    fill_in(page, code=code_of(secret))
    expect(page.locator("#codes")).to_be_visible()
    wrong += faults(page, language)
    recovery = page.locator("#codes code").first.inner_text()

    elsewhere = stage.open(None, "/sign-in/?next=/settings/", locale=language)
    fill_in(elsewhere, login="juno", password=PASSWORD)
    expect(elsewhere.locator("[name=code]")).to_be_visible()
    fill_in(elsewhere, code="1")
    expect(elsewhere.locator(".errorlist")).to_be_visible()
    wrong += faults(elsewhere, language)
    fill_in(elsewhere, code=recovery)
    expect(elsewhere.locator("#sessions li")).to_have_count(2)
    wrong += faults(elsewhere, language)

    for path in ("/settings/codes/new/", "/settings/two-factor/off/"):
        page.goto(path)
        wrong += faults(page, language)
    page.locator("main button.danger").click()
    expect(page).to_have_url(re.compile("/settings/#two-factor$"))
    assert not Authenticator.objects.exists()
    assert not wrong, "\n".join(wrong)


@pytest.mark.requirement("A10", "X6")
@pytest.mark.parametrize("language", ["en", "ja"])
def test_somebody_is_invited_and_joins(stage: Stage, juno, language):
    juno.language, juno.is_staff = language, True
    juno.save()
    page = stage.open(juno, "/settings/invitations/", locale=language)
    fill_in(page, note="Zzyzx")
    link = page.locator("#new-link").inner_text()
    button = page.locator("[data-copies]")
    before = button.inner_text()
    button.click()
    expect(button).not_to_have_text(before)
    wrong = faults(page, language)

    guest = stage.open(None, link, locale=language, timezone_id="Asia/Tokyo")
    fill_in(guest, username="rin", password1="x", password2="y")
    expect(guest.locator(".errorlist").first).to_be_visible()
    wrong += faults(guest, language)
    fill_in(guest, password1=PASSWORD, password2=PASSWORD)
    expect(guest).to_have_url(f"{stage.web.address}/")
    rin = User.objects.get(username="rin")
    assert (rin.time_zone, rin.language) == ("Asia/Tokyo", language)
    assert Invitation.objects.get().used_by == rin
    assert not wrong, "\n".join(wrong)


@pytest.mark.requirement("A9")
def test_a_token_is_made_and_deleted(stage: Stage, juno):
    page = stage.open(juno, "/settings/", locale="en")
    page.locator("#tokens [name=name]").fill("Home script")
    page.locator("#tokens [name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#new-token")).to_contain_text("rv_")
    page.get_by_role("button", name="Delete Home script").click()
    expect(page.locator(".notice")).to_contain_text("The token is deleted")
    expect(page.locator("#tokens li")).to_have_count(0)
