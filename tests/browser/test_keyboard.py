"""Everything by keyboard, and one always sees where one is."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.talk import Talk
from tests.factories import exchange

MOST_TABS = 60
FOCUS = """() => {
  const node = document.activeElement;
  const look = (one) => { const style = getComputedStyle(one);
    return ["outlineStyle", "outlineWidth", "outlineColor", "boxShadow", "borderColor",
      "backgroundColor"].map((name) => style[name]); };
  const seen = [node, node.closest(".box, label, .field") ?? node];
  const now = seen.map((one) => look(one).join());
  node.blur();
  const before = seen.map((one) => look(one).join());
  node.focus({preventScroll: true, focusVisible: true});
  const box = node.getBoundingClientRect();
  return {tag: node.tagName, text: (node.getAttribute("aria-label") || node.textContent).trim(),
    differs: now.some((style, index) => style !== before[index]),
    inside: box.width > 0 && box.bottom > 0 && box.top < innerHeight};
}"""


def focused(page: Page) -> str:
    return str(
        page.evaluate(
            """() => { const node = document.activeElement;
        return node.getAttribute("aria-label") || node.textContent.trim(); }"""
        )
    )


def tab_to(page: Page, text: str, key: str = "Tab") -> None:
    """Press Tab until something that says `text` has the focus."""
    for _ in range(MOST_TABS):
        page.keyboard.press(key)
        if text in focused(page):
            return
    raise AssertionError(f"{text!r} cannot be reached by {key}")


def test_from_the_list_to_a_reply_and_what_was_sent_without_a_pointer(stage, juno, chat):
    page = stage.open(juno, "/chats/")
    tab_to(page, "Tomori")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/chats/{chat.pk}/")
    talk = Talk(page)
    expect(talk.box).to_be_focused()
    page.keyboard.type("How is Mochi?")
    page.keyboard.press("Enter")
    talk.await_words("Hello there.")
    talk.await_reply()
    expect(talk.box).to_be_focused()
    tab_to(page, "Remembered 0", "Shift+Tab")
    page.keyboard.press("Enter")
    dialog = page.locator("#prompt")
    expect(dialog.locator("details.exact")).to_be_visible()
    assert page.evaluate("document.getElementById('prompt').contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert "Remembered 0" in focused(page)


def test_the_first_tab_skips_to_the_page(stage, juno, chat):
    page = stage.open(juno, "/chats/")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the page"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.getElementById('main').contains(document.activeElement)")


@pytest.mark.parametrize("path", ["/chats/", "/characters/", "/settings/", "chat"])
def test_where_the_focus_is_can_be_seen_at_every_stop(stage, juno, chat, path):
    exchange(chat, "How is Mochi?", "Asleep.")
    page = stage.open(juno, f"/chats/{chat.pk}/" if path == "chat" else path)
    unseen: list[str] = []
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        told = page.evaluate(FOCUS)
        if not told["differs"] or not told["inside"]:
            unseen.append(f"{told['tag']} {told['text'][:40]}")
    assert unseen == []


def test_the_question_mark_lists_the_keys_and_is_a_letter_in_the_box(stage, juno, chat):
    page = stage.open(juno, f"/chats/{chat.pk}/")
    page.locator("#text").press("?")
    expect(page.locator("#text")).to_have_value("?")
    page.locator("#scroll").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
