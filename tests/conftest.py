"""Fixtures that many tests share."""

from collections.abc import Iterator

import pytest
from django.utils import translation
from pytest_django.fixtures import Settings

from characters.models import Character
from conversations.models import Conversation
from reverie.accounts.models import User
from reverie.text import ids
from tests.factories import make_character, make_conversation, make_user
from tests.live import Web
from tests.scripted import ScriptedProvider


@pytest.fixture(autouse=True)
def quick_passwords(settings: Settings) -> None:
    """A slow hash would only cost half a second a test."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def ids_of_today() -> None:
    """Ids only grow: after a test that travelled in time they would stay in that future, and lists
    would show what a server saves now below what a test made before."""
    ids._last_ms = 0


@pytest.fixture(autouse=True)
def fresh_language() -> Iterator[None]:
    """No test hears the language of the one before it."""
    translation.activate("en")
    yield
    translation.deactivate()


@pytest.fixture
def juno(db: None) -> User:
    return make_user("juno")


@pytest.fixture
def mallory(db: None) -> User:
    """Somebody else, who must never see what is Juno's."""
    return make_user("mallory")


@pytest.fixture
def tomori(juno: User) -> Character:
    return make_character(juno)


@pytest.fixture
def chat(juno: User, tomori: Character) -> Conversation:
    return make_conversation(juno, tomori)


@pytest.fixture
def provider() -> Iterator[ScriptedProvider]:
    """A provider that says what the test scripts; ask for it together with `web`."""
    with ScriptedProvider() as scripted:
        yield scripted


@pytest.fixture
def web(transactional_db: None, provider: ScriptedProvider) -> Iterator[Web]:
    """A real web process on the test database, whose provider is `provider`."""
    with Web(CHAT_BASE_URL=provider.base_url, CHAT_MODEL="scripted", CHAT_API_KEY="k") as process:
        yield process
