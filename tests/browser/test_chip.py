"""The Remembered chip: what every version of a reply was made from, in the chat itself (X1)."""

import pytest
from playwright.sync_api import Locator, expect

from memories import keeping
from tests.browser.axe import serious
from tests.browser.stage import Stage
from tests.browser.talk import Talk, open_talk
from tests.browser.test_acts import act
from tests.browser.test_pages import DESK, PHONE, WIDER, english_on
from tests.factories import exchange, make_memory
from tests.scripted import Script

pytestmark = pytest.mark.requirement("X1")
USAGE = {
    "prompt_tokens": 1_234,
    "completion_tokens": 56,
    "prompt_tokens_details": {"cached_tokens": 1_000},
    "cost": 0.0012,
}


def chip(message: Locator) -> Locator:
    return message.locator(".acts .chip")


def look(talk: Talk) -> Locator:
    """The dialog of the last reply, filled."""
    chip(talk.last).click()
    dialog = talk.page.locator("#prompt")
    expect(dialog.locator(".recalled")).to_be_visible()
    return dialog


@pytest.mark.requirement("R84")
def test_what_is_saved_and_pinned_is_in_the_chip_of_the_next_reply(stage, juno, tomori, chat):
    stage.provider.queue(Script(usage=USAGE))
    make_memory(juno, None, "Juno is allergic to nuts", pinned=True)
    make_memory(juno, tomori, "Juno's cat is called Mochi")
    talk = open_talk(stage, juno, chat)
    talk.say("How is she?")
    talk.await_reply()
    expect(chip(talk.last)).to_have_text("Remembered 2")
    expect(chip(talk.last)).to_have_attribute("title", "1,234 tokens sent, 56 written · $0.0012")
    dialog = look(talk)
    items = dialog.locator(".recalled li")
    expect(items).to_have_count(2)
    expect(items.nth(0)).to_contain_text("Juno is allergic to nuts")
    expect(items.nth(0)).to_contain_text("pinned: always sent")
    expect(items.nth(1)).to_contain_text("Juno's cat is called Mochi")
    expect(items.nth(1)).to_contain_text("active")
    expect(dialog.locator("table.legend")).to_contain_text("Pinned memories")
    expect(dialog.locator(".facts")).to_contain_text("1,000 (81%)")
    expect(dialog.locator(".facts")).to_contain_text("$0.0012")
    assert serious(talk.page) == []


def test_every_version_has_its_own(stage, juno, tomori, chat):
    stage.provider.queue(Script(text=["One."]), Script(text=["Two."]))
    talk = open_talk(stage, juno, chat)
    talk.say("How is Mochi?")
    talk.await_reply()
    expect(chip(talk.last)).to_have_text("Remembered 0")
    make_memory(juno, tomori, "Juno's cat is called Mochi")
    act(talk.last, "again")
    talk.await_words("Two.")
    talk.await_reply()
    expect(chip(talk.last)).to_have_text("Remembered 1")
    expect(look(talk).locator(".recalled")).to_contain_text("saved after the beginning was laid")
    talk.page.keyboard.press("Escape")
    act(talk.last, "earlier")
    expect(chip(talk.last)).to_have_text("Remembered 0")
    expect(look(talk).locator(".recalled")).to_contain_text("No memory went into this reply.")


def test_an_old_reply_keeps_what_was_sent_and_says_what_became_of_it(stage, juno, tomori, chat):
    gone = make_memory(juno, tomori, "Juno's cat is called Mochi")
    changed = make_memory(juno, tomori, "Juno lives in Osaka")
    exchange(chat, "How is Mochi?", "Asleep.")
    keeping.delete(juno, gone.pk)
    keeping.edit(juno, changed.pk, "Juno lives in Kobe")
    talk = open_talk(stage, juno, chat)
    dialog = look(talk)
    mochi, osaka = dialog.locator(".recalled li").all()
    expect(mochi).to_contain_text("Juno's cat is called Mochi")
    expect(mochi).to_contain_text("deleted since")
    expect(mochi.get_by_role("link")).to_have_count(0)
    expect(osaka).to_contain_text("Juno lives in Osaka")
    expect(osaka).to_contain_text("changed since")
    osaka.get_by_role("link", name="show it").click()
    expect(dialog).to_be_hidden()
    assert talk.page.url.endswith(f"#memory-{changed.pk}")


@pytest.mark.requirement("X6")
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_a_long_prompt_scrolls_inside_its_dialog_in_japanese(stage, juno, tomori, chat, size):
    juno.language = chat.language = "ja"
    juno.save()
    chat.save()
    for n in range(12):
        make_memory(juno, tomori, f"{n}つ目の思い出。" + "海の音がする町" * 8, pinned=n < 3)
    exchange(chat, "長い話" * 500, "はい。")
    talk = open_talk(stage, juno, chat, viewport=size, locale="ja", color_scheme="dark")
    expect(chip(talk.last)).to_have_text("記憶 12件")
    dialog = look(talk)
    page = talk.page
    page.evaluate("for (const one of document.querySelectorAll('#prompt details')) one.open = true")
    assert dialog.evaluate("(node) => node.scrollHeight > 2 * node.clientHeight")
    assert dialog.evaluate("(node) => node.scrollWidth <= node.clientWidth")
    assert page.evaluate(WIDER) == []
    assert english_on(page) == []
    assert serious(page) == []
    dialog.evaluate("(node) => { node.scrollTop = node.scrollHeight; }")
    expect(dialog.locator("[data-closes]")).to_be_in_viewport()
    expect(dialog.locator("#exact pre").last).to_be_in_viewport()
    dialog.locator("[data-closes]").click()
    expect(dialog).to_be_hidden()


def test_the_exact_prompt_can_be_copied(stage, juno, chat):
    exchange(chat, "\n  How is Mochi?", "Asleep.")
    talk = open_talk(stage, juno, chat, permissions=["clipboard-read", "clipboard-write"])
    dialog = look(talk)
    dialog.get_by_text("Word for word, as it was sent").click()
    dialog.get_by_role("button", name="Copy all").click()
    expect(dialog.get_by_role("button", name="Copied")).to_be_visible()
    copied = talk.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("system\n")
    assert copied.endswith("\n  How is Mochi?")
    assert copied == dialog.locator("#exact").inner_text()


def test_a_prompt_that_cannot_be_fetched_says_so(stage, juno, chat):
    exchange(chat, "How is Mochi?", "Asleep.")
    talk = open_talk(stage, juno, chat)
    stage.ear.offline = True
    talk.page.route("**/prompt/", lambda route: route.abort())
    chip(talk.last).click()
    expect(talk.page.locator("#prompt-body [role=alert]")).to_be_visible()
    # What htmx itself tells the console of it is not the page's doing.
    stage.ear.wrong = [heard for heard in stage.ear.wrong if "console: htmx:" not in heard]


def budget(talk: Talk) -> Locator:
    """At the foot of the memory panel."""
    place = talk.page.locator("#panel #budget")
    expect(place.locator(".sum")).to_be_visible()
    return place


def test_the_budget_bar_follows_the_chat_and_its_memories(stage: Stage, juno, tomori, chat):
    stage.provider.queue(Script(text=["word "] * 200))
    talk = open_talk(stage, juno, chat)
    place = budget(talk)
    messages = place.locator("li").filter(has_text="Messages").locator(".tokens")
    memories = place.locator("li").filter(has_text="Memories").locator(".tokens")
    before = int(messages.inner_text())
    expect(memories).to_have_text("0")
    assert serious(talk.page) == []
    talk.say("word " * 50)
    talk.await_reply()
    expect(messages).not_to_have_text(str(before))
    assert int(messages.inner_text()) > before + 200
    make_memory(juno, tomori, "Juno's cat is called Mochi")
    expect(memories).not_to_have_text("0")
