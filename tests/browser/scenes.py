"""Scenes for the README, written to docs/images by `python -m tests.browser.pictures`."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from characters import demo
from characters.models import Character
from conversations import turns
from conversations.models import Conversation, Message
from reverie.accounts.models import User
from tests.browser.stage import Stage
from tests.browser.talk import path_of
from tests.factories import exchange, make_user

IMAGES = Path(__file__).parents[2] / "docs" / "images"

LIGHTHOUSE = [
    (
        "Tea, please. It is really coming down out there — I nearly missed the path.",
        "*She fills the second mug without asking how you take it, and is right.*\n\n"
        "Most people miss it once. The ones who come back, I keep. What were you hoping to find "
        "up here — a book, or a reason not to be on the road?",
    ),
    (
        "A book, I think. Something about bees? My sister Maron has started keeping them.",
        "*Green ink, a card, a small nod.* Bees it is. Two worth the walk:\n\n"
        "- **The Hive in Winter** — patient, a little sad, very good on silence\n"
        "- **Letters to a Beekeeper** — for reading aloud, ideally to the bees\n\n"
        "Take the second one to Maron, and tell her the cat has approved the loan.",
    ),
    (
        "Almanac is asleep on it.",
        "*Without looking up.* Then it is the right one. Slide it out from the tail end; "
        "she never minds that way round.",
    ),
]
CAFE = [
    (
        "こんばんは。まだ開いていますか？",
        "*カウンターの灯りを、ひとつだけ明るくする。*\n\nちょうど湯が沸いたところです。"
        "濡れたでしょう、どうぞ奥の席へ。今夜は何にしましょう。",
    ),
    (
        "コーヒーを。明日、妹の麻論が東京から帰ってくるんです。",
        "*豆を挽く手が、少しだけ止まる。*\n\nそれは、いい夜ですね。では**浅煎り**にしましょう。"
        "眠れなくても、誰も困らない夜ですから。",
    ),
]


def make_talk(person: User, name: str, lines: list[tuple[str, str]]) -> Conversation:
    """A talk with one of the demo characters, a few minutes long."""
    chat = turns.begin(person, Character.objects.of(person).get(name=name))
    for said, answered in lines:
        exchange(chat, said, answered)
    messages = list(Message.objects.within(chat))
    for back, message in enumerate(reversed(messages)):
        message.created_at = timezone.now() - timedelta(minutes=1 + 2 * back)
    Message.objects.bulk_update(messages, ["created_at"])
    return chat


def take(page: Page, name: str) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    page.locator("#scroll").evaluate("(node) => { node.scrollTop = node.scrollHeight; }")
    page.mouse.move(1, 1)
    page.wait_for_timeout(400)
    page.screenshot(path=IMAGES / name)


@pytest.mark.usefixtures("db")
def test_a_talk_in_english_by_day(stage: Stage) -> None:
    person = make_user("Juno", language="en")
    demo.welcome(person)
    make_talk(person, "白瀬 灯", CAFE)
    make_talk(person, "Captain Ilse Varga", [("We look.", "Good. Strap in.")])
    chat = make_talk(person, "Juniper Hale", LIGHTHOUSE)
    size = {"width": 1280, "height": 795}
    page = stage.open(person, path_of(chat), viewport=size, color_scheme="light", locale="en")
    expect(page.locator(".message")).to_have_count(7)
    take(page, "chat.png")


@pytest.mark.usefixtures("db")
def test_a_talk_in_japanese_by_night_on_a_phone(stage: Stage) -> None:
    person = make_user("凪", language="ja")
    demo.welcome(person)
    chat = make_talk(person, "白瀬 灯", CAFE)
    size = {"width": 360, "height": 772}
    look = {"viewport": size, "color_scheme": "dark", "locale": "ja", "device_scale_factor": 2}
    page = stage.open(person, path_of(chat), has_touch=True, is_mobile=True, **look)
    expect(page.locator(".message")).to_have_count(5)
    take(page, "chat-ja.png")
