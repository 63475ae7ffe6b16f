"""A talk of five thousand messages opens at once, and never puts more than 300 into the page."""

import time
from collections.abc import Iterator

import pytest
from django.db import transaction
from playwright.sync_api import Page, expect

from conversations.models import Conversation, Message, Reply
from reverie.text.ids import new_id
from tests.browser.talk import path_of

LENGTH = 5000
OPENS_WITHIN = 5.0  # seconds, five times what is promised
POSITIONS = """() => [...document.querySelectorAll("#messages > .message .words")]
  .map((words) => Number(words.textContent.match(/\\d+/)?.[0]))"""

# Scrolls as often as it takes, since the page may just be following its end.
GO_UP = """async () => {
  const view = document.getElementById("scroll");
  const mark = document.querySelector("#messages > .message");
  const top = () => mark.getBoundingClientRect().top;
  let before = top();
  for (let tries = 0; tries < 100 && !mark.previousElementSibling; tries += 1) {
    if (view.scrollTop > 40) view.scrollTop = 40;
    before = top();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return mark.previousElementSibling ? Math.abs(top() - before) : NaN;
}"""


def rows(chat: Conversation) -> Iterator[tuple[Message, Reply | None]]:
    speaker = chat.participants.get()
    shared = {"conversation": chat, "revision": 1}
    for position in range(2, LENGTH + 1):
        if position % 2 == 0:
            words = {"role": "user", "text": f"Line {position}", "client_id": new_id()}
            yield Message(position=position, **words, **shared), None
            continue
        message = Message(position=position, role="character", participant=speaker, **shared)
        message.chosen_reply_id = new_id()
        text = f"Line {position}. " + "And some more of it. " * (position % 7)
        reply = Reply(pk=message.chosen_reply_id, conversation=chat, message=message)
        reply.status, reply.text, reply.html = Reply.Status.DONE, text, f"<p>{text}</p>"
        yield message, reply


@pytest.fixture
def long_chat(chat: Conversation) -> Conversation:
    made = list(rows(chat))
    with transaction.atomic():
        Message.objects.bulk_create([message for message, _ in made], 1000)
        Reply.objects.bulk_create([reply for _, reply in made if reply], 1000)
    return chat


def shown(page: Page) -> list[int]:
    """Numbers of the lines in the page, in their order."""
    return list(page.evaluate(POSITIONS))


def go_up(page: Page) -> float:
    """Scroll up until older messages come; how far the first message jumped then, in pixels."""
    return float(page.evaluate(GO_UP))


@pytest.mark.case("C103")
def test_a_chat_of_five_thousand_messages_opens_with_the_last_fifty(stage, juno, long_chat):
    page = stage.device(juno).new_page()
    began = time.monotonic()
    page.goto(path_of(long_chat), wait_until="commit")
    expect(page.locator("#messages > .message").last).to_contain_text(f"Line {LENGTH}")
    assert time.monotonic() - began < OPENS_WITHIN
    assert shown(page) == list(range(LENGTH - 49, LENGTH + 1))
    expect(page.locator("#messages > .message").last).to_be_in_viewport()


@pytest.mark.case("C103")
def test_scrolling_up_brings_older_ones_without_a_jump_and_never_more_than_300(
    stage, juno, long_chat
):
    page = stage.open(juno, path_of(long_chat))
    for _ in range(9):
        assert go_up(page) < 4
        now = shown(page)
        assert len(now) <= 300
        assert now == list(range(now[0], now[0] + len(now)))
    assert shown(page)[0] <= LENGTH - 49 - 9 * 50
    page.locator("#pill").click()
    expect(page.locator("#messages > .message").last).to_contain_text(f"Line {LENGTH}")
    assert len(shown(page)) <= 300


@pytest.mark.case("C103")
def test_scrolling_down_again_brings_the_newer_ones_back(stage, juno, long_chat):
    page = stage.open(juno, path_of(long_chat))
    for _ in range(7):
        go_up(page)
    assert shown(page)[-1] < LENGTH
    for _ in range(40):
        page.locator("#scroll").evaluate("(node) => { node.scrollTop = node.scrollHeight; }")
        page.wait_for_timeout(60)
        if shown(page)[-1] == LENGTH:
            break
    now = shown(page)
    assert now[-1] == LENGTH
    assert len(now) <= 300


def test_a_place_far_back_is_opened_where_a_search_found_it(stage, juno, long_chat):
    page = stage.open(juno, "/chats/?q=Line 4012")
    page.get_by_role("link", name="Line 4012").click()
    found = page.locator(".message.found")
    expect(found).to_contain_text("Line 4012", timeout=20_000)  # several calls
    expect(found).to_be_in_viewport()
    expect(found).to_be_focused()
    lines = shown(page)
    assert lines == list(range(lines[0], lines[0] + len(lines)))
    assert len(lines) <= 300
    page.locator("#pill").click()
    expect(page.get_by_text("Line 5000", exact=True)).to_be_in_viewport()
