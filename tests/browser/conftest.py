"""A real Chromium, and a real server behind it. Every test fails on noise in the console too."""

import shutil
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright
from pytest_django.plugin import DjangoDbBlocker

from reverie.text import clean
from tests.browser.stage import Stage
from tests.live import Web
from tests.scripted import ScriptedProvider

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A half character that a failing page shows must not break the way to the report."""
    report = yield
    if report.longrepr and (told := str(report.longrepr)) != clean.strip_invalid(told):
        report.longrepr = clean.strip_invalid(told)
    return report


def chromium_path() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if found := shutil.which(name):
            return found
    pytest.fail("The browser tests need Chromium: install the package `chromium`.")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for a file. Playwright's loop would disturb the async tests of other files."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def house(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[Web, ScriptedProvider]]:
    """One web process for all browser tests of this worker; what tests store is flushed away."""
    with ScriptedProvider() as provider:
        told = {"CHAT_BASE_URL": provider.base_url, "CHAT_MODEL": "scripted", "CHAT_API_KEY": "k"}
        # Other tests open fifty connections at once beside this one: a page waits, and comes.
        told["DATABASE_WAIT_SECONDS"] = "20"
        with django_db_blocker.unblock():
            web = Web(**told)
        with web:
            yield web, provider


@pytest.fixture
def stage(
    transactional_db: None, chromium: Browser, house: tuple[Web, ScriptedProvider]
) -> Iterator[Stage]:
    """The server and devices, whose provider says what `stage.provider.queue` was given."""
    stage = Stage(chromium, *house)
    yield stage
    stage.clear()
    stage.assert_calm()


@pytest.fixture
def demo_stage(transactional_db: None, chromium: Browser) -> Iterator[Stage]:
    """As `stage`, with a server of its own that has no model but the demo."""
    environment: dict[str, Any] = {"DEMO_DELAY_SECONDS": "0.03"}
    with ScriptedProvider() as provider, Web(**environment) as web:
        stage = Stage(chromium, web, provider)
        yield stage
        stage.clear()
        stage.assert_calm()


@pytest.fixture
def bare_stage(transactional_db: None, chromium: Browser) -> Iterator[Stage]:
    """A server that knows no model, but may call the scripted provider."""
    with (
        ScriptedProvider() as provider,
        Web(PROVIDER_PRIVATE_HOSTS=f"127.0.0.1:{provider.port}") as web,
    ):
        stage = Stage(chromium, web, provider)
        yield stage
        stage.clear()
        stage.assert_calm()
