"""A line that breaks: silence first, then one calm sentence, and everything is caught up with."""

import time

import pytest
from playwright.sync_api import WebSocketRoute, expect

from conversations import leases
from conversations.models import Reply
from tests.browser.stage import Stage, await_quiet
from tests.browser.talk import Talk, open_talk, own_words, path_of, stored_reply
from tests.factories import exchange
from tests.live import Web
from tests.scripted import Script

BANNER = "Reconnecting — your text is safe"


class Line:
    """The socket of a page, which can be cut and mended."""

    def __init__(self, page) -> None:
        self.down = False
        self.open: list[WebSocketRoute] = []
        page.route_web_socket("**/ws/**", self._opened)

    def _opened(self, route: WebSocketRoute) -> None:
        if self.down:
            route.close(code=1011)
            return
        route.connect_to_server()
        self.open.append(route)

    def cut(self) -> None:
        self.down = True
        for route in self.open:
            route.close(code=1011)
        self.open.clear()

    def mend(self) -> None:
        self.down = False


def talk_on_a_line(stage: Stage, person, chat) -> tuple[Talk, Line]:
    page = stage.device(person).new_page()
    line = Line(page)
    page.goto(path_of(chat))
    return Talk(page), line


@pytest.mark.requirement("P10")
def test_a_lost_line_is_told_after_five_seconds_and_caught_up_with(stage, juno, chat):
    talk, line = talk_on_a_line(stage, juno, chat)
    talk.page.wait_for_timeout(500)
    line.cut()
    began = time.monotonic()
    exchange(chat, "Said elsewhere", "And answered *elsewhere*.")
    talk.page.wait_for_timeout(3500)
    expect(talk.banner).to_be_hidden()
    expect(talk.banner).to_have_text(BANNER, timeout=6000)
    assert time.monotonic() - began >= 4.5
    expect(talk.messages).to_have_count(1)
    line.mend()
    expect(talk.banner).to_be_hidden(timeout=15_000)
    expect(talk.messages).to_have_count(3)
    expect(talk.words.locator("em")).to_have_text("elsewhere")


@pytest.mark.requirement("P10", "P5")
@pytest.mark.case("C36")
def test_a_phone_that_slept_through_the_end_of_a_reply_settles(stage, juno, chat):
    talk, line = talk_on_a_line(stage, juno, chat)
    stage.provider.queue(Script(text=[f"word{n:02} " for n in range(15)], delay=0.1))
    talk.say("Count for me.")
    talk.await_words("word03")
    line.cut()
    while Reply.objects.active().exists():
        time.sleep(0.05)
    expect(talk.stop_button).to_be_visible()
    line.mend()
    talk.await_reply()
    expect(talk.words).to_have_text(stored_reply(chat).text.strip())
    expect(talk.banner).to_be_hidden()


@pytest.mark.requirement("P10")
def test_a_short_break_in_mid_reply_leaves_no_gap_and_no_repeat(stage, juno, chat):
    talk, line = talk_on_a_line(stage, juno, chat)
    stage.provider.queue(Script(text=[f"word{n:02} " for n in range(30)], delay=0.1))
    talk.say("Count for me.")
    for reached in ("word03", "word10", "word17"):
        talk.await_words(reached)
        line.cut()
        line.mend()
    talk.await_reply()
    expect(talk.words).to_have_text("".join(f"word{n:02} " for n in range(30)).strip())


@pytest.mark.requirement("P10")
def test_what_is_renamed_on_one_device_is_renamed_on_the_other(stage, juno, chat):
    here, there = open_talk(stage, juno, chat), open_talk(stage, juno, chat)
    here.page.get_by_role("button", name="More").click()
    here.page.get_by_role("button", name="Rename…").click()
    here.page.locator("#rename input[name=title]").fill("桜の夜")
    here.page.locator("#rename").get_by_role("button", name="Save").click()
    expect(here.page.locator("#title")).to_have_text("桜の夜")
    expect(there.page.locator("#title")).to_have_text("桜の夜")


@pytest.mark.requirement("P10")
def test_a_chat_deleted_elsewhere_says_so_and_stays_readable(stage, juno, chat):
    talk, remote = open_talk(stage, juno, chat), stage.open(juno, "/chats/")
    talk.page.wait_for_timeout(300)
    remote.get_by_role("button", name="Options for").click()
    remote.get_by_role("button", name="Delete this chat").click()
    expect(talk.banner).to_contain_text("This chat was deleted.")
    expect(talk.messages).to_have_count(1)
    expect(talk.send_button).to_be_disabled()


@pytest.mark.requirement("P3")
def test_who_is_signed_out_elsewhere_keeps_the_text_and_can_sign_in(stage, juno, chat):
    stage.ear.allowed = {401, 403}
    talk = open_talk(stage, juno, chat)
    talk.page.context.clear_cookies(name="sessionid")
    talk.say("Am I still here?")
    expect(talk.banner).to_contain_text("You are signed out.")
    expect(talk.banner.get_by_role("link", name="Sign in")).to_be_visible()
    assert "Am I still here?" in (talk.box.input_value() or talk.page.inner_text("#messages"))
    assert own_words(chat) == []


@pytest.mark.requirement("P1", "P7", "P20")
def test_a_server_killed_in_mid_reply_comes_back_to_the_same_page(
    stage, juno, chat, monkeypatch, request
):
    environment = {"CHAT_BASE_URL": stage.provider.base_url, "CHAT_MODEL": "m", "CHAT_API_KEY": "k"}
    first = Web(**environment)
    request.addfinalizer(first.kill)
    monkeypatch.setattr("tests.live.free_port", lambda: first.port)
    mine = Stage(stage.browser, first, stage.provider)
    mine.ear.offline = True
    mine.ear.allowed = {503}
    request.addfinalizer(mine.clear)
    talk = open_talk(mine, juno, chat)
    stage.provider.queue(Script(text=[f"word{n:02} " for n in range(100)], delay=0.1))
    talk.say("Count for me.")
    talk.await_words("word09")
    first.kill()
    talk.box.fill("my next line")
    await_quiet()  # the last statement of the dead may still be running, and renew the lease
    Reply.objects.active().update(lease_until="2020-01-01T00:00Z")
    with Web(**environment):
        assert leases.sweep() == 1
        expect(talk.last).to_contain_text("The server stopped in the middle", timeout=20_000)
        expect(talk.words).to_contain_text("word05")
        expect(talk.stop_button).to_be_hidden()
        expect(talk.box).to_have_value("my next line")
        stage.provider.queue(Script(text=["Where were we?"]))
        talk.last.get_by_role("button", name="Try again").click()
        talk.await_words("Where were we?")
        talk.await_reply()
        mine.assert_calm()
