"""The settings decide which models the product talks to."""

import asyncio
from typing import Any

import pytest

from reverie.providers import embedding_model, environment_model
from reverie.providers.base import ChatMessage, Request, TextDelta
from tests.scripted import Script, ScriptedProvider


@pytest.fixture(autouse=True)
def unset(settings: Any) -> None:
    for name in ("CHAT_BASE_URL", "CHAT_API_KEY", "CHAT_MODEL", "EMBEDDING_BASE_URL"):
        setattr(settings, name, "")
    settings.EMBEDDING_MODEL = ""
    settings.CHAT_CONTEXT_TOKENS = 0


def test_without_an_address_the_demo_talks_and_the_bundled_model_embeds() -> None:
    assert environment_model().is_demo
    embedder = embedding_model()
    assert embedder is not None
    assert embedder.name == "use-multilingual-v3"


def test_embedding_can_be_switched_off(settings: Any) -> None:
    settings.EMBEDDING_MODEL = "none"
    assert embedding_model() is None


@pytest.mark.requirement("A6")
def test_the_operators_own_private_address_is_called(settings: Any) -> None:
    with ScriptedProvider(Script(text=["Hi"])) as provider:
        settings.CHAT_BASE_URL = provider.base_url
        settings.CHAT_MODEL = "gpt-4o"
        model = environment_model()

        async def run() -> list[object]:
            return [event async for event in model.stream(Request((ChatMessage("user", "a"),)))]

        assert asyncio.run(run())[0] == TextDelta("Hi")
    assert (model.name, model.tokenizer, model.context_tokens) == ("gpt-4o", "o200k", 32_768)
    assert not model.is_demo


def test_a_model_is_made_once_for_the_same_settings_and_anew_for_others(settings: Any) -> None:
    settings.CHAT_BASE_URL = "https://models.example/v1"
    first = environment_model()
    assert environment_model() is first
    settings.CHAT_CONTEXT_TOKENS = 8_192
    assert environment_model() is not first
    assert environment_model().context_tokens == 8_192


def test_an_embedding_endpoint_of_the_settings_is_used(settings: Any) -> None:
    with ScriptedProvider(dimensions=8) as provider:
        settings.EMBEDDING_BASE_URL = provider.base_url
        settings.EMBEDDING_MODEL = "m"
        embedder = embedding_model()
        assert embedder is not None
        assert len(embedder.embed(["a"], kind="query")[0]) == 8
