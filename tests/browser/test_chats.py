"""The list of chats: looked through, put in order, and undone, with a keyboard alone."""

from playwright.sync_api import expect

from conversations.models import Conversation
from tests.browser.talk import path_of
from tests.factories import exchange


def test_a_search_by_an_input_method_waits_for_its_last_enter(stage, juno, chat):
    exchange(chat, "バッタと鈴虫", "いいね")
    page = stage.open(juno, "/chats/")
    box = page.get_by_role("searchbox")
    box.focus()
    typing = page.context.new_cdp_session(page)
    typing.send("Input.imeSetComposition", {"text": "虫", "selectionStart": 1, "selectionEnd": 1})
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert page.url.endswith("/chats/")
    typing.send("Input.insertText", {"text": "虫"})
    page.keyboard.press("Enter")
    expect(page.locator("mark")).to_have_text("虫")


def test_deleting_and_undoing_needs_no_mouse(stage, juno, chat):
    page = stage.open(juno, "/chats/")
    page.get_by_role("button", name="Options for").press("Enter")
    page.get_by_role("button", name="Delete this chat").press("Enter")
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    assert not Conversation.objects.of(juno).exists()
    undo.press("Enter")
    expect(page).to_have_url(f"{stage.web.address}{path_of(chat)}")
    assert Conversation.objects.of(juno).get() == chat


def test_a_chat_is_saved_as_a_file(stage, juno, chat):
    page = stage.open(juno, path_of(chat))
    page.get_by_role("button", name="More").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as text").click()
    assert download.value.suggested_filename == "Tomori.txt"
    assert "Hello, juno." in download.value.path().read_text()
