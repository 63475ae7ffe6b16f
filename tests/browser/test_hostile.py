"""What people and models write never acts: no script runs, nothing is fetched, no policy speaks."""

import pytest
from playwright.sync_api import Page, expect

from conversations.models import Conversation
from tests.browser.stage import Stage
from tests.browser.talk import Talk, path_of, stored_reply
from tests.factories import exchange, make_character, make_persona
from tests.reverie.hostile import HOSTILE
from tests.scripted import Script

# `hostile()` and `alert()` are what the texts try to call.
TRAP = """for (const name of ["hostile", "alert", "confirm", "prompt"])
  window[name] = () => console.error(`${name} was called`);"""
ALL = "\n\n".join(HOSTILE)
NAMES = [text for text in HOSTILE if len(text) <= 80 and "\n" not in text]


def trapped(stage: Stage, person) -> Page:
    page = stage.device(person).new_page()
    page.add_init_script(TRAP)
    page.on("dialog", lambda dialog: stage.ear.wrong.append(f"dialog: {dialog.message}"))
    return page


def assert_nothing_foreign(page: Page) -> None:
    """No element that only a text could have made; the ear hears what acts."""
    made = page.evaluate("""() => [...document.querySelectorAll(
      "hostile-tag, iframe, object, embed, base, style, math, animate, [onerror], [onload], " +
      "[onfocus], [ontoggle], [onbegin], [onmouseover], [hx-get]:not(#panel *), [srcdoc], " +
      "a[href^='javascript' i]"
    )].map((node) => node.outerHTML.slice(0, 200))""")
    assert made == []


def touch_all(page: Page) -> None:
    """What waits for a pointer or the focus gets it."""
    page.evaluate("""() => document.querySelectorAll(".words *, .piece *").forEach((node) => {
      for (const kind of ["mouseover", "mouseenter", "focus", "toggle"])
        node.dispatchEvent(new Event(kind, {bubbles: true}));
    })""")
    page.wait_for_timeout(100)


@pytest.mark.requirement("A4", "A5")
def test_stored_texts_stay_text_in_the_chat(stage, juno, chat):
    for text in HOSTILE:
        exchange(chat, text, text)
    page = trapped(stage, juno)
    page.goto(path_of(chat))
    for _ in range(6):
        page.locator("#scroll").evaluate("(node) => { node.scrollTop = 0; }")
        page.wait_for_timeout(150)
    assert page.locator(".message").count() > len(HOSTILE)
    touch_all(page)
    assert_nothing_foreign(page)
    assert page.locator(".words img").count() == 0


@pytest.mark.requirement("A4", "A5")
def test_a_streamed_reply_is_text_while_it_comes_and_when_it_is_there(stage, juno, chat):
    pieces = [ALL[at : at + 90] for at in range(0, len(ALL), 90)]
    stage.provider.queue(Script(text=pieces, delay=0.02))
    page = trapped(stage, juno)
    page.goto(path_of(chat))
    talk = Talk(page)
    talk.say(ALL)
    talk.await_words("hostile")
    assert_nothing_foreign(page)
    talk.await_reply()
    assert stored_reply(chat).text == ALL
    touch_all(page)
    assert_nothing_foreign(page)
    talk.last.hover()
    page.locator('.message:last-child a[data-act="prompt"]').evaluate("(link) => link.click()")
    expect(page.locator("#prompt-body details.exact")).to_be_visible()
    page.locator("#prompt-body details").evaluate_all(
        "(all) => all.forEach((d) => (d.open = true))"
    )
    touch_all(page)
    assert_nothing_foreign(page)


@pytest.mark.requirement("A4", "A5")
def test_hostile_characters_and_personas_stay_text_on_every_page(stage, juno):
    for name in NAMES:
        fields = {"tagline": name, "description": ALL, "greeting": ALL, "tags": [name]}
        character = make_character(juno, name, **fields)
    persona = make_persona(juno, NAMES[0], description=ALL, is_default=True)
    chat = Conversation.objects.create(owner=juno, title=NAMES[1], language="en", revision=1)
    chat.participants.create(character=character, name=NAMES[2])
    exchange(chat, ALL, ALL)
    page = trapped(stage, juno)
    for path in (
        "/",
        "/chats/",
        path_of(chat),
        "/chats/?q=hostile",
        f"{path_of(chat)}edit/",
        f"{path_of(chat)}replies/{stored_reply(chat).pk}/prompt/",
        "/characters/",
        f"/characters/{character.pk}/",
        f"/characters/{character.pk}/delete/",
        "/personas/",
        f"/personas/{persona.pk}/",
        f"/personas/{persona.pk}/delete/",
    ):
        page.goto(path)
        touch_all(page)
        assert_nothing_foreign(page)


@pytest.mark.requirement("A4")
def test_a_hostile_error_of_a_provider_is_shown_as_text(stage, juno, chat):
    stage.provider.queue(Script(status=400, body={"error": {"message": ALL[:1500]}}))
    talk = Talk(trapped(stage, juno))
    talk.page.goto(path_of(chat))
    talk.say("How is Mochi?")
    expect(talk.last.locator(".why")).to_be_visible()
    talk.last.locator("details summary").click()
    assert_nothing_foreign(talk.page)


@pytest.mark.requirement("A4")
@pytest.mark.parametrize("text", ["/characters/?q=" + text for text in NAMES[:6]])
def test_a_hostile_search_stays_text(stage, juno, tomori, text):
    page = trapped(stage, juno)
    page.goto(text)
    touch_all(page)
    assert_nothing_foreign(page)
