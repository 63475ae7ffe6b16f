"""The page counts a text as the server does, and refuses what is too long with both numbers."""

import pytest
from playwright.sync_api import expect

from reverie.text import clean
from tests.browser.talk import Talk, open_talk, own_words, path_of
from tests.factories import make_user
from tests.scripted import Script

LIMIT = 32_000
# As a paste or a script leaves it: `fill` would clean some of it on the way.
PUT = """(node, text) => { node.value = text;
  node.dispatchEvent(new Event("input", {bubbles: true})); }"""
POST = """async ([path, text]) => {
  const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
  const answer = await fetch(path, {method: "POST",
    headers: {"Content-Type": "application/json", "X-CSRFToken": token},
    body: JSON.stringify({client_id: crypto.randomUUID(), text})});
  return [answer.status, await answer.json()];
}"""


def counted(talk: Talk) -> int:
    """The number of characters that the page shows."""
    expect(talk.page.locator("#count")).to_be_visible()
    shown = talk.page.locator("#count").inner_text()
    return int(shown.split(" of ")[0].replace(",", ""))


@pytest.mark.requirement("A11")
def test_one_character_too_many_is_refused_with_the_count_and_stays(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    talk.box.evaluate(PUT, "a" * (LIMIT + 1))
    expect(talk.page.locator("#count")).to_have_text("32,001 of 32,000 characters")
    expect(talk.send_button).to_be_disabled()
    talk.box.press("Control+Enter")
    expect(talk.refusal).to_contain_text("32,000")
    assert len(talk.box.input_value()) == LIMIT + 1
    assert own_words(chat) == []
    talk.box.press("End")
    talk.box.press("Backspace")
    expect(talk.send_button).to_be_enabled()
    expect(talk.refusal).to_be_hidden()


@pytest.mark.requirement("A11")
def test_the_server_refuses_with_the_same_count(stage, juno, chat):
    stage.ear.allowed = {400, 413, 422}
    talk = open_talk(stage, juno, chat)
    path = f"/api/v1/conversations/{chat.pk}/messages"
    status, told = talk.page.evaluate(POST, [path, "😀" * (LIMIT + 1)])
    assert 400 <= status < 500
    assert told["code"] == "too_long"
    assert "32001" in told["detail"].replace(",", "")
    assert own_words(chat) == []


@pytest.mark.requirement("A11", "X6")
@pytest.mark.parametrize(
    "piece",
    [
        pytest.param("😀", id="emoji"),
        pytest.param("👩\u200d👩\u200d👧", id="family"),
        pytest.param("か\u3099", id="nfd-kana"),
        pytest.param("e\u0301", id="nfd-latin"),
        pytest.param("\u1112\u1161\u11ab", id="nfd-hangul"),
        pytest.param("a\r\n", id="crlf"),
        pytest.param("𠮷野家\n", id="astral-kanji"),
        pytest.param("\u0958", id="grows-by-nfc"),
    ],
)
def test_the_page_counts_as_the_server_does(stage, juno, chat, piece):
    talk = open_talk(stage, juno, chat)
    text = piece * (31_000 // clean.length(clean.clean(piece)))
    talk.box.evaluate(PUT, text)
    assert counted(talk) == clean.length(clean.clean(text))


@pytest.mark.requirement("A11", "X6")
def test_a_text_just_within_the_limit_is_sent_whole(stage, juno, chat):
    stage.provider.queue(Script(text=["Long."]))
    talk = open_talk(stage, juno, chat)
    text = "か\u3099 " * (LIMIT // 2)
    talk.box.evaluate(PUT, text)
    talk.box.press("Control+Enter")
    expect(talk.box).to_have_value("")
    talk.await_words("Long.")
    assert own_words(chat) == [clean.clean(text)]


@pytest.mark.requirement("A12")
def test_a_half_character_and_a_nul_are_dropped_and_the_rest_is_sent(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    talk.box.evaluate("""(node) => { node.value = "a\\ud83d b\\u0000c\\ude00";
      node.dispatchEvent(new Event("input", {bubbles: true})); }""")
    talk.box.press("Control+Enter")
    talk.await_words("Hello there.")
    expect(talk.page.locator(".message.user")).to_have_count(1)
    (stored,) = own_words(chat)
    assert stored.replace("\ufffd", "") == "a bc"


@pytest.mark.requirement("A1")
def test_somebody_elses_chat_is_not_there(stage, juno, chat):
    stage.ear.allowed = {404}
    page = stage.open(make_user("mallory"), path_of(chat))
    expect(page.locator("h1")).to_be_visible()
    assert "Tomori" not in page.content()
