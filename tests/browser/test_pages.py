"""Every page, in both languages, by day and by night, on a phone and on a desk."""

import re
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Literal

import pytest
from django.conf import settings
from playwright.sync_api import Page, ViewportSize

from tests.browser.axe import serious
from tests.browser.pages import make_house, operator_paths, paths
from tests.factories import make_model

DESK: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 360, "height": 740}
Look = tuple[Literal["light", "dark"], ViewportSize]
LOOKS: list[Look] = [("light", DESK), ("dark", PHONE), ("dark", DESK), ("light", PHONE)]
# Which two of the four looks axe reads: both schemes and both widths, the other way round in ja.
READ_BY_AXE = {"en": LOOKS[:2], "ja": LOOKS[2:]}
WIDER = """() => {
  const width = document.documentElement.clientWidth;
  const wide = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth);
  if (wide <= width) return [];
  return [...document.querySelectorAll("body *")]
    .filter((node) => node.getBoundingClientRect().right > width + 1)
    .map((node) => `${node.tagName}.${node.className}`).slice(0, 5).concat("scrolls sideways");
}"""
TEXTS = """() => {
  const found = [];
  const read = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (/^(SCRIPT|STYLE)$/.test(node.tagName)) continue;
      if ((node.closest("[lang]")?.lang ?? "ja") !== "ja") continue; // said to be in English
      for (const child of node.childNodes) if (child.nodeType === 3) found.push(child.data);
      for (const name of ["aria-label", "title", "placeholder", "alt"])
        if (node.getAttribute(name)) found.push(node.getAttribute(name));
      if (node instanceof HTMLTemplateElement) read(node.content);
    }
  };
  read(document);
  return found.map((text) => text.replace(/\\s+/g, " ").trim()).filter(Boolean);
}"""


@cache
def english_patterns() -> list[re.Pattern[str]]:
    """What no Japanese page may say: every sentence that has another form in Japanese."""
    catalogue = Path(settings.LOCALE_PATHS[0]) / "ja" / "LC_MESSAGES" / "django.mo"
    with catalogue.open("rb") as file:
        known = GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    texts = {key[0] if isinstance(key, tuple) else key: said for key, said in known.items()}
    changed = [key for key, said in texts.items() if key and key != said and len(key) > 2]
    return [_pattern(key) for key in changed if re.search("[A-Za-z]{3}", key)]


def _pattern(text: str) -> re.Pattern[str]:
    pieces = re.split(r"%\(\w+\)[sd]|\{\w+\}|%[sd]|<[^>]+>", re.sub(r"\s+", " ", text).strip())
    # Without much of its own, a sentence with gaps would be found in everything.
    if len(pieces) > 1 and sum(map(len, pieces)) < 8:
        return re.compile(re.escape(text))
    return re.compile(".+".join(re.escape(piece) for piece in pieces))


def english_on(page: Page) -> list[str]:
    texts = set(page.evaluate(TEXTS))
    return [text for text in texts if any(p.fullmatch(text) for p in english_patterns())]


def faults(page: Page, language: str) -> list[str]:
    """Everything that is wrong with the page that is open."""
    wrong = []
    if page.locator("html").get_attribute("lang") != language:
        wrong.append("its language is not told")
    if language == "ja":
        wrong += [f"English: {text}" for text in english_on(page)]
    for scheme, size in LOOKS:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size(size)
        look = f"{scheme} {size['width']}"
        wrong += [f"{look}: {what}" for what in page.evaluate(WIDER)]
        if (scheme, size) in READ_BY_AXE[language]:
            wrong += [f"{look}: {what}" for what in serious(page)]
    return [f"{page.url}: {what}" for what in wrong]


def walk(stage, person, found: list[str], language: str) -> list[str]:
    page = stage.device(person, locale=language).new_page()
    wrong: list[str] = []
    for path in found:
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        wrong += faults(page, language)
    return wrong


@pytest.mark.requirement("X6")
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_page_fits_is_accessible_and_speaks_one_language(stage, juno, language):
    juno.language = language
    juno.save()
    wrong = walk(stage, juno, paths(make_house(juno)), language)
    assert not wrong, "\n".join(wrong)


@pytest.mark.requirement("X6")
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_page_of_who_runs_the_site_does_so_too(stage, juno, language):
    juno.language, juno.is_superuser = language, True
    juno.save()
    model = make_model("Zzyzx", "sk-0123456789-zzyzx", price_sent=2, price_written=8)
    make_model("Zzyzx zzyzx", enabled=False)
    wrong = walk(stage, juno, operator_paths(model), language)
    assert not wrong, "\n".join(wrong)


@pytest.mark.requirement("X6")
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_page_for_strangers_fits_is_accessible_and_speaks_one_language(stage, juno, language):
    stage.ear.allowed = {404}
    wrong = walk(stage, None, paths(make_house(juno), signed_in=False), language)
    assert not wrong, "\n".join(wrong)


@pytest.mark.requirement("X6")
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_dialog_of_the_chat_is_accessible_and_fits(stage, juno, language):
    juno.language = language
    juno.save()
    house = make_house(juno)
    page = stage.open(juno, f"/chats/{house.chat.pk}/")
    wrong: list[str] = []
    for dialog in page.locator("dialog:not(#ask)").all():
        dialog.evaluate("(node) => node.showModal()")
        wrong += faults(page, language)
        dialog.evaluate("(node) => node.close()")
    assert not wrong, "\n".join(wrong)


@pytest.mark.requirement("X6")
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_menu_and_the_editor_of_the_chat_are_accessible_and_fit(stage, juno, language):
    juno.language = language
    juno.save()
    house = make_house(juno)
    page = stage.open(juno, f"/chats/{house.chat.pk}/")
    wrong: list[str] = []
    page.locator('.message:last-child .acts [data-act="more"]').click()
    wrong += faults(page, language)
    page.keyboard.press("Escape")
    for menu in page.locator("main [popover]:not(#message-menu)").all():
        menu.evaluate("(node) => node.showPopover()")
        wrong += faults(page, language)
        menu.evaluate("(node) => node.hidePopover()")
    page.locator("#text").press("ArrowUp")
    page.locator("form.editor textarea").wait_for()
    wrong += faults(page, language)
    assert not wrong, "\n".join(wrong)
