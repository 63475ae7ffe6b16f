"""Starts the database of the tests before Django reads its settings. A pytest plugin."""

import os
import shutil
import tempfile

import pytest

from reverie.local.failures import CannotStart
from reverie.local.postgres import Cluster, shared_test_cluster

# What a developer has set for their own server must not steer the tests.
FOR_TESTS = {
    "SECRET_KEY": "only-for-tests-" + "x" * 40,
    "DEMO_DELAY_SECONDS": "0",
    "LOG_LEVEL": "WARNING",
    "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
}
NOT_FOR_TESTS = (
    "CHAT_BASE_URL",
    "CHAT_API_KEY",
    "CHAT_MODEL",
    "CHAT_CONTEXT_TOKENS",
    "EMBEDDING_BASE_URL",
    "EMBEDDING_MODEL",
    "REDIS_URL",
)
_cluster: Cluster | None = None


def _prepare() -> None:
    global _cluster
    if os.environ.get("PYTEST_XDIST_WORKER"):
        return
    for name in NOT_FOR_TESTS:
        os.environ.pop(name, None)
    os.environ.update(FOR_TESTS)
    os.environ["REVERIE_HOME"] = tempfile.mkdtemp(prefix="reverie-tests-home-")
    try:
        _cluster = shared_test_cluster()
    except CannotStart as problem:
        pytest.exit(f"The database of the tests cannot start. {problem}", returncode=1)
    os.environ["DATABASE_URL"] = _cluster.url


def pytest_unconfigure() -> None:
    if _cluster:
        _cluster.stop()
        shutil.rmtree(os.environ["REVERIE_HOME"], ignore_errors=True)


_prepare()
