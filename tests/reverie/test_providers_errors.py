"""Every way in which a provider fails has a code, a plain sentence and a masked detail (C46)."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from django.utils import translation

from reverie.providers.base import ChatMessage, Request
from reverie.providers.compatible import CompatibleModel
from reverie.providers.errors import CODES, LONGEST_DETAIL, ProviderError, explain, masked
from reverie.providers.failures import code_for, retry_after
from tests.scripted import Script, ScriptedProvider

CONTEXT = "This model's maximum context length is 8192 tokens."
QUOTA = '{"error": {"code": "insufficient_quota"}}'

TABLE = [
    (400, "", "bad_response"),
    (400, CONTEXT, "context"),
    (400, "prompt is too long: 210000 tokens > 200000 maximum", "context"),
    (400, '{"code": "content_filter"}', "content"),
    (401, "", "auth"),
    (402, "", "quota"),
    (403, "", "auth"),
    (403, "your input was flagged", "content"),
    (404, "model not found", "bad_response"),
    (408, "", "network"),
    (413, "", "context"),
    (418, "", "bad_response"),
    (422, CONTEXT, "context"),
    (429, "", "rate"),
    (429, QUOTA, "quota"),
    (500, "", "overloaded"),
    (502, "", "overloaded"),
    (503, "", "overloaded"),
    (504, "", "overloaded"),
    (529, "", "overloaded"),
]


@pytest.mark.case("C46")
@pytest.mark.requirement("P8")
@pytest.mark.parametrize(("status", "body", "code"), TABLE)
def test_every_status_has_its_code(status: int, body: str, code: str) -> None:
    assert code_for(status, body) == code


@pytest.mark.case("C46")
@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 408, 413, 429, 500, 503])
def test_a_failing_provider_ends_in_a_sentence_and_a_masked_detail(status: int) -> None:
    key = "verysecretkeyofours"
    body = f"it went wrong for {key} and Bearer abcdef123456"
    script = Script(status=status, body=body, headers={"Retry-After": "9"})
    with ScriptedProvider(script) as provider:
        error = failure_of(provider, key)
    assert (error.status, error.retry_after) == (status, 9.0)
    assert "it went wrong" in error.detail
    assert key not in str(error)
    assert "abcdef123456" not in str(error)
    assert len(str(explain(error.code))) > 20


def failure_of(provider: ScriptedProvider, key: str = "") -> ProviderError:
    model = CompatibleModel(
        provider.base_url, provider.model, api_key=key, allowed_private=provider.private_hosts
    )
    return error_of(model)


def error_of(model: CompatibleModel) -> ProviderError:
    async def run() -> None:
        async for _ in model.stream(Request((ChatMessage("user", "Hi"),))):
            pass

    with pytest.raises(ProviderError) as caught:
        asyncio.run(run())
    return caught.value


def test_nobody_listening_is_a_network_error() -> None:
    with ScriptedProvider() as provider:
        pass
    assert failure_of(provider).code == "network"


@pytest.mark.parametrize(
    "address", ["localhost:11434/v1", "http://10.0.0.1/v1", "https://[::1]/v1"]
)
def test_an_address_that_cannot_be_called_is_told_apart_from_a_lost_connection(
    address: str,
) -> None:
    model = CompatibleModel(address, "m")
    assert error_of(model).code == "bad_response"


@pytest.mark.requirement("A6")
def test_a_redirect_is_not_followed() -> None:
    with ScriptedProvider() as elsewhere:
        moved = Script(status=302, headers={"Location": elsewhere.base_url})
        with ScriptedProvider(moved) as provider:
            assert failure_of(provider).code == "bad_response"
        assert elsewhere.requests == []


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_code_has_a_sentence_in_both_languages(code: str, language: str) -> None:
    with translation.override(language):
        assert str(explain(code)).strip()
    assert ProviderError(code).retryable == (code in ("rate", "overloaded", "network"))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Incorrect API key provided: sk-proj-AbC123456789xyz.", "Incorrect API key provided"),
        ("Authorization: Bearer eyJhbGciOi.eyJzdWIi.abc", "Authorization"),
        ("api_key=0123456789abcdef", "api_key"),
        ('{"x-api-key": "k0123456789"}', "api"),
        ("token 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "token"),
        ("AIzaSyA1234567890abcdefghijklmnop failed", "failed"),
        ("key is hunter2hunter2", "key is"),
    ],
)
def test_keys_are_masked_and_words_are_kept(text: str, kept: str) -> None:
    shown = masked(text, secret="hunter2hunter2")
    assert kept in shown
    for secret in ("AbC123", "eyJ", "0123456", "9f86d0", "SyA123", "hunter2"):
        assert secret not in shown


def test_a_detail_is_bounded_and_ordinary_words_stay() -> None:
    assert len(masked("long words " * 1000)) == LONGEST_DETAIL
    assert masked("Unsupported parameter: max_completion_tokens") == (
        "Unsupported parameter: max_completion_tokens"
    )


def test_retry_after_is_read_as_seconds_and_as_a_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert retry_after({"retry-after": "20"}) == 20
    assert retry_after({"retry-after": soon}) == pytest.approx(30, abs=3)
    assert retry_after({"retry-after": "-5"}) == 0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None
