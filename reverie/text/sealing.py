"""Texts that are kept unreadable (A9): sealed under the first key, opened with any of them."""

from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet


class Unreadable(Exception):  # noqa: N818  # it is said of the text, and the caller goes on
    """No key opens it: it was sealed under one that is gone, or it was damaged."""


def seal(plain: str, keys: Sequence[str]) -> str:
    """`plain` under the first of `keys`, each of which is 32 bytes in URL-safe base64."""
    return _box(keys).encrypt(plain.encode()).decode("ascii")


def unseal(sealed: str, keys: Sequence[str]) -> str:
    """What was sealed under any of `keys`. Raises `Unreadable`."""
    try:
        return _box(keys).decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise Unreadable from None


def _box(keys: Sequence[str]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])
