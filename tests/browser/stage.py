"""Where browser tests play: a person's devices on a real server, and an ear for what goes wrong."""

import re
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response

from conversations.models import Reply
from reverie.accounts.models import User
from tests.live import Web
from tests.scripted import ScriptedProvider

# What the browser itself logs about answers and sockets is judged by `allowed` and `offline`.
LOADING = re.compile("Failed to load resource|WebSocket connection to")
HARMLESS = ("data:", "blob:", "about:")
TELL_VIOLATIONS = """addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI}`))"""


@dataclass
class Ear:
    """Everything that must not happen on any page; a test says what it provokes on purpose."""

    address: str
    wrong: list[str] = field(default_factory=list)
    allowed: set[int] = field(default_factory=set)
    """Statuses of refused calls that the test provokes."""
    offline: bool = False
    """The test cuts the line: failed requests are what it is about."""

    def listen(self, context: BrowserContext) -> None:
        context.on("console", self._console)
        context.on("weberror", lambda error: self.wrong.append(f"page error: {error.error}"))
        context.on("request", self._request)
        context.on("response", self._response)
        context.on("requestfailed", self._failed)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not LOADING.match(message.text):
            self.wrong.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.address, *HARMLESS)):
            self.wrong.append(f"another origin: {request.url}")

    def _response(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.allowed:
            self.wrong.append(f"{response.status}: {urlsplit(response.url).path}")

    def _failed(self, request: Request) -> None:
        if not self.offline and request.failure != "net::ERR_ABORTED":
            self.wrong.append(f"failed: {request.url} {request.failure}")


class Stage:
    """One server, its provider, and as many devices as a test needs."""

    def __init__(self, browser: Browser, web: Web, provider: ScriptedProvider) -> None:
        self.browser, self.web, self.provider = browser, web, provider
        self.ear = Ear(web.address)
        self.contexts: list[BrowserContext] = []

    def device(self, person: User | None = None, **options: Any) -> BrowserContext:
        """A browser of its own, in which this person is signed in."""
        context = self.browser.new_context(base_url=self.web.address, **options)
        context.set_default_timeout(20_000)
        context.add_init_script(TELL_VIOLATIONS)
        self.contexts.append(context)
        self.ear.listen(context)
        if person:
            context.add_cookies([session_cookie(person, self.web.address)])
        return context

    def open(self, person: User | None, path: str, **options: Any) -> Page:
        """A page on a device of its own."""
        page = self.device(person, **options).new_page()
        page.goto(path)
        return page

    def clear(self) -> None:
        """Close all devices and end all replies, so that nobody writes after the test."""
        for context in self.contexts:
            context.close()
        self.provider.scripts.clear()
        self.provider.requests.clear()
        end_replies()
        await_quiet()

    def assert_calm(self) -> None:
        """Fail with everything that was heard."""
        heard = "\n".join(self.ear.wrong)
        assert not heard, f"the pages were not quiet:\n{heard}\n{self.web.said()[-4_000:]}"


def await_quiet(seconds: float = 8) -> None:
    """Wait for what pages asked for last: emptying the tables beside it would be a deadlock."""
    busy = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND state <> 'idle'"
    )
    end = time.monotonic() + seconds
    with connection.cursor() as cursor:
        while time.monotonic() < end:
            cursor.execute(busy)
            if cursor.fetchone() == (0,):
                return
            time.sleep(0.05)


def session_cookie(person: User, address: str) -> Any:
    client = Client()
    client.force_login(person)
    name = settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": address}


def end_replies(seconds: float = 8) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and Reply.objects.active().update(stopping=True):
        time.sleep(0.05)
