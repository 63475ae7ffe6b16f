"""The first minutes of a newcomer, from the link in the console to a reply and what was sent."""

import os
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation
from playwright.sync_api import FilePayload, Page, expect

from conversations.models import Conversation
from memories.models import Memory
from reverie.accounts import signin
from tests.browser.stage import Stage
from tests.browser.talk import Talk, open_talk, stored_reply
from tests.browser.test_models import USAGE
from tests.browser.test_pages import DESK, PHONE, WIDER, english_on
from tests.characters.corpus import card, png_of
from tests.reverie.test_models_test import CALLS
from tests.scripted import Script

PASSWORD = "a door of our own 7"


@dataclass(frozen=True)
class Newcomer:
    """Who comes for the first time, with which device, and what is said."""

    language: str
    device: dict[str, Any]
    card: dict[str, Any]
    talk: tuple[str, str]
    fact: str
    question: tuple[str, str]


IN_ENGLISH = Newcomer(
    "en",
    {"viewport": DESK, "color_scheme": "light"},
    {"tagline": "Sings in a small band by the sea", "first_mes": "You found us. Mind the cables."},
    ("I brought my cat along.", "*She kneels down at once.* And who is this?"),
    "The cat is called Mochi",
    ("Guess where she is now?", "Mochi? Asleep on my amp, as always."),
)
IN_JAPANESE = Newcomer(
    "ja",
    {"viewport": PHONE, "color_scheme": "dark", "has_touch": True, "is_mobile": True},
    {
        "name": "燈",
        "description": "{{char}}は海辺の町の、小さなバンドで歌っている。",
        "personality": "静かで、よく人を見ている。",
        "scenario": "放課後の練習室。",
        "first_mes": "来てくれたんだ。足もとのコード、気をつけて。",
        "alternate_greetings": [],
        "tags": ["バンド"],
    },
    ("うちの猫も連れてきたよ。", "*すぐにしゃがみこむ。*この子、名前は？"),
    "猫の名前はもち",
    ("いま、どこにいると思う？", "もちなら、アンプの上で寝てるよ。いつもみたいに。"),
)


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


@dataclass
class Story:
    """The first ten minutes on one device, told in the words of the pages themselves."""

    stage: Stage
    who: Newcomer
    page: Page
    stations: int = 0

    def say(self, text: str) -> str:
        with translation.override(self.who.language):
            return translation.gettext(text)

    def press(self, name: str, role: Any = "button") -> None:
        """What is named so, on the page or in what lies open above it."""
        self.page.get_by_role(role, name=self.say(name), exact=True).first.click()

    def station(self, name: str) -> None:
        """The page fits its device, and is recorded where REVERIE_SHOTS says."""
        self.stations += 1
        assert self.page.evaluate(WIDER) == [], f"{name} is wider than the device"
        if self.who.language == "ja":
            assert english_on(self.page) == [], f"{name} is not all Japanese"
        if folder := os.environ.get("REVERIE_SHOTS"):
            self.page.wait_for_timeout(300)  # what moves has come to rest
            file = f"{self.who.language}-{self.stations:02}-{name}.png"
            self.page.screenshot(path=Path(folder) / file)


def come_in(story: Story) -> None:
    page = story.page
    story.station("link")
    story.press("Come in")
    page.wait_for_url("**/settings/**")
    for box in page.locator("#password input[type=password]").all():
        box.fill(PASSWORD)
    story.station("password")
    story.press("Set password")
    expect(page.locator(".notice").first).to_contain_text(story.say("Your password is set."))
    page.goto("/")
    expect(page.locator(".person")).to_have_count(3)
    story.station("home")


def import_a_card(story: Story) -> None:
    page, told = story.page, card(**story.who.card)
    file = FilePayload(name="Tomori.png", mimeType="image/png", buffer=png_of(told))
    page.goto("/characters/")
    story.press("Import a card", "link")
    page.locator("input[type=file]").set_input_files(files=[file])
    story.station("import")
    story.press("Look into it")
    expect(page.locator(".parts tbody tr").filter(has_text="first_mes")).to_be_visible()
    story.station("preview")
    story.press("Save this character")
    expect(page.locator(".notice").first).to_contain_text(told["data"]["name"])
    story.station("character")


def connect_a_model(story: Story) -> None:
    page, provider = story.page, story.stage.provider
    page.goto("/")
    page.locator(".first-step").get_by_role("link").click()
    page.locator(".kinds li a").last.click()
    page.locator("[name=base_url]").fill(provider.base_url)
    page.locator("[name=api_key]").fill("sk-0123456789-lamp")
    page.locator("[name=model]").fill("scripted")
    page.locator("[name=label]").fill("Lamplight")
    page.locator("[name=price_sent]").fill("10")
    page.locator("[name=price_written]").fill("20")
    story.station("connect")
    story.press("Save")
    model = page.locator(".model").first
    expect(model.locator(".mark")).to_have_text(story.say("default"))
    provider.queue(Script(), CALLS)
    story.press("Test")
    expect(model.locator(".verdict")).to_have_text(story.say("It works."))
    expect(model.locator(".checks .bad")).to_have_count(0)
    story.station("tested")


def talk_with(story: Story) -> Talk:
    page, (said, answered) = story.page, story.who.talk
    page.goto("/characters/")
    page.locator(".person").first.locator("form button").first.click()
    talk = Talk(page)
    expect(talk.words).to_contain_text(story.who.card["first_mes"])
    expect(page.locator("#demo")).to_be_hidden()
    story.station("greeting")
    exchange_in(story, talk, said, answered)
    story.station("reply")
    return talk


def exchange_in(story: Story, talk: Talk, said: str, answered: str) -> None:
    """Say something and see the answer come."""
    half = len(answered) // 2
    script = Script(text=[answered[:half], answered[half:]], delay=0.1, usage=USAGE)
    story.stage.provider.queue(script)
    talk.box.fill(said)
    talk.send_button.click()
    expect(talk.said(said)).to_be_visible()
    talk.await_words(answered.rpartition("*")[2])
    talk.await_reply()


def save_and_pin(story: Story) -> None:
    page, who = story.page, story.who
    panel = page.locator("#panel")
    if not panel.is_visible():
        page.locator("#panel-toggle").click()
    panel.locator("#memory-add textarea").fill(who.fact)
    panel.locator("#memory-add .under button").click()
    row = panel.locator("#memory-list .memory")
    expect(row).to_contain_text(who.fact)
    story.station("saved")
    row.hover()
    row.locator("[data-way=pin]").click()
    expect(panel.locator("#memory-list .memory.pinned")).to_contain_text(who.fact)
    story.station("pinned")
    if who.device.get("is_mobile"):
        panel.locator("#panel-close").click()


def look_into_the_chip(story: Story, talk: Talk) -> None:
    page, who = story.page, story.who
    exchange_in(story, talk, *who.question)
    chip = talk.last.locator(".acts .chip")
    expect(chip).to_have_text(story.say("Remembered {number}").format(number=1))
    talk.last.hover()
    story.station("chip")
    chip.click()
    dialog = page.locator("#prompt")
    remembered = dialog.locator(".recalled li")
    expect(remembered).to_have_count(1)
    expect(remembered).to_contain_text(who.fact)
    expect(remembered).to_contain_text(story.say("pinned: always sent"))
    expect(dialog.locator(".facts")).to_contain_text("$0.022")
    story.station("remembered")


@pytest.mark.requirement("X1", "X6", "A6", "R84")
@pytest.mark.parametrize("who", [IN_ENGLISH, IN_JAPANESE], ids=["desk", "phone"])
def test_the_first_ten_minutes_lead_from_the_link_to_a_fact_in_a_reply(bare_stage, who):
    link = signin.link_path(signin.first_owner())
    page = bare_stage.open(None, link, locale=who.language, **who.device)
    story = Story(bare_stage, who, page)
    for scene in (come_in, import_a_card, connect_a_model):
        scene(story)
    talk = talk_with(story)
    save_and_pin(story)
    look_into_the_chip(story, talk)
    assert Memory.objects.get().pinned
    assert stored_reply(Conversation.objects.get()).cost == Decimal("0.022")
    sent = bare_stage.provider.last.json["messages"]
    assert any(who.fact in message["content"] for message in sent)
