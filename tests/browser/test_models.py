"""From the demo to a model of one's own, through the pages, and a chat's own settings."""

from decimal import Decimal

import pytest
from playwright.sync_api import expect

from characters.models import Bond
from reverie.providers.models import ConnectedModel
from tests.browser.stage import Stage
from tests.browser.talk import Talk, open_talk, path_of, stored_reply
from tests.factories import make_character, make_conversation, make_model, make_persona, make_user
from tests.reverie.test_models_test import CALLS
from tests.scripted import Script

USAGE = {"prompt_tokens": 2000, "completion_tokens": 100}


@pytest.mark.requirement("A6", "A9")
def test_the_owner_connects_a_model_tests_it_and_talks_with_it(bare_stage: Stage) -> None:
    owner = make_user("juno", is_staff=True, is_superuser=True)
    chat = make_conversation(owner, make_character(owner))
    provider, page = bare_stage.provider, bare_stage.open(owner, "/")
    page.locator(".first-step").get_by_role("link", name="Connect a model").click()
    page.get_by_role("link", name="Another one").click()
    page.get_by_label("Address").fill(provider.base_url)
    page.get_by_label("Key", exact=True).fill("sk-0123456789-lamp")
    page.get_by_role("button", name="Which models does it offer?").click()
    expect(page.locator("#offers")).to_contain_text("It offers 1 model")
    page.get_by_label("Model", exact=True).fill("scripted")
    page.get_by_label("Name for people").fill("Lamplight")
    page.get_by_label("Sent", exact=True).fill("10")
    page.get_by_label("Written").fill("20")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".notice")).to_contain_text("Lamplight is saved")
    provider.queue(Script(status=401, body={"error": {"message": "no"}}), Script(), CALLS)
    mine = page.locator(".model").first
    mine.get_by_role("button", name="Test").click()
    expect(mine).to_contain_text("The provider does not accept this key.")
    mine.get_by_role("button", name="Test").click()
    expect(mine).to_contain_text("It calls tools")
    expect(mine.locator(".stands")).to_contain_text("Worked when it was tested")
    page.goto(path_of(chat))
    expect(page.locator("#demo")).to_be_hidden()
    provider.queue(Script(text=["She is ", "asleep."], usage=USAGE))
    talk = Talk(page)
    talk.say("How is Mochi?")
    talk.await_words("asleep.")
    talk.await_reply()
    assert stored_reply(chat).cost == Decimal("0.022")
    talk.last.hover()
    talk.last.get_by_role("link", name="Remembered 0").click()
    expect(page.get_by_role("dialog", name="What this reply was made from")).to_contain_text(
        "$0.022"
    )
    assert provider.last.headers["authorization"] == "Bearer sk-0123456789-lamp"


@pytest.mark.requirement("R55", "P10")
def test_a_chat_is_set_up_by_keyboard_alone_and_the_other_tab_follows(
    stage: Stage, juno, chat
) -> None:
    make_persona(juno, "Rin")
    make_model("Lamplight", base_url=stage.provider.base_url, model="lamp-1")
    talk, other = open_talk(stage, juno, chat), open_talk(stage, juno, chat)
    page = talk.page
    page.get_by_role("button", name="More", exact=True).press("Enter")
    page.get_by_role("link", name="Chat settings…").press("Enter")
    dialog = page.get_by_role("dialog", name="Chat settings")
    expect(dialog.get_by_label("You are")).to_be_focused()
    page.keyboard.type("Rin")
    page.keyboard.press("Tab")
    page.keyboard.type("Lamplight")
    page.keyboard.press("Tab")
    page.keyboard.type("0.5")
    page.keyboard.press("Tab")
    expect(dialog.get_by_role("slider")).to_have_value("0.5")
    page.keyboard.press("ArrowRight")
    expect(dialog.get_by_role("spinbutton", name="Temperature")).to_have_value("0.55")
    page.keyboard.press("Tab")
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    expect(dialog.locator(".errorlist")).to_contain_text("64")
    dialog.get_by_label("Longest reply").fill("200")
    dialog.get_by_label("Learn from chat").press("Space")
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    for tab in (page, other.page):
        expect(tab.locator("#worn")).to_have_text("You are Rin")
    stage.provider.queue(Script(text=["Rin, then."]))
    other.say("Hello")
    other.await_words("Rin, then.")
    expect(other.said("Hello").locator(".name")).to_have_text("Rin")
    sent = stage.provider.last.json
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("lamp-1", 0.55, 200)
    assert Bond.objects.get(user=juno).learns is False
    assert ConnectedModel.objects.get().conversations.get() == chat


def test_a_reply_that_reached_its_length_says_so_and_goes_on(stage: Stage, juno, chat) -> None:
    stage.provider.queue(
        Script(text=["Once upon ", "a time"], finish="length"), Script(text=[" there was a cat."])
    )
    talk = open_talk(stage, juno, chat)
    talk.say("Tell me a story")
    talk.await_words("a time")
    expect(talk.last.locator(".state")).to_have_text("Cut at the length that was set")
    talk.last.get_by_role("button", name="Continue").click()
    talk.await_words("there was a cat.")
    expect(talk.last.locator(".state")).to_have_text("")
