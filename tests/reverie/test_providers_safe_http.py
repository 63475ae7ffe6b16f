"""Outgoing calls reach public addresses, or what the operator allows, and nothing else (A6)."""

import asyncio
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from reverie.providers import safe_http
from reverie.providers.safe_http import AddressRefused, check_address, client
from tests.scripted import ScriptedProvider

PRIVATE = """
127.0.0.1 127.8.8.8 0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254
192.168.0.1 192.168.255.255 169.254.169.254 169.254.0.1 100.64.0.1 100.127.255.254 192.0.0.8
192.0.2.1 198.51.100.7 203.0.113.9 198.18.0.1 192.88.99.1 224.0.0.1 239.255.255.250 240.0.0.1
255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1
64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 2002:7f00:1:: 2002:808:808::1 2001:0:4136:e378::1
2001:db8::1 2001:20::1 3fff::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 100::1
5f00::1 4000::1 example.com 2130706433 0x7f000001
"""
PUBLIC = """
8.8.8.8 1.1.1.1 172.15.0.1 172.32.0.1 100.63.0.1 2606:4700::1111 2a00:1450::1
"""

# Every way of writing this machine that the system's resolver may understand.
DISGUISES = """
127.0.0.1 localhost 2130706433 0x7f000001 017700000001 0x7f.1 127.1 127.0.1 0177.0.0.1 0 0.0.0.0
[::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] LOCALHOST 127.0.0.1.
"""


@pytest.mark.requirement("A6")
@pytest.mark.parametrize("address", PRIVATE.split())
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not check_address(address)


@pytest.mark.requirement("A6")
@pytest.mark.parametrize("address", PUBLIC.split())
def test_a_public_address_is_fine(address: str) -> None:
    assert check_address(address)


def get(url: str, *, base_url: str = "", allowed: frozenset[str] = frozenset()) -> httpx2.Response:
    async def run() -> httpx2.Response:
        async with client(base_url or url, allowed_private=allowed) as http:
            return await http.get(url)

    return asyncio.run(run())


@pytest.mark.requirement("A6")
@pytest.mark.parametrize("host", DISGUISES.split())
def test_no_way_of_writing_this_machine_gets_through(host: str) -> None:
    with ScriptedProvider() as provider:
        for scheme in ("https", "http"):
            with pytest.raises((httpx2.ConnectError, httpx2.InvalidURL)):
                get(f"{scheme}://{host}:{provider.port}/v1/models")
        assert provider.requests == []


@pytest.mark.requirement("A6")
def test_the_operator_allows_a_private_host_as_it_is_written() -> None:
    with ScriptedProvider() as provider:
        url = f"http://127.0.0.1:{provider.port}/v1/models"
        for allowed in ("127.0.0.1", f"127.0.0.1:{provider.port}"):
            assert get(url, allowed=frozenset({allowed})).status_code == 200
        for other in ("localhost", "127.0.0.1:1"):
            with pytest.raises(AddressRefused):
                get(url, allowed=frozenset({other}))


@pytest.mark.requirement("A6")
@pytest.mark.parametrize(
    "answers",
    [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["10.0.0.1", "8.8.8.8"], ["::ffff:127.0.0.1"]],
)
def test_a_name_that_leads_inside_is_refused_also_among_public_addresses(
    answers: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve_as(monkeypatch, answers)
    with pytest.raises(AddressRefused):
        get("https://models.example/v1/models")


@pytest.mark.requirement("A6")
def test_the_address_that_was_checked_is_the_one_that_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name that answers differently the second time (rebinding) changes nothing."""
    with ScriptedProvider() as provider:
        asked = resolve_as(monkeypatch, ["127.0.0.1"], then=["192.0.2.1"])
        url = f"http://models.example:{provider.port}/v1/models"
        response = get(url, allowed=frozenset({"models.example"}))
    assert response.status_code == 200
    assert asked == ["models.example"]
    assert response.request.headers["host"] == f"models.example:{provider.port}"


@pytest.mark.requirement("A6")
@pytest.mark.parametrize("url", ["http://8.8.8.8/", "ftp://8.8.8.8/", "https://other.example/"])
def test_only_https_to_the_configured_host(url: str) -> None:
    base = url if "8.8" in url else "https://models.example/v1"
    with pytest.raises((AddressRefused, httpx2.UnsupportedProtocol)):
        get(url, base_url=base)


@pytest.mark.requirement("A6")
def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedProvider() as proxy, ScriptedProvider() as provider:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxy.port}")
        url = f"http://127.0.0.1:{provider.port}/v1/models"
        assert get(url, allowed=frozenset({"127.0.0.1"})).status_code == 200
        assert proxy.connections == 0


def test_the_second_address_is_tried_when_the_first_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ScriptedProvider() as provider:
        resolve_as(monkeypatch, ["127.0.0.2", "127.0.0.1"])
        url = f"http://models.example:{provider.port}/v1/models"
        assert get(url, allowed=frozenset({"models.example"})).status_code == 200


@pytest.mark.requirement("A6")
def test_certificates_are_verified() -> None:
    context = safe_http._tls()
    assert context.check_hostname
    assert context.verify_mode.name == "CERT_REQUIRED"


@pytest.mark.requirement("A6")
def test_a_certificate_must_be_for_the_name_though_the_address_is_called(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    served, trusting = certificate("models.example", tmp_path)
    monkeypatch.setattr(safe_http, "_tls", lambda: trusting)
    resolve_as(monkeypatch, ["127.0.0.1"])
    allowed = frozenset({"models.example", "other.example"})
    with ScriptedProvider(tls=served) as provider:
        url = f"https://models.example:{provider.port}/v1/models"
        assert get(url, allowed=allowed).status_code == 200
        with pytest.raises(httpx2.ConnectError, match=r"(?i)hostname mismatch"):
            get(url.replace("models.", "other."), allowed=allowed)


def certificate(name: str, folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """TLS of a server with a certificate for `name`, and of a client that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    (folder / "both.pem").write_bytes(
        pem
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(folder / "both.pem")
    return served, ssl.create_default_context(cadata=pem.decode())


def resolve_as(
    monkeypatch: pytest.MonkeyPatch, answers: list[str], then: list[str] | None = None
) -> list[str]:
    """Let the system's resolver give `answers` for every name, and `then` ever after."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, port: Any, *args: Any, **kwargs: Any) -> list[Any]:
        if not str(host).endswith(".example"):
            return real(host, port, *args, **kwargs)
        addresses = answers if not asked or then is None else then
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked
