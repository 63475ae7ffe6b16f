"""A message is on the page at once, is never lost, and is never there twice."""

from contextlib import suppress

import pytest
from playwright.sync_api import Route, expect
from playwright.sync_api import TimeoutError as TooLate

from tests.browser.talk import Talk, open_talk, own_words, path_of
from tests.factories import make_conversation
from tests.scripted import Script

SENDS = "**/api/v1/conversations/*/messages"


def cut_off(page) -> None:
    """No send reaches the server from now on."""
    page.route(SENDS, lambda route: route.abort("connectionfailed"))


def test_a_message_stands_on_the_page_before_the_server_has_it(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    held: list[Route] = []
    talk.page.route(SENDS, lambda route: held.append(route))
    with talk.page.expect_request(SENDS):
        talk.say("How is Mochi?")
    expect(talk.said("How is Mochi?")).to_have_class("message user sending")
    expect(talk.box).to_have_value("")
    assert own_words(chat) == []
    talk.page.wait_for_timeout(50)
    held[0].continue_()
    talk.await_reply()
    expect(talk.said("How is Mochi?")).to_have_class("message user")
    assert own_words(chat) == ["How is Mochi?"]


@pytest.mark.requirement("P3")
def test_what_is_not_sent_yet_survives_a_reload_in_its_own_chat_only(stage, juno, tomori, chat):
    other = make_conversation(juno, tomori)
    talk = open_talk(stage, juno, chat)
    talk.box.press_sequentially("Half a thought, 途中")
    talk.page.wait_for_timeout(400)
    talk.page.goto(path_of(other))
    expect(talk.box).to_have_value("")
    talk.page.goto(path_of(chat))
    expect(talk.box).to_have_value("Half a thought, 途中", timeout=1000)
    assert own_words(chat) == []


@pytest.mark.requirement("P2", "P3")
def test_a_send_that_fails_keeps_its_text_and_reason_and_is_sent_once_by_retry(stage, juno, chat):
    stage.ear.offline = True
    talk = open_talk(stage, juno, chat)
    cut_off(talk.page)
    talk.say("How is Mochi?")
    bubble = talk.said("How is Mochi?")
    expect(bubble).to_contain_text("Not sent: the server cannot be reached.")
    retry = bubble.get_by_role("button", name="Try again")
    expect(retry).to_be_visible()
    talk.page.unroute(SENDS)
    with suppress(TooLate):  # the page may have tried again by itself just now
        retry.click(timeout=2_000)
    talk.await_words("Hello there.")
    expect(talk.said("How is Mochi?")).to_have_count(1)
    assert own_words(chat) == ["How is Mochi?"]


@pytest.mark.requirement("P2")
def test_a_send_whose_answer_is_lost_is_not_stored_twice(stage, juno, chat):
    stage.ear.offline = True
    talk = open_talk(stage, juno, chat)
    tries: list[str] = []

    def lose_first_answer(route: Route) -> None:
        tries.append(route.request.post_data_json["client_id"])
        if len(tries) > 1:
            return route.continue_()
        route.fetch()
        route.abort("connectionreset")

    talk.page.route_web_socket("**/ws/**", lambda _: None)
    talk.page.reload()
    talk.page.route(SENDS, lose_first_answer)
    talk.say("How is Mochi?")
    expect(talk.page.locator(".message.user.failed, .message.user.sending")).to_have_count(0)
    expect(talk.said("How is Mochi?")).to_have_count(1)
    assert len(tries) == 2
    assert len(set(tries)) == 1
    assert own_words(chat) == ["How is Mochi?"]
    assert len(stage.provider.requests) == 1


@pytest.mark.requirement("P3")
def test_a_message_that_could_not_be_sent_goes_when_the_page_is_opened_again(stage, juno, chat):
    stage.ear.offline = True
    device = stage.device(juno)
    page = device.new_page()
    page.goto(path_of(chat))
    cut_off(page)
    page.locator("#text").fill("Written in a tunnel")
    page.locator("#text").press("Enter")
    expect(page.locator(".message.user.failed")).to_contain_text("Written in a tunnel")
    page.close()
    assert own_words(chat) == []
    again = device.new_page()
    again.goto(path_of(chat))
    expect(again.locator(".message.character")).to_have_count(2)
    expect(again.locator(".message.user")).to_have_count(1)
    expect(again.locator(".message.user")).to_contain_text("Written in a tunnel")
    assert own_words(chat) == ["Written in a tunnel"]


@pytest.mark.requirement("P4")
def test_a_send_from_a_tab_that_missed_the_reply_under_way_waits_and_goes_once(stage, juno, chat):
    stage.ear.allowed = {409}
    first = open_talk(stage, juno, chat)
    device = stage.device(juno)
    deaf = Talk(device.new_page())
    deaf.page.route_web_socket("**/ws/**", lambda _: None)
    deaf.page.goto(path_of(chat))
    stage.provider.queue(Script(text=["one "] * 20, delay=0.1))
    first.say("First of all")
    first.await_words("one")
    with deaf.page.expect_response(lambda answer: answer.status == 409):
        deaf.say("Me too")
    expect(deaf.said("Me too")).to_contain_text("Waits for the reply")
    deaf.page.close()
    hearing = Talk(device.new_page())
    hearing.page.goto(path_of(chat))
    expect(hearing.said("Me too")).to_have_count(1)
    expect(first.said("Me too")).to_have_count(1, timeout=15_000)
    first.await_reply()
    assert own_words(chat) == ["First of all", "Me too"]


@pytest.mark.requirement("P4")
def test_one_message_may_wait_for_the_reply_and_a_second_stays_in_the_box(stage, juno, chat):
    stage.provider.queue(Script(text=["one "] * 30, delay=0.1), Script(text=["Yes, also."]))
    talk = open_talk(stage, juno, chat)
    talk.say("First of all")
    talk.await_words("one")
    talk.say("And this?")
    expect(talk.said("And this?")).to_contain_text("Waits for the reply")
    talk.say("And that?")
    expect(talk.refusal).to_contain_text("One message is waiting already.")
    expect(talk.box).to_have_value("And that?")
    assert own_words(chat) == ["First of all"]
    talk.await_words("Yes, also.")
    talk.await_reply()
    expect(talk.box).to_have_value("And that?")
    assert own_words(chat) == ["First of all", "And this?"]


@pytest.mark.requirement("P2", "P4")
def test_what_waits_in_two_tabs_of_one_browser_is_sent_once(stage, juno, chat):
    stage.ear.allowed = {409}
    stage.provider.queue(Script(text=["one "] * 25, delay=0.1))
    device = stage.device(juno)
    here, there = Talk(device.new_page()), Talk(device.new_page())
    here.page.goto(path_of(chat))
    there.page.goto(path_of(chat))
    here.say("First of all")
    here.await_words("one")
    here.say("And this?")
    expect(there.said("And this?")).to_have_count(1)
    for talk in (here, there):
        talk.await_words("Hello there.")
        talk.await_reply()
        expect(talk.said("And this?")).to_have_count(1)
    assert own_words(chat) == ["First of all", "And this?"]
    assert len(stage.provider.requests) == 2


def test_nothing_but_blanks_is_not_sent(stage, juno, chat):
    talk = open_talk(stage, juno, chat)
    talk.say(" \n　\n")
    talk.box.press("Control+Enter")
    expect(talk.messages).to_have_count(1)
    assert stage.provider.requests == []
