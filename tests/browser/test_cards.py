"""A card through the page: looked at, named, kept, and taken out again."""

import json

import pytest
from playwright.sync_api import FilePayload, expect

from characters.models import Bond, CardDraft, Character
from tests.browser.stage import Stage
from tests.characters.corpus import card, png_of, raw
from tests.factories import make_character


@pytest.mark.case("C78", "C81", "C83", "C89")
def test_a_card_is_looked_at_named_kept_and_taken_out_again(stage: Stage, juno):
    told = card(name="", tags="band, sea", character_book={"entries": {"0": {"keys": ["amp"]}}})
    file = FilePayload(name="Little Band.png", mimeType="image/png", buffer=png_of(told))
    page = stage.open(juno, "/characters/")
    page.get_by_role("link", name="Import a card").click()
    page.get_by_label("Card").set_input_files(files=[file])
    page.get_by_role("button", name="Look into it").click()
    expect(page.get_by_label("Name")).to_have_value("Little Band")
    rows = page.locator(".parts tbody tr")
    expect(rows.filter(has_text="tags")).to_contain_text("split at the commas")
    expect(rows.filter(has_text="first_mes")).to_contain_text("Greeting")
    expect(rows.filter(has_text="extensions.z")).to_contain_text("Stored, not used yet")
    expect(rows.filter(has_text="character_book").first).to_contain_text("1 entry.")
    assert not Character.objects.of(juno).filter(name="Little Band").exists()
    page.get_by_label("Name").fill("Tomori")
    page.get_by_role("button", name="Save this character").click()
    expect(page.locator(".notice")).to_contain_text("Tomori is saved.")
    assert not CardDraft.objects.exists()
    page.get_by_role("link", name="Export").click()
    with page.expect_download() as loading:
        page.get_by_role("link", name="Text (JSON, version 3)").click()
    assert loading.value.suggested_filename == "Tomori.json"
    taken = json.loads(loading.value.path().read_bytes())["data"]
    assert taken["extensions"] == told["data"]["extensions"]
    assert taken["name"] == "Tomori"


@pytest.mark.requirement("A7")
def test_a_file_without_a_card_is_refused_on_its_page_in_words(stage: Stage, juno):
    stage.ear.allowed = {422}
    page = stage.open(juno, "/characters/import/")
    world = raw({"entries": {}})
    file = FilePayload(name="x.json", mimeType="application/json", buffer=world)
    page.get_by_label("Card").set_input_files(files=[file])
    page.get_by_role("button", name="Look into it").click()
    expect(page.locator(".errorlist")).to_contain_text("There is no character card in this file.")


@pytest.mark.case("C65")
def test_tokens_and_letters_are_counted_while_one_types(stage: Stage, juno):
    character = make_character(juno, description="")
    page = stage.open(juno, f"/characters/{character.pk}/")
    count = page.locator("[data-tokens=description]")
    expect(count).to_have_text("0")
    page.get_by_label("Description").fill("A small band by the sea. " * 10)
    expect(count).not_to_have_text("0")
    expect(page.locator("[data-tokens=total]")).to_have_text(count.inner_text())
    page.get_by_label("What is between you").fill("𠮷" * 3)
    expect(page.locator("[data-counts]")).to_have_text("3/4000")
    page.get_by_label("What is between you").fill("x" * 4_001)
    expect(page.locator("[data-counts]")).to_have_class("count over")


def test_a_bond_is_kept_from_the_characters_own_page_by_keyboard_alone(stage: Stage, juno):
    character = make_character(juno)
    page = stage.open(juno, f"/characters/{character.pk}/")
    page.get_by_label("What is between you").fill("Old friends.")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".notice")).to_contain_text("is saved")
    bond = Bond.objects.get()
    assert (bond.note, bond.learns, bond.memory_detail) == ("Old friends.", False, "detailed")


def test_the_menu_of_a_character_opens_and_closes_by_keyboard(stage: Stage, juno):
    make_character(juno, "Mochi")
    page = stage.open(juno, "/characters/")
    summary = page.get_by_label("More about Mochi")
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Duplicate").last).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Duplicate")).to_have_count(0)
    expect(summary).to_be_focused()
