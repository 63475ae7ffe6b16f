"""The first minutes of a newcomer, from the link in the console to a reply and what was sent."""

import re

import pytest
from playwright.sync_api import expect

from conversations.models import Conversation
from reverie.accounts import signin
from tests.browser.stage import Stage
from tests.browser.talk import Talk, open_talk, stored_reply
from tests.scripted import Script

PASSWORD = "a door of our own 7"


@pytest.mark.requirement("X1")
def test_a_newcomer_comes_in_by_the_link_and_talks_with_the_demo(demo_stage):
    page = demo_stage.open(None, signin.link_path(signin.first_owner()))
    page.get_by_role("button", name="Come in").click()
    expect(page.locator(".notice")).to_contain_text("set a password")
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label(re.compile("confirmation", re.IGNORECASE)).fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    expect(page.locator(".notice")).to_contain_text("Your password is set.")
    page.goto("/")
    expect(page.locator(".person")).to_have_count(3)
    page.get_by_role("button", name="Talk with Juniper Hale").click()
    talk = Talk(page)
    expect(talk.words).to_contain_text("Come in, come in")
    expect(page.locator(".composer .demo")).to_contain_text("Demo, no AI")
    talk.say("I have a cat called Mochi.")
    talk.await_reply()
    reply = stored_reply(Conversation.objects.get())
    expect(talk.words).to_contain_text(reply.text.split("\n")[0])
    assert reply.status == "done"


def test_the_link_works_once(demo_stage):
    path = signin.link_path(signin.first_owner())
    page = demo_stage.open(None, path)
    page.get_by_role("button", name="Come in").click()
    page.wait_for_url("**/settings/**")
    demo_stage.ear.allowed = {404}
    again = demo_stage.open(None, path)
    expect(again.get_by_role("heading")).to_have_text("This link is used up")


@pytest.mark.requirement("X1")
def test_the_dialog_shows_the_prompt_word_for_word_as_the_provider_got_it(stage: Stage, juno, chat):
    stage.provider.queue(Script(text=["She is ", "**asleep**", " on my amp."], delay=0.05))
    talk = open_talk(stage, juno, chat)
    talk.say("How is Mochi?\n\nAnd <b>you</b>?")
    talk.await_words("on my amp.")
    talk.await_reply()
    expect(talk.words.locator("strong")).to_have_text("asleep")
    talk.last.hover()
    talk.last.get_by_role("link", name="Remembered 0").click()
    dialog = talk.page.get_by_role("dialog", name="What this reply was made from")
    dialog.get_by_text("Word for word, as it was sent").click()
    shown = [block.text_content() for block in dialog.locator("details.exact pre").all()]
    sent = stage.provider.last.json["messages"]
    assert shown == [message["content"] for message in sent]
    assert shown[-1] is not None
    assert shown[-1].endswith("How is Mochi?\n\nAnd <b>you</b>?")
    talk.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
