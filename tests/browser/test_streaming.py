"""A reply on its way survives reloads, has a second reader, and can be stopped from anywhere."""

import time

import pytest
from playwright.sync_api import expect

from conversations.models import Reply
from tests.browser.talk import Talk, open_talk, path_of, stored_reply
from tests.scripted import Script

NUMBERED = [f"word{number:02} " for number in range(24)]
# Every text that a stream has shown, so that gaps and repeats are seen even if they heal.
RECORD = """window.seen = [];
new MutationObserver(() => {
  const words = document.querySelector(".message:last-child .words.streaming");
  if (words && !words.querySelector(".thinking")) window.seen.push(words.textContent);
}).observe(document, {subtree: true, childList: true, characterData: true});"""


def begin_slow_reply(stage, talk: Talk) -> None:
    stage.provider.queue(Script(text=NUMBERED, delay=0.1))
    talk.say("Count for me.")


def assert_only_grew(page, whole: str) -> None:
    for text in page.evaluate("window.seen"):
        assert whole.startswith(text)


@pytest.mark.requirement("P5")
@pytest.mark.case("C35")
def test_a_reload_shows_the_text_so_far_at_once_and_then_the_rest(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    talk.page.add_init_script(RECORD)
    begin_slow_reply(stage, talk)
    for number in (6, 11, 16):
        talk.await_words(NUMBERED[number].strip())
        talk.page.reload(wait_until="load")
        # What the page itself brings is what was kept last, every 250 ms; the socket is at the end.
        assert NUMBERED[number - 5] in (talk.words.text_content() or "")
        expect(talk.words).to_contain_text(NUMBERED[number].strip(), timeout=2000)
    talk.await_reply()
    reply = stored_reply(chat)
    assert reply.text == "".join(NUMBERED)
    assert_only_grew(talk.page, reply.text)
    expect(talk.words).to_have_text(reply.text.strip())
    assert len(stage.provider.requests) == 1


@pytest.mark.case("C35")
def test_a_reload_in_mid_reply_changes_no_setting(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    talk.page.get_by_role("button", name="More").click()
    talk.page.get_by_role("button", name="Keys").click()
    talk.page.get_by_label("On this device, Enter sends").uncheck()
    talk.page.keyboard.press("Escape")
    stage.provider.queue(Script(text=NUMBERED, delay=0.1))
    talk.box.fill("Count for me.")
    talk.box.press("Control+Enter")
    talk.await_words("word04")
    talk.box.fill("my next line")
    talk.page.reload()
    expect(talk.box).to_have_value("my next line")
    expect(talk.page.locator("#enter-sends")).not_to_be_checked()
    expect(talk.stop_button).to_be_visible()


@pytest.mark.requirement("P5", "P6")
@pytest.mark.case("C37")
def test_a_second_device_reads_along_and_can_stop_the_reply(stage, juno, chat):
    first = open_talk(stage, juno, chat)
    begin_slow_reply(stage, first)
    first.await_words("word04")
    second = open_talk(stage, juno, chat)
    second.await_words("word06")
    pressed = time.monotonic()
    second.stop_button.click()
    for talk in (first, second):
        expect(talk.stop_button).to_be_hidden()
        expect(talk.last).to_contain_text("Stopped")
    reply = stored_reply(chat)
    assert reply.status == Reply.Status.STOPPED
    assert "".join(NUMBERED).startswith(reply.text)
    assert "word04" in reply.text
    expect(first.words).to_have_text(reply.text.strip())
    expect(second.words).to_have_text(reply.text.strip())
    closed = stage.provider.last.closed_at
    assert closed is not None
    assert closed - pressed < 5


@pytest.mark.requirement("P5")
def test_the_last_text_on_the_page_is_the_stored_one_sign_for_sign(stage, juno, chat):
    pieces = [
        "か",
        "\u3099る",
        "い 👩",
        "\u200d👩\u200d👧 ",
        "*まぶたを",
        "閉じる*\n\n",
        "🇯🇵",
        " <b>&amp;",
    ]
    stage.provider.queue(Script(text=pieces, delay=0.1))
    talk = Talk(stage.device(juno, permissions=["clipboard-read", "clipboard-write"]).new_page())
    talk.page.add_init_script(RECORD)
    talk.page.goto(path_of(chat))
    talk.say("どうしたの？")
    talk.await_words("<b>")
    talk.await_reply()
    reply = stored_reply(chat)
    assert_only_grew(talk.page, reply.text)
    talk.last.hover()
    talk.last.get_by_role("button", name="Copy", exact=True).click()
    expect(talk.page.locator("#said")).to_have_text("Copied")
    assert talk.page.evaluate("navigator.clipboard.readText()") == reply.text


@pytest.mark.requirement("P6")
def test_the_reply_goes_on_when_all_tabs_are_closed(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    begin_slow_reply(stage, talk)
    talk.await_words("word02")
    talk.page.close()
    while Reply.objects.active().exists():
        time.sleep(0.1)
    assert stored_reply(chat).text == "".join(NUMBERED)
    again = open_talk(stage, juno, chat)
    expect(again.words).to_contain_text("word23")


@pytest.mark.case("C43")
def test_writing_anew_in_mid_reply_keeps_the_part_and_starts_one_new_run(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    begin_slow_reply(stage, talk)
    talk.await_words("word04")
    stage.provider.queue(Script(text=["Quite another answer."]))
    talk.last.hover()
    talk.last.get_by_role("button", name="Write it anew").dblclick()
    talk.await_words("Quite another answer.")
    talk.await_reply()
    old, new = Reply.objects.filter(message__answers__isnull=False).order_by("number")
    assert (old.status, new.status) == (Reply.Status.STOPPED, Reply.Status.DONE)
    assert "word04" in old.text
    assert len(stage.provider.requests) == 2


@pytest.mark.requirement("P6")
def test_escape_stops_the_reply(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    begin_slow_reply(stage, talk)
    talk.await_words("word02")
    talk.page.keyboard.press("Escape")
    expect(talk.last).to_contain_text("Stopped")
    assert stored_reply(chat).status == Reply.Status.STOPPED


def test_screen_readers_hear_that_a_reply_comes_and_that_it_ended_and_no_word_of_it(
    stage, juno, chat
):
    talk = open_talk(stage, juno, chat)
    said = talk.page.locator("#said")
    begin_slow_reply(stage, talk)
    expect(said).to_have_text("Tomori is replying…")
    talk.await_words("word04")
    assert talk.words.evaluate("node => node.closest('[aria-live]:not([aria-live=off])')") is None
    talk.await_reply()
    expect(said).to_have_text("Reply finished")
