"""A database of the benches' own, made anew for every run on the tests' PostgreSQL."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import django
import psycopg
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from reverie.local.postgres import Cluster, shared_test_cluster

NAME = "reverie_bench"
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "reverie.settings",
    "SECRET_KEY": "only-for-benches-" + "x" * 40,
    "EMBEDDING_MODEL": "none",
    "DEMO_DELAY_SECONDS": "0",
    "LOG_LEVEL": "WARNING",
    "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
}
# What is set for a server of one's own must not steer a measurement.
NOT_HERE = ("CHAT_BASE_URL", "CHAT_API_KEY", "CHAT_MODEL", "CHAT_CONTEXT_TOKENS", "REDIS_URL")


@contextmanager
def database() -> Iterator[None]:
    """Set Django up on an empty, migrated database, which is dropped at the end.

    Raises CannotStart when the embedded PostgreSQL cannot run. Call it from the main thread.
    """
    with TemporaryDirectory(prefix="reverie-bench-") as home:
        cluster = shared_test_cluster()
        try:
            _set_up(cluster, home)
            yield
            connections.close_all()
            _drop(cluster)
        finally:
            cluster.stop()


def _set_up(cluster: Cluster, home: str) -> None:
    for name in NOT_HERE:
        os.environ.pop(name, None)
    address = urlsplit(cluster.url)._replace(path=f"/{NAME}").geturl()
    os.environ.update(SETTINGS, REVERIE_HOME=home, DATABASE_URL=address)
    _drop(cluster)
    _execute(cluster, "CREATE DATABASE {}")
    django.setup()
    call_command("migrate", interactive=False, verbosity=0)


def _drop(cluster: Cluster) -> None:
    _execute(cluster, "DROP DATABASE IF EXISTS {} WITH (FORCE)")


def _execute(cluster: Cluster, statement: str) -> None:
    with psycopg.connect(cluster.url, dbname="postgres", autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(sql.Identifier(NAME)))
