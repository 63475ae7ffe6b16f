"""What can be known before anything starts, each failure as one sentence."""

import errno
import socket
import sys

from reverie.local.failures import CannotStart

OLDEST_PYTHON = (3, 11)


def refuse_old_python() -> None:
    """Raise CannotStart below the oldest Python that the code is written for."""
    if sys.version_info < OLDEST_PYTHON:
        have = ".".join(map(str, sys.version_info[:2]))
        raise CannotStart(f"Reverie needs Python 3.11 or newer and this is Python {have}.")


def refuse_taken_port(host: str, port: int) -> None:
    """Raise CannotStart when `host` and `port` cannot be listened on."""
    if not 0 < port < 65536:
        raise CannotStart(f"PORT must be a number from 1 to 65535, not {port}.")
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen()  # Linux lets two bind with SO_REUSEADDR and one listen
    except OSError as error:
        raise CannotStart(_why(host, port, error)) from None


def _why(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is taken by another program: stop it, "
            f"or choose another port, as in `make run PORT={port + 1}`."
        )
    if error.errno == errno.EACCES:
        return f"This account may not listen on port {port}: choose one above 1023 with PORT."
    return f"HOST={host} is not an address of this machine that can be listened on."
