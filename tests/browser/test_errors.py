"""What goes wrong at the provider is said plainly, in the person's language, with a way on."""

import re

import pytest
from playwright.sync_api import Page, expect

from conversations.models import Reply
from tests.browser.talk import Talk, open_talk, stored_reply
from tests.scripted import Script

KEY = "sk-live-0123456789abcdef0123456789"
BEGINNING = [f"word{number:02} " for number in range(40)]


def failed_talk(stage, person, chat, script: Script) -> Talk:
    stage.provider.queue(script)
    talk = open_talk(stage, person, chat)
    talk.say("How is Mochi?")
    expect(talk.last.locator(".why")).to_be_visible(timeout=15_000)
    return talk


def retry_button(talk: Talk):
    return talk.last.locator('[data-act="retry"]')


def details(page: Page) -> str:
    page.locator(".message:last-child details summary").click()
    return page.locator(".message:last-child details pre").inner_text()


def retry_well(stage, talk: Talk, chat) -> None:
    stage.provider.queue(Script(text=["She ", "purrs."]))
    retry_button(talk).click()
    talk.await_words("She purrs.")
    talk.await_reply()
    assert stored_reply(chat).status == Reply.Status.DONE
    expect(talk.last.locator(".why")).to_be_hidden()


@pytest.mark.requirement("P8")
@pytest.mark.parametrize(
    ("language", "plain"),
    [("en", re.compile("key", re.IGNORECASE)), ("ja", re.compile("キー"))],
)
def test_a_refused_key_is_explained_with_details_that_keep_the_secret(
    stage, juno, chat, language, plain
):
    juno.language = language
    juno.save()
    body = {"error": {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}}
    talk = failed_talk(stage, juno, chat, Script(status=401, body=body))
    expect(talk.last.locator(".why")).to_have_text(plain)
    told = details(talk.page)
    assert told.startswith("auth")
    assert "Incorrect API key" in told
    assert KEY not in talk.page.content()
    retry_well(stage, talk, chat)


@pytest.mark.requirement("P8")
@pytest.mark.case("C45")
@pytest.mark.parametrize(
    ("language", "countdown"),
    [("en", re.compile(r"^Try again in (1\d|20) s$")), ("ja", re.compile(r"(1\d|20)\s*秒"))],
)
def test_a_rate_limit_before_the_first_word_counts_down(stage, juno, chat, language, countdown):
    juno.language = language
    juno.save()
    limit = Script(status=429, headers={"Retry-After": "20"})
    talk = failed_talk(stage, juno, chat, limit)
    retry = retry_button(talk)
    expect(retry).to_have_text(countdown)
    expect(retry).to_be_disabled()
    first = retry.inner_text()
    expect(retry).not_to_have_text(first, timeout=3000)
    Reply.objects.update(retry_after=None)
    talk.page.reload()
    retry_well(stage, talk, chat)


@pytest.mark.requirement("P8")
@pytest.mark.case("C45")
def test_a_rate_limit_after_forty_words_keeps_them_and_calls_them_no_reply(stage, juno, chat):
    error = {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}
    broken = Script(text=BEGINNING, delay=0.01, extra=[error], finish=None, done=False)
    talk = failed_talk(stage, juno, chat, broken)
    expect(talk.words).to_have_text("".join(BEGINNING).strip())
    reply = stored_reply(chat)
    assert (reply.status, reply.error_code) == (Reply.Status.FAILED, "rate")
    retry_well(stage, talk, chat)
    asked = str(stage.provider.last.json["messages"])
    assert "word39" not in asked


@pytest.mark.requirement("P8")
def test_a_stream_cut_in_the_middle_keeps_its_text_and_offers_another_try(stage, juno, chat):
    talk = failed_talk(stage, juno, chat, Script(text=BEGINNING, delay=0.01, cut_after=20))
    expect(talk.words).to_contain_text("word10")
    assert stored_reply(chat).status == Reply.Status.FAILED
    assert details(talk.page)
    talk.page.reload()
    expect(talk.words).to_contain_text("word10")
    retry_well(stage, talk, chat)


@pytest.mark.requirement("P8")
@pytest.mark.parametrize(
    "script",
    [
        pytest.param(Script(text=["All of it."], finish=None), id="no-finish-reason"),
        pytest.param(Script(text=[]), id="nothing-said"),
        pytest.param(Script(body="<html>Bad gateway</html>"), id="a-page-for-an-answer"),
        pytest.param(Script(body={"error": {"message": "no such model"}}), id="200-with-an-error"),
        pytest.param(Script(status=413, body={"error": {"message": "too large"}}), id="413"),
    ],
)
def test_an_answer_that_is_none_is_never_shown_as_a_reply(stage, juno, chat, script):
    talk = failed_talk(stage, juno, chat, script)
    assert stored_reply(chat).status == Reply.Status.FAILED
    expect(retry_button(talk)).to_be_enabled()
    expect(talk.stop_button).to_be_hidden()


@pytest.mark.requirement("P8")
def test_the_explanation_is_the_same_on_a_second_device_in_another_language(stage, juno, chat):
    talk = failed_talk(stage, juno, chat, Script(status=402, body={"error": {"message": "pay"}}))
    english = talk.last.locator(".why").inner_text()
    juno.language = "ja"
    juno.save()
    other = open_talk(stage, juno, chat)
    expect(other.last.locator(".why")).to_have_text(re.compile("[ぁ-ん]"))
    assert other.last.locator(".why").inner_text() != english
