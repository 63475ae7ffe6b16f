"""The chat page as a person uses it."""

from playwright.sync_api import Locator, Page, expect

from conversations.models import Conversation, Message, Reply
from reverie.accounts.models import User
from tests.browser.stage import Stage

REPLY_SECONDS = 20


def path_of(chat: Conversation) -> str:
    return f"/chats/{chat.pk}/"


class Talk:
    """One chat in one tab."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.box = page.locator("#text")
        self.messages = page.locator("#messages > .message")
        self.send_button, self.stop_button = page.locator("#send"), page.locator("#stop")
        self.banner, self.refusal = page.locator("#banner"), page.locator("#refusal")

    @property
    def last(self) -> Locator:
        return self.messages.last

    @property
    def words(self) -> Locator:
        """Of the last message."""
        return self.last.locator(".words")

    def said(self, text: str) -> Locator:
        """Messages of the person with this text."""
        return self.page.locator("#messages > .message.user").filter(has_text=text)

    def say(self, text: str) -> None:
        self.box.fill(text)
        self.box.press("Enter")

    def await_reply(self) -> None:
        """Until no reply is under way any more and the last words are a character's."""
        expect(self.last).to_have_class("message character", timeout=REPLY_SECONDS * 1000)
        expect(self.stop_button).to_be_hidden(timeout=REPLY_SECONDS * 1000)

    def await_words(self, text: str) -> None:
        """Until the last message begins to show these words."""
        expect(self.words).to_contain_text(text, timeout=REPLY_SECONDS * 1000)


def open_talk(stage: Stage, person: User, chat: Conversation, **options: object) -> Talk:
    return Talk(stage.open(person, path_of(chat), **options))


def stored_reply(chat: Conversation) -> Reply:
    """The newest reply as it stands in the database."""
    return Reply.objects.filter(conversation=chat).latest("created_at")


def own_words(chat: Conversation) -> list[str]:
    """What the person said, as it is stored."""
    said = Message.objects.within(chat).filter(role=Message.Role.USER)
    return list(said.values_list("text", flat=True))
