"""SQLiteStore."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import xxhash

from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.core.stores.test_model import check
from tests.memory import forget_peak, peak_nbytes
from tests.waiting import PATIENCE_S
from zarrcore.errors import (
    BrokenBodyError,
    StoreNotFoundError,
)
from zarrcore.stores import WritableStore, open_store
from zarrcore.stores.database.sqlite import SQLiteStore


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[SQLiteStore]:
    with SQLiteStore(tmp_path / "a b?.db", create=True) as made:
        yield made


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with `VALUES`, made without zarrcore; shared, so it must not be changed."""
    path = tmp_path_factory.mktemp("sqlite") / "values.db"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)")
        connection.executemany("INSERT INTO zarr VALUES (?, ?)", VALUES.items())
    return path


@pytest.fixture
def store(database: Path) -> Iterator[SQLiteStore]:
    with SQLiteStore(database) as made:
        yield made


class TestSQLiteStore(StoreTests, WritableStoreTests):
    path_like = False
    tells_mtime = False


def test_the_store_behaves_like_a_dictionary(tmp_path: Path) -> None:
    @contextlib.contextmanager
    def database() -> Iterator[WritableStore]:
        path = tmp_path / "model.db"
        yield SQLiteStore(path, create=True)
        path.unlink()

    check(database, 6)


def test_a_url_names_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / "new" / "x%20y.db"
    with open_store(f"sqlite://{path}", create=True) as store:
        assert store.url == f"sqlite://{path}"
        assert store.identity == open_store("sqlite://new/x%20y.db").identity
        assert store.identity == open_store("SQLITE://~/new/x%20y.db").identity


def test_sqlite_itself_reads_what_was_written(empty: SQLiteStore) -> None:
    empty.set("a/größe", b"12")
    empty.set("a//c0", b"")
    empty.close()
    command = ["sqlite3", empty.path, ".schema", "SELECT k, typeof(v), hex(v) FROM zarr ORDER BY k"]
    said = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE_S).stdout.decode()
    assert said == "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB);\na//c0|blob|\na/größe|blob|3132\n"


def test_rows_that_other_programs_wrote_are_read(empty: SQLiteStore) -> None:
    with contextlib.closing(sqlite3.connect(empty.path)) as connection, connection:
        rows = [("null", None), ("text", "ä"), ("a//c0", b"1"), ("", b"x"), ("b/", b"x"), (b"blob", b"x")]
        connection.executemany("INSERT INTO zarr VALUES (?, ?)", rows)
    assert (empty.get("null"), empty.get("text"), empty.get("a//c0")) == (b"", "ä".encode(), b"1")
    assert {entry.key: entry.size for entry in empty.list()} == {"a//c0": 1, "null": 0, "text": 2}
    assert [entry.key for entry in empty.list_dir("")] == ["a/", "b/", "null", "text"]
    assert [entry.key for entry in empty.list_dir("a/")] == ["a//"]
    assert [*empty.list_dir("b/")] == []


def test_a_damaged_database_is_reported(database: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    whole = database.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * 4096 + whole[8192:])
    store = SQLiteStore(path)
    with pytest.raises(BrokenBodyError, match=r"a/c/0/0 in sqlite://.*: the database is damaged"):
        store.get("a/c/0/0")
    path.write_bytes(whole[:9000])
    with pytest.raises(BrokenBodyError, match="the database is damaged"):
        [store.get(key) for key in VALUES]


def test_a_killed_writer_leaves_the_old_value_intact(empty: SQLiteStore) -> None:
    empty.set("a", bytes(100_000))
    program = (
        "import os, sqlite3, sys; connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute('PRAGMA cache_size = 1'); connection.execute('BEGIN IMMEDIATE')\n"
        "for key in ('a', 'b'): connection.execute('REPLACE INTO zarr VALUES (?, randomblob(1000000))', key)\n"
        "os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", program, empty.path], timeout=PATIENCE_S)
    assert done.returncode == -9
    assert os.path.exists(f"{empty.path}-journal")
    assert (empty.get("a"), empty.get("b")) == (bytes(100_000), None)


def test_the_checksum_of_a_value_is_computed_once(
    empty: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty.set("a", b"1")
    os.utime(empty.path, (0, 1e9))
    first = empty.stat("a")
    with monkeypatch.context() as patch:
        patch.setattr(xxhash, "xxh3_128", None)
        assert empty.stat("a") == first
    empty.set("b", b"1")
    empty.set("a", b"2")
    assert empty.stat("a").etag != first.etag
    assert empty.stat("b").etag == first.etag
    empty.erase("a")
    assert empty.stat("a") is None


def test_a_file_that_was_replaced_or_removed_is_noticed(empty: SQLiteStore, database: Path) -> None:
    empty.set("zarr.json", b"old")
    copy = Path(empty.path + ".new")
    shutil.copy(database, copy)
    copy.rename(empty.path)
    assert empty.get("zarr.json") == VALUES["zarr.json"]
    os.unlink(empty.path)
    with pytest.raises(StoreNotFoundError):
        empty.get("zarr.json")


def test_many_keys_are_listed_in_little_memory(empty: SQLiteStore) -> None:
    with contextlib.closing(sqlite3.connect(empty.path)) as connection, connection:
        connection.execute("""
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
            INSERT INTO zarr SELECT printf('c/%03d/%03d', i / 1000, i % 1000), x'01' FROM n""")
    before = forget_peak()
    assert sum(entry.size or 0 for entry in empty.list()) == 100_000
    assert sum(1 for _ in empty.list_dir("c/")) == 100
    assert peak_nbytes() - before < 8 << 20
    empty.erase_prefix("c/007/")
    assert not empty.has_prefix("c/007/")
