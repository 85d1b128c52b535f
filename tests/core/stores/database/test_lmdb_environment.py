"""LMDB environments: opened once per process, written by one thread, and their errors."""

from __future__ import annotations

import errno
import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import lmdb
import pytest

from tests.any_store import open_store
from tests.core.stores.as_nobody import as_nobody, place_for_all
from tests.core.stores.contract import CHUNK
from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    KeyTooLongError,
    StoreError,
    StoreFullError,
    StoreNotFoundError,
    StoreTimeoutError,
)
from zarrcore.stores.database import lmdb_environment
from zarrcore.stores.database.lmdb import LMDBStore
from zarrcore.stores.database.lmdb_environment import environment_at, failing


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[LMDBStore]:
    with LMDBStore(tmp_path / "a b.lmdb", create=True) as made:
        yield made


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (lambda path: None, StoreNotFoundError, "there is no LMDB database at"),
        (lambda path: path.mkdir(), StoreNotFoundError, "there is no LMDB database at"),
        (lambda path: path.touch(), StoreNotFoundError, "there is no LMDB database at"),
        (lambda path: path.write_bytes(CHUNK), BrokenBodyError, "it is not an LMDB database"),
    ],
)
def test_a_file_that_is_not_a_database_is_reported(
    tmp_path: Path, make: Callable[[Path], object], kind: type[StoreError], said: str
) -> None:
    path = tmp_path / "x"
    make(path)
    before = path.stat().st_size if path.is_file() else 0
    with pytest.raises(kind, match=said) as caught:
        open_store(f"lmdb://{path}")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not path.is_file() or path.stat().st_size == before
    assert not path.is_dir() or not os.listdir(path)


def test_a_writer_waits_no_longer_than_the_timeout(empty: LMDBStore) -> None:
    empty.set("a", b"1")
    program = (
        "import lmdb, sys; env = lmdb.open(sys.argv[1], map_size=1<<40)\n"
        "with env.begin(write=True): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, empty.path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        impatient = open_store(empty.url, timeout_s=0.05)
        with pytest.raises(StoreTimeoutError, match=r"^a in lmdb://.* keeps the database locked"):
            impatient.set("a", b"2")
        assert impatient.get("a") == b"1"
        other.kill()  # together with its lock
    empty.set("b", b"3")
    assert (empty.get("a"), empty.get("b")) == (b"1", b"3")


def test_a_database_without_permission_is_denied() -> None:
    with place_for_all() as place, LMDBStore(place / "x", create=True) as store:
        store.set("a", b"1")
        store.close()
        for file, mode in (("data.mdb", 0o444), ("lock.mdb", 0o444), (".", 0o555)):
            os.chmod(f"{store.path}/{file}", mode)
        lines = f"store = open_store({store.url!r}); print(store.get('a')); store.set('a', b'2')"
        expected = "the database, or its directory, is read-only"
        assert as_nobody("lmdb", lines) == f"b'1'\nAccessDeniedError a in {store.url}: {expected}\n"
        os.chmod(f"{store.path}/data.mdb", 0)
        said = as_nobody("lmdb", f"open_store({store.url!r})")
        assert said.startswith(f"AccessDeniedError {store.url}: ")
        os.chmod(store.path, 0o755)


def test_a_full_disk_is_reported_and_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lmdb_environment, "_MAP_BYTES", 1 << 16)
    with LMDBStore(tmp_path / "x", create=True) as store:
        store.set("a", b"1")
        with pytest.raises(
            StoreFullError, match=r"^a in lmdb://.*: the database has reached its maximum size$"
        ):
            store.set("a", bytes(100_000))
        assert store.get("a") == b"1"


def test_an_incomplete_write_means_a_full_disk(empty: LMDBStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        error = lmdb.Error("mdb_txn_commit: Input/output error")
        error.code = errno.EIO
        raise error

    for little, kind in ((0, StoreError), (1 << 60, StoreFullError)):
        monkeypatch.setattr(lmdb_environment, "_LITTLE", little)
        with pytest.raises(kind) as caught, failing("a", empty.url):
            fail()
        assert type(caught.value) is kind


def test_stores_of_one_process_share_the_file(empty: LMDBStore) -> None:
    other = LMDBStore(empty.path)
    empty.set("a", b"1")
    empty.close()
    assert other.get("a") == b"1"
    other.close()
    gc.collect()
    # A second opening is refused while the file is open.
    with lmdb.open(empty.path) as again, again.begin() as transaction:
        assert transaction.get(b"a") == b"1"


def test_every_path_of_a_database_gives_the_same_environment(tmp_path: Path) -> None:
    made = environment_at(str(tmp_path / "x"), "lmdb://x", create=True)
    assert environment_at(str(tmp_path / "x"), "lmdb://x") is made
    assert environment_at(str(tmp_path / "x" / "data.mdb"), "lmdb://x") is made
    assert environment_at(str(tmp_path / "y"), "lmdb://y", create=True) is not made


def test_a_reader_keeps_its_snapshot_while_others_write(tmp_path: Path) -> None:
    env = environment_at(str(tmp_path / "x"), "lmdb://x", create=True)
    with env.reading() as old:
        assert env.write(lambda transaction: transaction.put(b"a", b"1"), 5, durable=True)
        assert old.get(b"a") is None
    with env.reading() as new:
        assert bytes(new.get(b"a")) == b"1"
    assert not env.write(lambda transaction: transaction.delete(b"absent"), 5, durable=False)


def test_a_change_that_fails_changes_nothing_and_later_changes_work(tmp_path: Path) -> None:
    env = environment_at(str(tmp_path / "x"), "lmdb://x", create=True)

    def change(transaction: lmdb.Transaction) -> bool:
        transaction.put(b"a", b"1")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        env.write(change, 5, durable=False)
    assert env.write(lambda transaction: transaction.put(b"b", b"2"), 5, durable=False)
    with env.reading() as transaction:
        assert (transaction.get(b"a"), bytes(transaction.get(b"b"))) == (None, b"2")


def test_a_change_that_waited_too_long_is_never_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = environment_at(str(tmp_path / "x"), "lmdb://x", create=True)
    started, late, finish = threading.Event(), threading.Event(), threading.Event()

    class Late(Future[bool]):
        """The outcome of a change whose time is over right after it has started."""

        def result(self, timeout: float | None = None) -> bool:
            if timeout == 1e6:
                assert started.wait(30)
                late.set()
                raise TimeoutError
            return super().result(timeout)

    def slow(transaction: lmdb.Transaction) -> bool:
        started.set()
        return finish.wait(30) and transaction.put(b"slow", b"1")

    monkeypatch.setattr(lmdb_environment, "Future", Late)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(env.write, slow, 1e6, durable=False)
        assert late.wait(30)
        with pytest.raises(TimeoutError):
            env.write(lambda transaction: transaction.put(b"late", b"1"), 0.01, durable=False)
        finish.set()
        assert first.result(30)  # a change that has started is never reported as a failure
    env.write(lambda transaction: True, 30, durable=False)
    with env.reading() as transaction:
        assert [bytes(key) for key, _ in transaction.cursor()] == [b"slow"]


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (TimeoutError(), StoreTimeoutError, "keeps the database locked (--timeout)"),
        (PermissionError(errno.EACCES, ""), AccessDeniedError, "Permission denied"),
        (MemoryError(), StoreError, "there is not enough memory for it"),
        (lmdb.CorruptedError(), BrokenBodyError, "the database is damaged"),  # type: ignore[call-arg]
        (lmdb.BadValsizeError(), KeyTooLongError, "the key is too long for LMDB"),  # type: ignore[call-arg]
    ],
)
def test_errors_name_the_key_and_the_database(error: Exception, kind: type[StoreError], said: str) -> None:
    with pytest.raises(kind) as caught, failing("größe/0", "lmdb:///x"):
        raise error
    assert str(caught.value).startswith("größe/0 in lmdb:///x: ")
    assert str(caught.value).endswith(said)
    assert (caught.value.key, caught.value.url) == ("größe/0", "lmdb:///x")


def test_a_mistake_in_the_program_is_not_reported_as_an_error_of_the_database() -> None:
    with pytest.raises(KeyError), failing("a", "lmdb:///x"):
        raise KeyError("a")
