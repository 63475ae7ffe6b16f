"""Embeddings: the bundled model and any compatible endpoint."""

import math

import pytest

from reverie.providers.embedding import CompatibleEmbedder
from reverie.providers.errors import ProviderError
from reverie.providers.local import LocalEmbedder
from tests.scripted import Script, ScriptedProvider


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder()


def cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_the_bundled_model_understands_across_languages(local: LocalEmbedder) -> None:
    cat, neko, bridge = local.embed(
        ["My cat is called Mochi", "猫の名前はもちです", "The bridge was built in 1932"],
        kind="passage",
    )
    assert len(cat) == local.dimensions
    assert math.hypot(*cat) == pytest.approx(1, abs=1e-3)
    assert cosine(cat, neko) > cosine(cat, bridge) + 0.2


@pytest.mark.requirement("A12")
def test_odd_texts_are_embedded_too(local: LocalEmbedder) -> None:
    texts = ["", " \x00", "\ud83d", "か\u3099", "が", "あ" * 200_000]
    vectors = local.embed(texts, kind="query")
    assert [any(vector) for vector in vectors] == [False, False, False, True, True, True]
    assert vectors[3] == pytest.approx(vectors[4], abs=1e-4)
    assert local.embed([], kind="query") == []


def embedder(provider: ScriptedProvider, model: str = "m") -> CompatibleEmbedder:
    return CompatibleEmbedder(
        provider.base_url, model, api_key="sk-x", allowed_private=provider.private_hosts
    )


def test_an_endpoint_gives_vectors_in_the_order_of_the_texts() -> None:
    with ScriptedProvider(dimensions=8) as provider:
        model = embedder(provider)
        first, empty, third = model.embed(["a", "", "b"], kind="passage")
        many = model.embed(["a"] * 150, kind="query")
    assert model.dimensions == 8
    assert first[ord("a") % 8] == third[ord("b") % 8] == 1.0
    assert empty == [0.0] * 8
    assert len(many) == 150
    assert provider.requests[0].json["input"] == ["a", "b"]


def test_the_e5_family_is_told_what_a_text_is() -> None:
    with ScriptedProvider() as provider:
        embedder(provider, "intfloat/multilingual-e5-small").embed(["a"], kind="query")
    assert provider.last.json["input"] == ["query: a"]


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (Script(status=401), "auth"),
        (Script(status=503), "overloaded"),
        (Script(body={"data": []}), "bad_response"),
        (Script(body={"data": [{"index": 0, "embedding": []}]}), "bad_response"),
        (Script(body={"data": [{"index": 0, "embedding": ["x"]}]}), "bad_response"),
        (Script(body={"error": {"message": "no"}}), "bad_response"),
        (Script(body="<html>"), "bad_response"),
    ],
)
def test_an_endpoint_that_fails_says_how(script: Script, code: str) -> None:
    with ScriptedProvider(script) as provider, pytest.raises(ProviderError) as caught:
        embedder(provider).embed(["a"], kind="query")
    assert caught.value.code == code


def test_vectors_that_change_their_size_are_refused() -> None:
    with ScriptedProvider(dimensions=8) as provider:
        model = embedder(provider)
        model.embed(["a"], kind="query")
        provider.dimensions = 16
        with pytest.raises(ProviderError):
            model.embed(["a"], kind="query")
