"""Enter that belongs to an input method never sends, on any field of any page."""

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.browser.pages import make_house, paths
from tests.browser.talk import Talk, open_talk, own_words
from tests.factories import make_user, with_second_factor

# A keydown as a browser of another kind reports it.
PRESS = """(node, [key, keyCode, isComposing]) => {
  const event = new KeyboardEvent("keydown", {key, isComposing, bubbles: true, cancelable: true});
  Object.defineProperty(event, "keyCode", {value: keyCode});
  node.dispatchEvent(event);
}"""
COMPOSE = """(node, kind) => node.dispatchEvent(
  new CompositionEvent(kind, {data: "にほん", bubbles: true}))"""
# At the very end of the way of the event, and the page stays.
COUNT_SUBMITS = """window.submits = 0;
addEventListener("submit", (event) => { window.submits += 1; event.preventDefault(); });"""
FIELDS = (
    "input:not([type]), input[type=text], input[type=search], input[type=password], "
    "input[type=email], input[type=url], input[type=number], textarea"
)


def keys_of(page: Page) -> CDPSession:
    return page.context.new_cdp_session(page)


def press_enter(keys: CDPSession, code: int) -> None:
    """A real Enter: 13 is the person's; 229 the input method's, as Safari reports it."""
    told = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": code}
    keys.send("Input.dispatchKeyEvent", {"type": "keyDown", "text": "\r", **told})
    keys.send("Input.dispatchKeyEvent", {"type": "keyUp", **told})


def compose(keys: CDPSession, text: str) -> None:
    place = {"selectionStart": len(text), "selectionEnd": len(text)}
    keys.send("Input.imeSetComposition", {"text": text, **place})


def assert_not_sent(talk: Talk, chat) -> None:
    talk.page.wait_for_timeout(250)
    expect(talk.messages).to_have_count(1)
    assert own_words(chat) == []


@pytest.mark.requirement("X6")
@pytest.mark.case("C67")
def test_enter_that_confirms_a_conversion_does_not_send_and_the_next_one_does(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    keys = keys_of(talk.page)
    talk.box.focus()
    compose(keys, "にほん")
    told = {"key": "Process", "code": "Enter", "windowsVirtualKeyCode": 229}
    keys.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **told})
    keys.send("Input.insertText", {"text": "日本"})
    keys.send("Input.dispatchKeyEvent", {"type": "keyUp", **told})
    expect(talk.box).to_have_value("日本")
    assert_not_sent(talk, chat)
    talk.box.press("Enter")
    talk.await_reply()
    assert own_words(chat) == ["日本"]


@pytest.mark.requirement("X6")
@pytest.mark.parametrize(
    "press",
    [
        pytest.param(("Enter", 13, True), id="said-to-compose"),
        pytest.param(("Enter", 229, False), id="code-229"),
        pytest.param(("Unidentified", 229, False), id="android"),
        pytest.param(("Unidentified", 13, False), id="unidentified"),
        pytest.param(("Process", 13, False), id="process"),
    ],
)
@pytest.mark.case("C67", "C117")
def test_no_shape_of_an_input_methods_enter_sends(stage, juno, chat, press):
    talk = open_talk(stage, juno, chat)
    talk.box.fill("にほん")
    talk.box.evaluate(PRESS, list(press))
    assert_not_sent(talk, chat)


@pytest.mark.case("C117")
def test_safaris_order_of_events_does_not_send(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    keys = keys_of(talk.page)
    talk.box.fill("にほん")
    talk.box.evaluate(COMPOSE, "compositionstart")
    talk.box.evaluate(COMPOSE, "compositionend")
    press_enter(keys, 229)
    assert_not_sent(talk, chat)
    press_enter(keys, 13)
    talk.await_reply()
    assert [words.strip() for words in own_words(chat)] == ["にほん"]


@pytest.mark.case("C119")
@pytest.mark.parametrize("way_out", ["blur", "Escape"])
def test_a_composition_that_ends_without_a_word_blocks_nothing_later(stage, juno, chat, way_out):
    talk = open_talk(stage, juno, chat)
    talk.box.fill("にほん")
    talk.box.evaluate(COMPOSE, "compositionstart")
    talk.box.press("Control+Enter")
    assert_not_sent(talk, chat)
    if way_out == "blur":
        talk.page.get_by_role("button", name="More").focus()
        talk.box.focus()
    else:
        talk.box.press("Escape")
    talk.box.press("Control+Enter")
    talk.await_reply()
    assert own_words(chat) == ["にほん"]


@pytest.mark.case("C69")
def test_control_enter_always_sends_and_shift_enter_is_a_new_line(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    talk.page.evaluate("localStorage.setItem('reverie:enter-sends', 'no')")
    talk.box.press_sequentially("one")
    talk.box.press("Enter")
    talk.box.press_sequentially("two")
    talk.box.press("Shift+Enter")
    talk.box.press_sequentially("three")
    expect(talk.box).to_have_value("one\ntwo\nthree")
    talk.box.press("Control+Enter")
    talk.await_reply()
    assert own_words(chat) == ["one\ntwo\nthree"]


@pytest.mark.case("C69")
def test_on_touch_enter_is_a_new_line_and_the_button_sends(stage, juno, chat):
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    talk = open_talk(stage, juno, chat, **phone)
    talk.box.tap()
    talk.box.press_sequentially("one")
    talk.box.press("Enter")
    talk.box.press_sequentially("two")
    expect(talk.box).to_have_value("one\ntwo")
    assert_not_sent(talk, chat)
    talk.send_button.tap()
    talk.await_reply()
    assert own_words(chat) == ["one\ntwo"]


def reveal_fields(page: Page) -> None:
    """Open what fields may hide in, one after the other."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


def assert_fields_guarded(part: Locator, keys: CDPSession) -> int:
    """Enter of an input method does nothing in any field of this part; how many there are."""
    page = part.page
    fields = [field for field in part.locator(FIELDS).all() if field.is_visible()]
    for field in fields:
        field.evaluate("(node) => node.focus()")
        press_enter(keys, 229)
        field.evaluate(COMPOSE, "compositionstart")
        press_enter(keys, 13)
        field.evaluate(COMPOSE, "compositionend")
        name = field.get_attribute("name") or field.get_attribute("id")
        assert page.evaluate("window.submits") == 0, f"{page.url}: {name} submits its form"
    return len(fields)


@pytest.mark.case("C67", "C118")
def test_every_text_field_of_every_page_is_guarded(stage, juno):
    house = make_house(juno)
    stage.ear.allowed = {404}
    seen = 0
    for person, found in ((None, paths(house, signed_in=False)), (juno, paths(house))):
        device = stage.device(person)
        device.add_init_script(COUNT_SUBMITS)
        page = device.new_page()
        page.on("dialog", lambda dialog: dialog.accept())
        keys = keys_of(page)
        for path in found:
            page.goto(path)
            reveal_fields(page)
            seen += assert_fields_guarded(page.locator("body"), keys)
            for dialog in page.locator("dialog").all():
                dialog.evaluate("(node) => node.showModal()")
                seen += assert_fields_guarded(dialog, keys)
                dialog.evaluate("(node) => node.close()")
    assert seen > 20


@pytest.mark.case("C118")
def test_the_persons_own_enter_submits_the_search(stage, juno, tomori):
    page = stage.open(juno, "/characters/")
    keys = keys_of(page)
    page.get_by_role("searchbox").fill("Tomori")
    press_enter(keys, 13)
    page.wait_for_url("**/characters/?q=Tomori")


@pytest.mark.case("C67", "C118")
def test_the_search_of_the_console_is_guarded_too(stage):
    person = with_second_factor(make_user("Ume", is_staff=True, is_superuser=True))
    device = stage.device(person)
    device.add_init_script(COUNT_SUBMITS)
    page = device.new_page()
    page.goto("/admin/characters/character/")
    assert assert_fields_guarded(page.locator("body"), keys_of(page)) > 0
