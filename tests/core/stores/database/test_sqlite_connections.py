"""Connections to a SQLite database: which files are refused, locks, forks and errors."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.any_store import open_store
from tests.core.stores.as_nobody import as_nobody, place_for_all
from tests.core.stores.contract import CHUNK
from tests.disk import disk
from zarrcore.errors import (
    BrokenBodyError,
    StoreError,
    StoreFullError,
    StoreNotFoundError,
    StoreTimeoutError,
    ValueTooLargeError,
)
from zarrcore.stores.database.sqlite import SQLiteStore
from zarrcore.stores.database.sqlite_connections import Connections


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[SQLiteStore]:
    with SQLiteStore(tmp_path / "a b?.db", create=True) as made:
        yield made


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (lambda path: None, StoreNotFoundError, "there is no file"),
        (lambda path: path.mkdir(), StoreNotFoundError, "is not a file"),
        (lambda path: path.touch(), StoreNotFoundError, "has no table zarr"),
        (lambda path: path.write_bytes(CHUNK), BrokenBodyError, "it is not a SQLite database"),
    ],
)
def test_a_file_that_is_not_a_database_is_reported(
    tmp_path: Path, make: Callable[[Path], object], kind: type[StoreError], said: str
) -> None:
    path = tmp_path / "x.db"
    make(path)
    before = [*tmp_path.iterdir()]
    with pytest.raises(kind, match=said) as caught:
        open_store(f"sqlite://{path}")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [*tmp_path.iterdir()] == before


@pytest.mark.parametrize(
    "made",
    [
        "CREATE VIEW zarr AS WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT k, x'' AS v FROM n",
        "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID",
        "CREATE TABLE zarr(key TEXT PRIMARY KEY, value BLOB)",
        "CREATE TABLE Zarr(k TEXT PRIMARY KEY, v BLOB AS (zeroblob(9)) STORED)",
    ],
)
def test_another_layout_is_refused(tmp_path: Path, made: str) -> None:
    path = tmp_path / "x.db"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(made)
    with pytest.raises(StoreNotFoundError, match=r"has no table zarr\(k, v\)"):
        SQLiteStore(path)


def test_a_database_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript("PRAGMA encoding = 'UTF-16'; CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)")
    with pytest.raises(StoreError, match="only UTF-8"):
        SQLiteStore(path)


def test_a_locked_database_costs_no_more_than_the_timeout(empty: SQLiteStore) -> None:
    empty.set("a", b"1")
    impatient = open_store(empty.url, timeout_s=0.05)
    with contextlib.closing(sqlite3.connect(empty.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for ask in (lambda: impatient.get("a"), lambda: impatient.set("b", b""), lambda: [*impatient.list()]):
            with pytest.raises(StoreTimeoutError, match="keeps the database locked"):
                ask()
        other.execute("ROLLBACK")
    assert impatient.get("a") == b"1"


def test_a_database_without_permission_is_denied() -> None:
    with place_for_all() as place, SQLiteStore(place / "x", create=True) as store:
        store.set("a", b"1")
        store.close()
        os.chmod(store.path, 0o444)
        lines = f"store = open_store({store.url!r}); print(store.get('a')); store.set('a', b'2')"
        expected = "the file, or its directory, is read-only"
        assert as_nobody("sqlite3", lines) == f"b'1'\nAccessDeniedError a in {store.url}: {expected}\n"
        os.chmod(store.path, 0)
        said = as_nobody("sqlite3", f"open_store({store.url!r})")
        assert (
            said == f"AccessDeniedError {store.url}: the file, or the journal beside it, cannot be opened\n"
        )
        os.chmod(store.path, 0o644)
        assert store.get("a") == b"1"


def test_a_full_disk_is_reported_and_changes_nothing(empty: SQLiteStore) -> None:
    empty.set("a", b"1")
    with contextlib.closing(sqlite3.connect(empty.path)) as other:
        pages = other.execute("PRAGMA page_count").fetchone()[0]
    with empty._connections.reading() as connection:
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreFullError, match=r"^a in sqlite://.*: the disk is full$"):
        empty.set("a", bytes(100_000))
    assert empty.get("a") == b"1"


def test_a_forked_process_uses_connections_of_its_own(empty: SQLiteStore) -> None:
    empty.set("a", b"1")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(empty.get, "aaaa"))
    child = os.fork()
    if child == 0:
        os._exit(0 if empty.get("a") == b"1" and empty.set("b", b"2") else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert empty.get("b") == b"2"


def test_it_pickles_with_its_options(tmp_path: Path) -> None:
    store = open_store(f"sqlite://{tmp_path / 'x.db'}", create=True, durable=True, timeout_s=3)
    again = pickle.loads(pickle.dumps(store))
    assert (again._connections.durable, again._connections.timeout_s) == (True, 3)
    assert again.identity == store.identity


@pytest.fixture
def connections(tmp_path: Path) -> Iterator[Connections]:
    """Connections to a new database."""
    made = Connections(str(tmp_path / "new" / "größe #1?.db"), "sqlite://x", durable=False, timeout_s=1)
    made.create()
    yield made
    made.close()


def test_a_connection_is_used_again_unless_it_failed(connections: Connections) -> None:
    with connections.reading() as first, connections.reading() as second:
        assert first is not second
    with connections.reading() as again:
        assert again is first
    with pytest.raises(BrokenBodyError), connections.reading() as used:
        raise BrokenBodyError("of one value")
    with connections.reading() as again:
        assert again is used
    with pytest.raises(KeyboardInterrupt), connections.reading() as used:
        raise KeyboardInterrupt
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        used.execute("SELECT 1")


def test_a_replaced_file_gets_new_connections(connections: Connections) -> None:
    with connections.writing() as connection:
        connection.execute("INSERT INTO zarr VALUES ('a', x'31')")
    shutil.copy(connections.path, connections.path + ".old")
    with connections.writing() as connection:
        connection.execute("DELETE FROM zarr")
    os.replace(connections.path + ".old", connections.path)
    with connections.reading() as again:
        assert again is not connection
        assert again.execute("SELECT k, v FROM zarr").fetchall() == [("a", b"1")]


def test_the_version_changes_with_the_database_and_is_unknown_right_after_a_change(
    connections: Connections,
) -> None:
    os.utime(connections.path, (0, time.time() + 60))  # this may be a slow machine
    assert connections.version() is None
    os.utime(connections.path, (0, 1e9))
    first = connections.version()
    assert first is not None
    assert connections.version() == first
    os.utime(connections.path, (0, 1e9 + 1))
    assert connections.version() not in (None, first)
    os.unlink(connections.path)
    assert connections.version() is None


def test_creating_a_database_keeps_an_existing_one(connections: Connections) -> None:
    with connections.writing() as connection:
        connection.execute("INSERT INTO zarr VALUES ('a', x'31')")
    connections.create()
    with connections.reading() as connection:
        assert connection.execute("SELECT count(*) FROM zarr").fetchone() == (1,)


def test_an_error_of_sqlite_names_the_key_and_the_database(connections: Connections) -> None:
    with pytest.raises(StoreError) as caught, connections.reading("größe/0") as connection:
        connection.execute("SELECT * FROM absent")
    assert str(caught.value) == "größe/0 in sqlite://x: no such table: absent"
    assert (caught.value.key, caught.value.url) == ("größe/0", "sqlite://x")
    with (
        pytest.raises(ValueTooLargeError, match="larger than SQLite allows"),
        connections.reading() as connection,
    ):
        connection.execute("SELECT zeroblob(3000000000)")


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    made = Connections(str(tmp_path / "file" / "new" / "x.db"), "sqlite://x", durable=False, timeout_s=1)
    with pytest.raises(StoreError, match="a part of the path is a file, not a directory"):
        made.create()


@pytest.mark.parametrize("nbytes", [1000, 20_000, 300_000])
def test_values_can_be_erased_on_a_full_disk(tmp_path: Path, nbytes: int) -> None:
    with disk(tmp_path / "small", "1m") as place:
        store = open_store(f"sqlite://{place / 'x.sqlite'}", create=True)
        stored = 0
        with contextlib.suppress(StoreFullError):
            while store.set(f"k/{stored}", b"1" * nbytes):
                stored += 1
        with contextlib.suppress(OSError), open(place / "rest", "wb", buffering=0) as rest:
            while rest.write(bytes(4096)):
                pass
        assert os.statvfs(place).f_bavail == 0
        for number in range(stored - 2):
            store.erase(f"k/{number}")
        left = {entry.key for entry in store.list()}
        assert left == {f"k/{number}" for number in range((stored - 2), stored)}
        store.erase_prefix("k/")
        store.set("k/0", b"2" * nbytes)  # into the room of what was erased
        assert store.get("k/0") == b"2" * nbytes
        store.close()
        assert sorted(os.listdir(place)) == ["rest", "x.sqlite"]
        with contextlib.closing(sqlite3.connect(place / "x.sqlite")) as other:
            assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_database_in_another_mode_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with open_store(f"sqlite://{path}", create=True) as store:
        store.set("a", b"1")
    assert os.listdir(tmp_path) == ["x.sqlite"]
    with contextlib.closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    with open_store(f"sqlite://{path}") as store:
        store.set("b", b"2")
        store.erase("a")
    with contextlib.closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert other.execute("SELECT k FROM zarr").fetchall() == [("b",)]


def test_the_journal_of_another_file_of_the_name_stays(tmp_path: Path) -> None:
    path, journal = tmp_path / "x.sqlite", tmp_path / "x.sqlite-journal"
    store = open_store(f"sqlite://{path}", create=True)
    store.set("a", b"1")
    assert journal.stat().st_size == 64 << 10
    path.rename(tmp_path / "moved.sqlite")
    path.write_bytes((tmp_path / "moved.sqlite").read_bytes())
    store.close()
    assert journal.exists()


def test_a_killed_writer_leaves_the_old_values(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with open_store(f"sqlite://{path}", create=True) as store:
        store.set("a", b"old")
    program = """if True:
        import os, signal, sys
        from zarrcore.stores import open_store
        store = open_store(sys.argv[1])
        store.set("b", b"stored")
        with store._connections.writing() as connection:
            connection.execute("PRAGMA cache_size = 1")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("UPDATE zarr SET v = 'torn'")
            connection.executemany("INSERT INTO zarr VALUES (?, zeroblob(9000))", [(str(i),) for i in range(99)])
            os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", program, f"sqlite://{path}"], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    with open_store(f"sqlite://{path}") as store:
        assert {entry.key: store.get(entry.key) for entry in store.list()} == {"a": b"old", "b": b"stored"}
