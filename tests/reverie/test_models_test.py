"""A test of a model says in plain words what works and what does not, within its time."""

import asyncio
import json
import time

import pytest
from django.test import Client
from django.urls import reverse

from reverie.providers import connecting, probing, verdicts
from reverie.providers.choosing import chat_model, connected
from reverie.providers.models import ConnectedModel
from reverie.providers.verdicts import Tried
from tests.factories import make_model, make_user
from tests.scripted import Script, ScriptedProvider

pytestmark = pytest.mark.django_db
KEY = "sk-canary-0123456789-tail"
CALLS = Script(
    text=[],
    tool_calls=[
        [
            {
                "index": 0,
                "id": "1",
                "function": {"name": "note_down", "arguments": json.dumps({"text": "Mochi"})},
            }
        ]
    ],
    finish="tool_calls",
)
NO_TOOLS = Script(status=400, body={"error": {"message": "this model does not support tools"}})
NOT_FOUND = Script(status=404, body={"error": {"message": "no such page"}})


@pytest.fixture
def row(provider: ScriptedProvider, settings) -> ConnectedModel:
    """Connected to the scripted provider."""
    settings.PROVIDER_PRIVATE_HOSTS = list(provider.private_hosts)
    return make_model(key=KEY, base_url=provider.base_url, model=provider.model)


def said(row: ConnectedModel) -> dict[str, tuple[str, str]]:
    """State and words of each check."""
    checks = connecting.test(row)
    row.refresh_from_db()
    assert all(KEY not in check.words + check.detail for check in checks)
    return {check.name: (check.state, check.words) for check in checks}


def test_all_is_well(row, provider):
    provider.listing = Script(body={"data": [{"id": provider.model, "max_model_len": 65_536}]})
    provider.queue(Script(), CALLS)
    checks = said(row)
    assert list(checks) == ["address", "key", "answer", "stream", "tools", "context", "speed"]
    assert {state for state, _ in checks.values()} == {"good"}
    assert "65,536" in checks["context"][1]
    assert (row.trouble, row.takes_tools) == ("", True)
    assert row.tested_at
    assert connected(row).supports_tools


@pytest.mark.requirement("R113")
@pytest.mark.parametrize("answers", [[Script()], [NO_TOOLS, Script()]])
def test_a_model_without_tools_is_told_and_is_not_offered_any(row, provider, answers):
    provider.queue(Script(), *answers)
    state, words = said(row)["tools"]
    assert state == "fair"
    assert "cannot save memories by itself" in words
    assert row.takes_tools is False
    assert not connected(row).supports_tools
    assert row.trouble == "", "one can talk with it all the same"


@pytest.mark.requirement("A9")
def test_a_wrong_key_is_told_without_showing_it(row, provider):
    provider.queue(Script(status=401, body={"error": {"message": f"Incorrect API key: {KEY}"}}))
    checks = connecting.test(row)
    assert [(check.name, check.state) for check in checks] == [("address", "good"), ("key", "bad")]
    assert "does not accept this key" in checks[1].words
    assert "Incorrect" in checks[1].detail
    assert KEY not in checks[1].detail
    assert ConnectedModel.objects.get().trouble == "key"


def test_a_wrong_path_is_told_from_a_wrong_name(row, provider):
    provider.listing = Script(status=404, body="nothing")
    provider.queue(NOT_FOUND)
    assert "has to end in /v1" in said(row)["address"][1]
    provider.listing = Script(body={"data": [{"id": f"{provider.model}-large"}, {"id": "other"}]})
    provider.queue(NOT_FOUND)
    state, words = said(row)["answer"]
    assert state == "bad"
    assert f"There is: {provider.model}-large" in words


def test_what_is_no_model_is_told(row, provider):
    provider.queue(Script(body="<html>Welcome to my router</html>", content_type="text/html"))
    assert "does not talk as a model does" in said(row)["answer"][1]


def test_nobody_there_is_told(row, settings):
    settings.PROVIDER_PRIVATE_HOSTS = ["127.0.0.1:9"]
    ConnectedModel.objects.update(base_url="http://127.0.0.1:9/v1")
    row.refresh_from_db()
    assert "Nothing answers there" in said(row)["address"][1]
    assert row.trouble == "address"


@pytest.mark.requirement("A6")
def test_a_host_that_became_private_is_not_called_and_the_line_is_told(row, provider, settings):
    settings.PROVIDER_PRIVATE_HOSTS = ["vllm:8000"]
    words = said(row)["address"][1]
    assert f"PROVIDER_PRIVATE_HOSTS=vllm:8000,127.0.0.1:{provider.port}" in words
    assert provider.requests == []


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (Script(status=402, body={"error": {"message": "no money"}}), "no credit left"),
        (Script(text=["a", "b", "c"], cut_after=2), "Nothing answers there"),
        (Script(text=["a"], finish=None), "Nothing answers there"),
    ],
)
def test_what_stops_an_answer_is_told(row, provider, script, words):
    provider.queue(script)
    checks = said(row)
    assert any(words in told for _, told in checks.values())
    assert row.trouble


def test_a_context_that_is_larger_than_the_models_is_told(row, provider):
    provider.listing = Script(body={"data": [{"id": provider.model, "context_length": 8_192}]})
    provider.queue(Script(), CALLS)
    state, words = said(row)["context"]
    assert state == "fair"
    assert "8,192" in words
    assert "give less" in words


def test_an_answer_in_one_piece_is_told(row, provider):
    provider.queue(Script(text=["All at once."]), CALLS)
    assert said(row)["stream"][0] == "fair"


def test_a_model_that_says_nothing_ends_the_test_in_time(row, provider):
    provider.queue(Script(hang_after=0))
    began = time.monotonic()
    found = asyncio.run(probing.probe(connected(row), seconds=1.0))
    assert time.monotonic() - began < 3
    checks = verdicts.verdict(Tried(row.base_url, row.model, row.context_tokens), found)
    assert "no answer in time" in checks[0].words


def test_no_time_left_for_tools_is_no_verdict_on_them(row, provider):
    provider.queue(Script(), Script(hang_after=0))
    found = asyncio.run(probing.probe(connected(row), seconds=1.0))
    assert (found.failed, found.tools) == (None, "unknown")


def test_another_model_or_key_has_not_been_tested(row, provider):
    provider.queue(Script(), CALLS)
    said(row)
    row.label = "Lantern"
    connecting.keep(row)
    assert ConnectedModel.objects.get().tested_at, "another name is the same model"
    row.model = "other"
    connecting.keep(row)
    kept = ConnectedModel.objects.get()
    assert (kept.tested_at, kept.takes_tools) == (None, None)


def test_the_page_shows_the_checks_and_the_environment_is_tested_too(row, provider, settings):
    client = Client()
    client.force_login(make_user("root", is_superuser=True))
    provider.queue(Script(), CALLS)
    page = client.post(reverse("model-test"), {"model": row.pk}).content.decode()
    assert "It works." in page
    piece = client.post(
        reverse("model-test"), {"model": row.pk}, headers={"HX-Request": "true"}
    ).content.decode()
    assert "<html" not in piece
    assert "Worked when it was tested" in piece
    settings.CHAT_BASE_URL = ""
    assert client.post(reverse("model-test"), {"model": ""}).status_code == 404
    settings.CHAT_BASE_URL, settings.CHAT_MODEL = provider.base_url, provider.model
    assert "It works." in client.post(reverse("model-test"), {"model": ""}).content.decode()
    assert chat_model().name == provider.model
    assert client.post(reverse("model-test"), {"model": "nothing"}).status_code == 404
