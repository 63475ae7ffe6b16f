"""The only way out to providers (A6): checked addresses, no redirects, no proxies, no surprises."""

import asyncio
import ipaddress
import socket
import ssl
from functools import lru_cache

import httpx2

CONNECT_SECONDS = 10.0
MOST_ADDRESSES = 4

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Addresses that Python calls global and that still lead somewhere private or nowhere.
_REFUSED = tuple(
    ipaddress.ip_network(network)
    for network in (
        "100.64.0.0/10",  # carrier-grade NAT
        "192.0.0.0/24",  # protocol assignments
        "192.88.99.0/24",  # 6to4 relays
        "198.18.0.0/15",  # benchmarks
        "224.0.0.0/3",  # multicast and reserved
        "2001::/23",  # Teredo, ORCHID and other assignments
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "3fff::/20",  # documentation
    )
)
# The rest of IPv6 holds mapped, NAT64, unique-local, link-local and unassigned addresses.
_PUBLIC_V6 = ipaddress.ip_network("2000::/3")


class AddressRefused(httpx2.ConnectError):
    """The host leads to an address that the product does not call."""


def check_address(address: str) -> bool:
    """Whether an IP address is a public one. Anything that is no address is not."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if any(ip in network for network in _REFUSED if network.version == ip.version):
        return False
    return ip.is_global and (ip.version == 4 or ip in _PUBLIC_V6)


def is_allowed(url: httpx2.URL, allowed_private: frozenset[str]) -> bool:
    """Whether the operator named this host ("host" or "host:port", as written) as private."""
    host = url.host.lower().rstrip(".")
    port = url.port or (443 if url.scheme == "https" else 80)
    return not allowed_private.isdisjoint({host, f"{host}:{port}", f"[{host}]:{port}"})


def client(
    base_url: str,
    *,
    allowed_private: frozenset[str] = frozenset(),
    idle_seconds: float = 60.0,
) -> httpx2.AsyncClient:
    """A client for one provider. `idle_seconds` is the longest silence between two pieces.

    Calls raise AddressRefused for an address, scheme or host that A6 forbids.
    """
    return httpx2.AsyncClient(
        transport=CheckedTransport(httpx2.URL(base_url), allowed_private),
        timeout=httpx2.Timeout(idle_seconds, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS),
        follow_redirects=False,
        trust_env=False,
    )


class CheckedTransport(httpx2.AsyncHTTPTransport):
    """Resolves the host itself, checks what it got, and connects to exactly that address."""

    def __init__(self, base_url: httpx2.URL, allowed_private: frozenset[str]) -> None:
        super().__init__(verify=_tls(), trust_env=False)
        self._base_url = base_url
        self._allowed = frozenset(host.lower() for host in allowed_private)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        addresses = await self._addresses(request.url)
        for address in addresses[:-1]:
            try:
                return await super().handle_async_request(_pinned(request, address))
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await super().handle_async_request(_pinned(request, addresses[-1]))

    async def _addresses(self, url: httpx2.URL) -> list[str]:
        allowed = is_allowed(url, self._allowed)
        if url.host != self._base_url.host:
            raise AddressRefused("another host than the provider's")
        if url.scheme != "https" and not (allowed and url.scheme == "http"):
            raise AddressRefused("only https, or http to a private host that the operator allows")
        found = await _resolve(url)
        # One private address among public ones is how a name is rebound: none is used then.
        if not allowed and not all(check_address(address) for address in found):
            raise AddressRefused("the host leads to a private address")
        return found[:MOST_ADDRESSES]


async def _resolve(url: httpx2.URL) -> list[str]:
    """The addresses of the host, in the system's order, each once."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(url.host, url.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpx2.ConnectError(f"cannot resolve the host: {error}") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _pinned(request: httpx2.Request, address: str) -> httpx2.Request:
    """The request to one address; Host header and TLS name stay those of the host."""
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.host},
    )


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """The system's certificates, read once per process: it takes tens of milliseconds."""
    return httpx2.create_ssl_context(trust_env=False)
