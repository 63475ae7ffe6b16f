"""The first visit: whether the web server answers, and what to tell the person at the console."""

import http.client

from django.db import connections

from reverie.accounts import signin
from reverie.local.child import say

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}


def reach(host: str, port: int) -> str:
    """The address to open on this machine."""
    name = _EVERYWHERE.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def answers(host: str, port: int) -> bool:
    """Whether `/healthz` says that the process is well, or the site is not for this name."""
    knock = http.client.HTTPConnection(_EVERYWHERE.get(host, host), port, timeout=2)
    try:
        knock.request("GET", "/healthz", headers={"Host": f"localhost:{port}"})
        return knock.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        knock.close()


def welcome(host: str, port: int) -> None:
    """Say the address and, until the first owner has a password, a link that signs in once."""
    address = reach(host, port)
    try:
        owner = signin.first_owner()
        say(f"Reverie is at {address}")
        if not owner.has_usable_password():
            say(f"Sign in once with {address}{signin.link_path(owner)}")
    finally:
        connections.close_all()
