"""Editing, deleting, paging, going on: what people do with messages, seen on all their devices."""

import pytest
from playwright.sync_api import Locator, expect

from conversations.models import Message, Reply
from tests.browser.axe import serious
from tests.browser.talk import Talk, open_talk, own_words, stored_reply
from tests.factories import exchange
from tests.scripted import Script


def act(message: Locator, name: str) -> None:
    """Press what appears beside a message on pointing at it."""
    message.hover()
    message.locator(f'.acts [data-act="{name}"]').click()


def choose(talk: Talk, message: Locator, name: str) -> None:
    """Choose from the menu of a message."""
    act(message, "more")
    talk.page.locator(f'#message-menu [data-act="{name}"]').click()


def edit(message: Locator, text: str) -> Locator:
    act(message, "edit")
    editor = message.page.locator("form.editor")
    editor.locator("textarea").fill(text)
    return editor


@pytest.fixture
def talked(chat):
    """A talk with one exchange."""
    exchange(chat, "How is Mochi?", "Asleep on my amp.")
    return chat


def test_an_edit_of_ones_own_words_is_seen_on_both_devices_and_asks_nobody(stage, juno, talked):
    here, there = open_talk(stage, juno, talked), open_talk(stage, juno, talked)
    edit(here.said("Mochi"), "How is *Maron*?").get_by_role(
        "button", name="Save", exact=True
    ).click()
    for talk in (here, there):
        expect(talk.said("Maron").locator("em")).to_have_text("Maron")
        expect(talk.said("Maron")).to_contain_text("edited")
        expect(talk.words).to_have_text("Asleep on my amp.")
    assert own_words(talked) == ["How is *Maron*?"]
    assert stage.provider.requests == []


def test_save_and_ask_again_writes_the_answer_anew_after_a_question(stage, juno, talked):
    exchange(talked, "And later?", "Later she sings.")
    stage.provider.queue(Script(text=["Maron is well."]))
    talk = open_talk(stage, juno, talked)
    edit(talk.said("Mochi"), "How is Maron?").get_by_role("button", name="Save and ask").click()
    question = talk.page.get_by_role("dialog")
    expect(question).to_contain_text("The 2 messages after this answer will be deleted.")
    assert serious(talk.page) == []
    question.get_by_role("button", name="Delete and write anew").click()
    talk.await_words("Maron is well.")
    talk.await_reply()
    expect(talk.messages).to_have_count(3)
    assert own_words(talked) == ["How is Maron?"]
    assert "How is Maron?" in str(stage.provider.last.json["messages"])


@pytest.mark.case("C67", "C118")
def test_in_the_editor_an_input_methods_enter_and_escape_change_nothing(stage, juno, talked):
    talk = open_talk(stage, juno, talked)
    editor = edit(talk.said("Mochi"), "マロンは")
    keys = talk.page.context.new_cdp_session(talk.page)
    keys.send("Input.imeSetComposition", {"text": "げんき", "selectionStart": 3, "selectionEnd": 3})
    for key in ("Enter", "Escape"):
        for kind in ("rawKeyDown", "keyUp"):
            told = {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": 229}
            keys.send("Input.dispatchKeyEvent", told)
    keys.send("Input.insertText", {"text": "元気"})
    expect(editor.locator("textarea")).to_have_value("マロンは元気")
    assert own_words(talked) == ["How is Mochi?"]
    editor.locator("textarea").press("Control+Enter")
    expect(talk.said("マロンは元気")).to_be_visible()
    expect(editor).to_have_count(0)
    assert own_words(talked) == ["マロンは元気"]


def test_escape_drops_an_edit_and_it_can_be_taken_up_again(stage, juno, talked):
    talk = open_talk(stage, juno, talked)
    editor = edit(talk.said("Mochi"), "Something else")
    editor.locator("textarea").press("Escape")
    expect(editor).to_have_count(0)
    assert own_words(talked) == ["How is Mochi?"]
    talk.page.locator("#toast").get_by_role("button", name="Undo").click()
    expect(talk.page.locator("form.editor textarea")).to_have_value("Something else")


def test_an_edit_that_another_device_overtook_is_refused_and_keeps_both_texts(stage, juno, talked):
    stage.ear.allowed = {409}
    talk = open_talk(stage, juno, talked)
    editor = edit(talk.said("Mochi"), "How is Maron?")
    other = open_talk(stage, juno, talked)
    edit(other.said("Mochi"), "How is Momo?").locator("textarea").press("Control+Enter")
    expect(other.said("Momo")).to_be_visible()
    editor.locator("textarea").press("Control+Enter")
    expect(editor.get_by_role("alert")).to_be_visible()
    expect(editor.locator("textarea")).to_have_value("How is Maron?")
    editor.get_by_text("As it is now").click()
    expect(editor.locator("details p")).to_have_text("How is Momo?")
    assert own_words(talked) == ["How is Momo?"]


def test_a_reply_is_edited_in_place_as_text(stage, juno, talked):
    talk = open_talk(stage, juno, talked)
    edit(talk.last, "Awake, **now**. <b>x</b>").get_by_role(
        "button", name="Save", exact=True
    ).click()
    expect(talk.words.locator("strong")).to_have_text("now")
    expect(talk.words).to_contain_text("<b>x</b>")
    assert stored_reply(talked).text == "Awake, **now**. <b>x</b>"


def test_versions_are_paged_and_the_choice_is_kept(stage, juno, talked):
    stage.provider.queue(Script(text=["Out hunting."]))
    talk = open_talk(stage, juno, talked)
    act(talk.last, "again")
    talk.await_words("Out hunting.")
    talk.await_reply()
    number = talk.last.locator(".pager .number")
    expect(number).to_have_text("2/2")
    other = open_talk(stage, juno, talked)
    act(talk.last, "earlier")
    for tab in (talk, other):
        expect(tab.words).to_have_text("Asleep on my amp.")
        expect(tab.last.locator(".pager .number")).to_have_text("1/2")
    talk.page.reload()
    expect(talk.words).to_have_text("Asleep on my amp.")
    talk.box.press("ArrowRight")
    expect(talk.words).to_have_text("Out hunting.")
    talk.box.fill("abc")
    talk.box.press("ArrowLeft")
    expect(talk.words).to_have_text("Out hunting.")


def test_a_deleted_message_comes_back_by_undo_on_both_devices(stage, juno, talked):
    here, there = open_talk(stage, juno, talked), open_talk(stage, juno, talked)
    choose(here, here.last, "remove")
    for talk in (here, there):
        expect(talk.messages).to_have_count(2)
    toast = here.page.locator("#toast")
    expect(toast).to_contain_text("Message deleted")
    toast.get_by_role("button", name="Undo").click()
    for talk in (here, there):
        expect(talk.messages).to_have_count(3)
        expect(talk.words).to_have_text("Asleep on my amp.")


def test_this_and_all_after_it_says_how_many_and_comes_back_whole(stage, juno, talked):
    exchange(talked, "And later?", "Later she sings.")
    talk = open_talk(stage, juno, talked)
    act(talk.said("Mochi"), "more")
    entry = talk.page.locator('#message-menu [data-act="remove-from"]')
    expect(entry).to_have_text("Delete this and everything after it (4 messages)")
    entry.click()
    expect(talk.messages).to_have_count(1)
    expect(talk.page.locator("#toast")).to_contain_text("4 messages deleted")
    talk.page.locator("#toast").get_by_role("button", name="Undo").click()
    expect(talk.messages).to_have_count(5)
    assert Message.objects.within(talked).count() == 5


def test_one_version_is_deleted_and_comes_back(stage, juno, talked):
    stage.provider.queue(Script(text=["Out hunting."]))
    talk = open_talk(stage, juno, talked)
    act(talk.last, "again")
    talk.await_words("Out hunting.")
    talk.await_reply()
    choose(talk, talk.last, "remove-version")
    expect(talk.words).to_have_text("Asleep on my amp.")
    expect(talk.last.locator(".pager")).to_be_hidden()
    talk.page.locator("#toast").get_by_role("button", name="Undo").click()
    expect(talk.words).to_have_text("Out hunting.")
    expect(talk.last.locator(".pager .number")).to_have_text("2/2")


@pytest.mark.requirement("P7")
def test_a_stopped_reply_goes_on_where_it_stopped(stage, juno, chat):
    first = [f"word{number:02} " for number in range(30)]
    stage.provider.queue(Script(text=first, delay=0.1), Script(text=["and ", "the end."]))
    talk = open_talk(stage, juno, chat)
    talk.say("Count for me.")
    talk.await_words("word05")
    talk.stop_button.click()
    expect(talk.last).to_contain_text("Stopped here")
    begun = stored_reply(chat).text
    talk.last.get_by_role("button", name="Continue").click()
    talk.await_words("the end.")
    talk.await_reply()
    reply = stored_reply(chat)
    assert reply.text.startswith(begun)
    assert reply.text.endswith("and the end.")
    assert reply.status == Reply.Status.DONE


def test_the_up_arrow_in_an_empty_box_edits_the_last_own_message(stage, juno, talked):
    talk = open_talk(stage, juno, talked)
    talk.box.press("ArrowUp")
    expect(talk.page.locator("form.editor textarea")).to_have_value("How is Mochi?")
    expect(talk.page.locator("form.editor textarea")).to_be_focused()


def test_a_drafted_line_is_a_proposal_and_ones_own_text_comes_back(stage, juno, talked):
    stage.provider.queue(Script(text=["Shall we ", "wake her?"]))
    talk = open_talk(stage, juno, talked)
    talk.box.fill("I wanted to say")
    talk.page.locator("#composer-more").click()
    talk.page.locator("#draft-line").click()
    expect(talk.box).to_have_value("Shall we wake her?", timeout=10_000)
    talk.page.get_by_role("button", name="Put mine back").click()
    expect(talk.box).to_have_value("I wanted to say")
    assert own_words(talked) == ["How is Mochi?"]


def test_a_draft_that_fails_says_why_and_leaves_the_box_alone(stage, juno, talked):
    stage.ear.allowed = {502}
    stage.provider.queue(Script(status=401, body={"error": {"message": "no such key"}}))
    talk = open_talk(stage, juno, talked)
    talk.box.fill("I wanted to say")
    talk.page.locator("#composer-more").click()
    talk.page.locator("#draft-line").click()
    expect(talk.page.locator("#drafting")).to_contain_text("key", timeout=10_000)
    expect(talk.box).to_have_value("I wanted to say")
