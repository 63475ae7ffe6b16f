"""Memories in a real browser: in the panel of a chat, on their page, and in step on all devices."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from conversations.models import Conversation
from memories import keeping
from memories.models import Memory
from reverie.accounts.models import User
from tests.browser.axe import serious
from tests.browser.pages import make_house
from tests.browser.stage import Stage
from tests.browser.test_input_methods import COMPOSE, keys_of, press_enter
from tests.browser.test_keyboard import tab_to
from tests.browser.test_pages import DESK, LOOKS, PHONE, WIDER, faults
from tests.factories import make_memory

SOON = 5_000  # ms; one second, with room for a busy machine


def open_panel(stage: Stage, person: User, chat: Conversation, **options: Any) -> Locator:
    """The memory panel of a chat, with its facts."""
    page = stage.open(person, f"/chats/{chat.pk}/", **options)
    panel: Locator = page.locator("#panel")
    if not panel.is_visible():
        page.get_by_role("button", name="Memory").click()
    expect(panel.locator("#memory-list")).to_be_visible()
    return panel


def facts(part: Locator | Page) -> Locator:
    return part.locator("#memory-list .memory")


def save(panel: Locator, text: str) -> None:
    panel.locator("#memory-add textarea").fill(text)
    panel.locator("#memory-add").get_by_role("button", name="Save").click()


def act(row: Locator, name: str) -> None:
    row.hover()
    row.get_by_role("button", name=name, exact=True).click()


@pytest.mark.requirement("P10", "R72", "R84", "X4")
def test_what_is_saved_pinned_edited_deleted_and_undone_is_seen_on_every_device(stage, juno, chat):
    mine, other = (open_panel(stage, juno, chat, viewport=DESK) for _ in range(2))
    page = stage.open(juno, "/memories/")
    save(mine, "The cat is called Mochi")
    for part in (mine, other, page):
        expect(facts(part)).to_contain_text(["The cat is called Mochi"], timeout=SOON)
    expect(mine.locator("#memory-add textarea")).to_have_value("")
    act(facts(mine), "Pin")
    for part in (mine, other, page):
        expect(part.locator("#memory-list .memory.pinned")).to_have_count(1, timeout=SOON)
    expect(other.locator(".meters").first).to_contain_text("1/20")
    facts(mine).get_by_role("link", name="Edit").click()
    mine.locator(".rewriting textarea").fill("The cat is called Momo")
    mine.locator(".rewriting textarea").press("Control+Enter")
    for part in (mine, other, page):
        expect(facts(part)).to_contain_text(["The cat is called Momo"], timeout=SOON)
    act(facts(mine), "Delete")
    for part in (mine, other, page):
        expect(facts(part)).to_have_count(0, timeout=SOON)
    mine.page.locator("#toast button").click()
    for part in (mine, other, page):
        expect(facts(part)).to_contain_text(["The cat is called Momo"], timeout=SOON)
    other.get_by_role("link", name="Activity").click()
    expect(other.locator(".change").first).to_contain_text("You brought back")


@pytest.mark.requirement("P10", "P3")
@pytest.mark.case("C39")
def test_an_open_editor_is_not_torn_away_and_its_text_is_kept(stage, juno, tomori, chat):
    memory = make_memory(juno, tomori)
    make_memory(juno, tomori, "likes tea")
    panel = open_panel(stage, juno, chat, viewport=DESK)
    panel.locator("#memory-add textarea").fill("half a thou")
    row = panel.locator(f"#memory-{memory.pk}")
    row.get_by_role("link", name="Edit").click()
    box = row.locator("textarea")
    box.fill("My own words")
    keeping.edit(juno, memory.pk, "Changed on the phone")
    keeping.pin(juno, Memory.objects.get(text="likes tea").pk)
    expect(panel.locator(".memory.pinned")).to_have_count(1, timeout=SOON)
    expect(box).to_be_focused()
    expect(box).to_have_value("My own words")
    expect(panel.locator("#memory-add textarea")).to_have_value("half a thou")
    stage.ear.allowed = {409}
    row.get_by_role("button", name="Save", exact=True).click()
    expect(row).to_contain_text("Changed on the phone")
    expect(box).to_have_value("My own words")
    row.get_by_role("button", name="Save mine all the same").click()
    expect(facts(panel).filter(has_text="My own words")).to_have_count(1, timeout=SOON)
    row.get_by_role("link", name="Edit").click()
    box.fill("Too late")
    keeping.delete(juno, memory.pk)
    expect(row).to_contain_text("This was deleted meanwhile", timeout=SOON)
    expect(box).to_have_value("Too late")
    box.press("Escape")
    expect(row).to_have_count(0)


@pytest.mark.requirement("P3", "D4")
def test_a_refused_text_stays_through_a_reload_and_can_make_room(stage, juno, tomori, chat):
    for n in range(99):
        make_memory(juno, tomori, f"fact {n}")
    make_memory(juno, tomori, "old news", strength="plain", unused_days=7)
    panel = open_panel(stage, juno, chat, viewport=DESK)
    stage.ear.allowed = {409}
    save(panel, "The cat is called Mochi")
    expect(panel.locator("#memory-add .why")).to_contain_text("100 memories are here already")
    panel.page.reload()
    expect(panel.locator("#memory-add textarea")).to_have_value("The cat is called Mochi")
    panel.locator("#memory-add").get_by_role("button", name="Save").click()
    panel.get_by_role("button", name="Forget this one and save").click()
    expect(facts(panel).first).to_contain_text("The cat is called Mochi", timeout=SOON)
    assert not Memory.objects.filter(text="old news").exists()


@pytest.mark.requirement("D2")
@pytest.mark.case("C13")
def test_the_counter_agrees_with_the_server(stage, juno, tomori, chat):
    panel = open_panel(stage, juno, chat, viewport=DESK)
    box, count = panel.locator("#memory-add textarea"), panel.locator("#memory-add .count")
    for text in (
        "plain",
        "か\u3099き",
        "🫖👩‍👩‍👧",
        " \u3000 a\nb \n",
        "é\u0301",
        "\ufeffa\ufeff",
        "\u2003x",
    ):
        box.fill(text)
        length = len(keeping.worded(text.replace("\n", "\r\n")))
        expect(count).to_have_text(f"{length} of 500")
    box.fill("が" * 501)
    expect(count).to_have_class(re.compile("over"))


@pytest.mark.requirement("X6")
@pytest.mark.case("C67", "C117", "C118")
def test_an_input_methods_enter_neither_saves_nor_searches(stage, juno, tomori, chat):
    make_memory(juno, tomori, "ユノの猫")
    make_memory(juno, tomori, "likes tea")
    panel = open_panel(stage, juno, chat, viewport=DESK)
    keys, box = keys_of(panel.page), panel.locator("#memory-add textarea")
    box.fill("にほん")
    box.evaluate(COMPOSE, "compositionstart")
    box.press("Control+Enter")
    panel.page.wait_for_timeout(300)
    assert Memory.objects.of(juno).count() == 2
    box.evaluate(COMPOSE, "compositionend")
    search = panel.get_by_role("searchbox")
    search.focus()
    search.evaluate(COMPOSE, "compositionstart")
    press_enter(keys, 13)
    search.evaluate("(node) => { node.value = 'ねこ'; }")
    search.evaluate(
        "(node) => node.dispatchEvent(new InputEvent('input', {isComposing: true, bubbles: true}))"
    )
    panel.page.wait_for_timeout(500)
    expect(facts(panel)).to_have_count(2)
    search.evaluate("(node) => { node.value = '猫'; }")
    search.evaluate(COMPOSE, "compositionend")
    expect(facts(panel)).to_contain_text(["ユノの猫"], timeout=SOON)
    expect(facts(panel)).to_have_count(1)


@pytest.mark.requirement("X6")
def test_the_keyboard_alone_is_enough(stage, juno, chat):
    panel = open_panel(stage, juno, chat, viewport=DESK)
    page = panel.page
    tab_to(page, "A new memory")
    page.keyboard.type("The cat is called Mochi")
    page.keyboard.press("Control+Enter")
    expect(facts(panel)).to_have_count(1, timeout=SOON)
    tab_to(page, "Pin")
    tab_to(page, "Edit")
    page.keyboard.press("Enter")
    expect(panel.locator(".rewriting textarea")).to_be_focused()
    page.keyboard.type(", and she is grey")
    page.keyboard.press("Escape")
    expect(facts(panel).get_by_role("link", name="Edit")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(facts(panel).get_by_role("button", name="Unpin")).to_be_focused(timeout=SOON)
    tab_to(page, "Delete")
    page.keyboard.press("Enter")
    expect(page.locator("#toast button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(facts(panel)).to_have_count(1, timeout=SOON)


def test_on_a_phone_the_panel_is_a_sheet_that_opens_and_closes(stage, juno, tomori, chat):
    make_memory(juno, tomori)
    page = stage.open(juno, f"/chats/{chat.pk}/", viewport=PHONE, has_touch=True, is_mobile=True)
    panel, button = page.locator("#panel"), page.get_by_role("button", name="Memory")
    expect(panel).to_be_hidden()
    button.tap()
    expect(facts(panel)).to_have_count(1)
    assert panel.bounding_box()["width"] == PHONE["width"]
    facts(panel).get_by_role("button", name="Delete").tap()
    page.get_by_role("button", name="Undo").tap()
    expect(facts(panel)).to_have_count(1, timeout=SOON)
    panel.get_by_role("button", name="Close").tap()
    expect(panel).to_be_hidden()
    expect(button).to_be_focused()


def test_a_closed_panel_stays_closed_on_this_device(stage, juno, chat):
    panel = open_panel(stage, juno, chat, viewport=DESK)
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    panel.page.reload()
    expect(panel).to_be_hidden()
    panel.page.get_by_role("button", name="Memory").click()
    expect(panel).to_be_visible()


@pytest.mark.requirement("X6")
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_panel_is_accessible_and_fits_with_an_editor_open(stage, juno, language):
    juno.language = language
    juno.save()
    house = make_house(juno)
    page = stage.open(juno, f"/chats/{house.chat.pk}/", viewport=DESK, locale=language)
    panel = page.locator("#panel")
    panel.locator(f"#memory-{house.memory.pk} [data-way=edit]").click()
    panel.locator(".rewriting textarea").wait_for()
    wrong = faults(page, language)
    for number in (2, 0):
        page.set_viewport_size(DESK)
        panel.locator(".tabs a").nth(number).click()
        panel.locator(".change, .story").first.wait_for()
        wrong += faults(page, language)
    page.set_viewport_size(PHONE)
    page.locator("#panel-toggle").click()
    for scheme, _ in LOOKS[:2]:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        wrong += [*page.evaluate(WIDER), *serious(page)]
    assert not wrong, "\n".join(wrong)
