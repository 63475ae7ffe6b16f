"""Scenes for the README, written to docs/images by `python -m tests.browser.pictures`."""

from base64 import b64encode
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from PIL import Image, ImageOps
from playwright.sync_api import FilePayload, Page, expect

from characters import demo
from characters.models import Character
from conversations import turns
from conversations.models import Conversation, Message, Reply
from memories import embedding
from reverie.accounts.models import User
from tests.browser.stage import Stage
from tests.browser.talk import path_of
from tests.characters.corpus import card, raw, text_chunk
from tests.factories import make_memory, make_user, say

IMAGES = Path(__file__).parents[2] / "docs" / "images"
DESK: dict[str, Any] = {"viewport": {"width": 1360, "height": 880}}

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


USAGE = {"prompt_tokens": 1_482, "completion_tokens": 64, "cached_tokens": 1_104}

KNOWN: list[tuple[str, dict[str, Any]]] = [
    ("Almanac the cat sleeps on the books", {"unused_days": 7}),
    ("Juno promised to bring back the lamp oil", {}),
    ("Juno lost a red glove on the path", {"unused_days": 7}),
    ("Juno takes tea without sugar", {"unused_days": 4}),
    ("Juno's sister Maron keeps bees", {"pinned": True}),
]
KNOWN_BY_ALL: list[tuple[str, dict[str, Any]]] = [
    ("Juno is allergic to hazelnuts", {"pinned": True})
]
KNOWN_IN_THE_CAFE: list[tuple[str, dict[str, Any]]] = [
    ("凪さんは雨の日の散歩が好き", {"unused_days": 2}),
    ("妹の麻論さんは東京で暮らしている", {"pinned": True}),
]

LAMP = {
    "name": "Odile Marsh",
    "description": "{{char}} winds the clocks of a town that nobody hurries through.",
    "personality": "Exact, gentle, easily amused.",
    "scenario": "A workshop at dusk, forty clocks, none of them agreeing.",
    "first_mes": "You are early, {{user}}. Or they are all late. Sit down and we shall see.",
    "mes_example": "<START>",
    "alternate_greetings": ["Hold this spring. Do not let go."],
    "tags": "cosy, clocks",
    "creator": "juno",
    "extensions": {"chime": {"every": 15}},
    "character_book": {"entries": [{"keys": ["belfry"], "content": "It has been shut for years."}]},
}


def make_talk(person: User, name: str, lines: list[tuple[str, str]]) -> Conversation:
    """A talk with one of the demo characters, a few minutes long, that searches its memories."""
    chat = turns.begin(person, Character.objects.of(person).get(name=name))
    for said, answered in lines:
        prepared = turns.prepare(say(chat, said).reply.pk, embedding.query(said))
        assert prepared
        outcome = turns.Outcome(Reply.Status.DONE, answered)
        assert turns.close(prepared.reply_id, prepared.attempt, outcome)
    Reply.objects.filter(conversation=chat).update(**USAGE, cost="0.0031")
    messages = list(Message.objects.within(chat))
    for back, message in enumerate(reversed(messages)):
        message.created_at = timezone.now() - timedelta(minutes=1 + 2 * back)
    Message.objects.bulk_update(messages, ["created_at"])
    return chat


def remember(person: User, name: str | None, facts: list[tuple[str, dict[str, Any]]]) -> None:
    """Memories of one character, or of all, as some weeks of talk have left them."""
    character = Character.objects.of(person).get(name=name) if name else None
    for days, (text, told) in enumerate(facts):
        added = timezone.now() - timedelta(days=20 - 3 * days)
        make_memory(person, character, text, created_at=added, updated_at=added, **told)
    while embedding.take_step():
        pass


def portrait() -> bytes:
    """A lamp in the dusk, for a card."""
    glow = Image.radial_gradient("L").resize((256, 256))
    kept = BytesIO()
    ImageOps.colorize(glow, "#ffdf9e", "#241f45", "#8a5a66").save(kept, "PNG")
    return kept.getvalue()


def to_the_end(page: Page) -> None:
    page.locator("#scroll").evaluate("(node) => { node.scrollTop = node.scrollHeight; }")


def take(page: Page, name: str) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    page.mouse.move(1, 1)
    page.wait_for_timeout(400)
    page.screenshot(path=IMAGES / name)


@pytest.fixture(autouse=True)
def searched(settings: Any) -> None:
    """Memories are searched with the model that comes along."""
    settings.EMBEDDING_MODEL = ""


@pytest.mark.usefixtures("db")
def test_a_talk_in_english_by_day_with_what_is_remembered(stage: Stage) -> None:
    person = make_user("Juno", language="en", time_zone="America/New_York")
    demo.welcome(person)
    make_talk(person, "白瀬 灯", CAFE)
    make_talk(person, "Captain Ilse Varga", [("We look.", "Good. Strap in.")])
    remember(person, "Juniper Hale", KNOWN)
    remember(person, None, KNOWN_BY_ALL)
    chat = make_talk(person, "Juniper Hale", LIGHTHOUSE)
    page = stage.open(person, path_of(chat), color_scheme="light", locale="en", **DESK)
    expect(page.locator(".message")).to_have_count(7)
    expect(page.locator("#memory-list .memory")).to_have_count(len(KNOWN))
    expect(page.locator("#budget .sum")).to_be_visible()
    to_the_end(page)
    take(page, "chat.png")
    page.locator(".message").last.locator(".chip").click()
    expect(page.locator("#prompt .recalled")).to_be_visible()
    take(page, "remembered.png")


@pytest.mark.usefixtures("db")
def test_a_talk_in_japanese_by_night_on_a_phone(stage: Stage) -> None:
    person = make_user("凪", language="ja", time_zone="America/New_York")
    demo.welcome(person)
    remember(person, "白瀬 灯", KNOWN_IN_THE_CAFE)
    chat = make_talk(person, "白瀬 灯", CAFE)
    size = {"width": 360, "height": 772}
    look = {"viewport": size, "color_scheme": "dark", "locale": "ja", "device_scale_factor": 2}
    page = stage.open(person, path_of(chat), has_touch=True, is_mobile=True, **look)
    expect(page.locator(".message")).to_have_count(5)
    to_the_end(page)
    take(page, "chat-ja.png")


@pytest.mark.usefixtures("db")
def test_a_card_is_looked_into_by_night(stage: Stage) -> None:
    person = make_user("Juno", language="en", time_zone="America/New_York")
    chunk = text_chunk("chara", b64encode(raw(card(**LAMP))))
    picture = portrait()
    file = FilePayload(
        name="odile.png", mimeType="image/png", buffer=picture[:33] + chunk + picture[33:]
    )
    look = {"viewport": {"width": 1024, "height": 1120}, "color_scheme": "dark", "locale": "en"}
    page = stage.open(person, "/characters/import/", **look)
    page.get_by_label("Card").set_input_files(files=[file])
    page.get_by_role("button", name="Look into it").click()
    expect(page.locator(".parts tbody tr").first).to_be_visible()
    take(page, "card.png")
