"""LMDBStore."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import lmdb
import pytest
import xxhash

from tests.any_store import open_store
from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.core.stores.test_model import check
from tests.memory import forget_peak, peak_nbytes
from tests.waiting import PATIENCE_S
from zarrcore.errors import (
    BrokenBodyError,
    InvalidKeyError,
    MissingExtraError,
    StoreError,
    StoreNotFoundError,
)
from zarrcore.stores import WritableStore
from zarrcore.stores.database.lmdb import LMDBStore


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[LMDBStore]:
    with LMDBStore(tmp_path / "a b.lmdb", create=True) as made:
        yield made


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with `VALUES`, made without zarrcore; shared, so it must not be changed."""
    path = tmp_path_factory.mktemp("lmdb") / "values.lmdb"
    fill(path, {key.encode(): value for key, value in VALUES.items()})
    return path


@pytest.fixture
def store(database: Path) -> Iterator[LMDBStore]:
    with LMDBStore(database) as made:
        yield made


def fill(path: Path, values: dict[bytes, bytes], **options: object) -> None:
    """Write keys with LMDB's own module."""
    with lmdb.open(str(path), map_size=1 << 30, **options) as env, env.begin(write=True) as transaction:
        transaction.cursor().putmulti([*values.items()])


class TestLMDBStore(StoreTests, WritableStoreTests):
    path_like = False
    tells_mtime = False


def test_the_store_behaves_like_a_dictionary() -> None:
    @contextlib.contextmanager
    def database() -> Iterator[WritableStore]:
        with tempfile.TemporaryDirectory() as place:
            yield LMDBStore(place, create=True)

    check(database, 6)


def test_a_url_names_a_directory_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fill(tmp_path / "single", {b"a": b"1"}, subdir=False)
    with open_store("lmdb://single") as store:
        assert store.url == f"lmdb://{tmp_path}/single"
        assert store.get("a") == b"1"
    with open_store("lmdb://new/x.lmdb", create=True) as store:
        store.set("a", b"2")
    assert open_store(f"lmdb://{tmp_path}/new/x.lmdb").identity == store.identity
    assert sorted(os.listdir("new/x.lmdb")) == ["data.mdb", "lock.mdb"]


def test_lmdb_itself_reads_what_was_written(empty: LMDBStore) -> None:
    empty.set("a/größe", b"12")
    empty.set("a//c0", b"")
    program = (
        "import lmdb, sys; env = lmdb.open(sys.argv[1], readonly=True); print(dict(env.begin().cursor()))"
    )
    said = subprocess.check_output([sys.executable, "-c", program, empty.path], timeout=PATIENCE_S)
    assert said.decode() == f"{ {b'a//c0': b'', 'a/größe'.encode(): b'12'} }\n"


def test_keys_that_are_not_utf8_are_kept(tmp_path: Path) -> None:
    fill(tmp_path / "x", {b"a\xff": b"1", b"a//c0": b"2", b"b/": b"3"})
    with LMDBStore(tmp_path / "x") as store:
        assert {entry.key: store.get(entry.key) for entry in store.list()} == {"a\udcff": b"1", "a//c0": b"2"}
        assert [entry.key for entry in store.list_dir("")] == ["a/", "a\udcff", "b/"]
        with pytest.raises(InvalidKeyError, match="the key is too long"):
            store.set("a" * 512, b"")


def test_a_truncated_database_is_reported(database: Path, tmp_path: Path) -> None:
    whole = (database / "data.mdb").read_bytes()
    for name, size in (("x", len(whole) - 1), ("y", 4096 * 3)):
        (tmp_path / name).write_bytes(whole[:size])
        with pytest.raises(BrokenBodyError, match="shorter than the database"):
            LMDBStore(tmp_path / name)
    (tmp_path / "z").write_bytes(whole)
    with LMDBStore(tmp_path / "z") as store:
        os.truncate(tmp_path / "z", len(whole) - 4096)
        with pytest.raises(BrokenBodyError, match="became shorter"):
            store.get("zarr.json")


def test_the_checksum_of_a_value_is_computed_once(empty: LMDBStore, monkeypatch: pytest.MonkeyPatch) -> None:
    empty.set("a", b"1")
    first = empty.stat("a")
    with monkeypatch.context() as patch:
        patch.setattr(xxhash, "xxh3_128_hexdigest", None)
        assert empty.stat("a") == first
    empty.set("b", b"1")
    empty.set("a", b"2")
    assert empty.stat("a").etag != first.etag
    assert empty.stat("b").etag == first.etag
    empty.erase("a")
    assert empty.stat("a") is None


def test_a_file_that_was_replaced_or_removed_is_noticed(empty: LMDBStore, database: Path) -> None:
    empty.set("zarr.json", b"old")
    os.rename(empty.path, f"{empty.path}.old")
    shutil.copytree(database, empty.path)
    assert empty.get("zarr.json") == VALUES["zarr.json"]
    os.unlink(f"{empty.path}/data.mdb")
    with pytest.raises(StoreNotFoundError):
        empty.get("zarr.json")


def test_use_in_a_forked_process_is_an_error(empty: LMDBStore, database: Path) -> None:
    empty.set("a", b"1")
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            with pytest.raises(StoreError, match="forked while it was open"):
                empty.get("a")
            status = 0 if LMDBStore(database).get("ab/x") == b"1" else 2
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert empty.get("a") == b"1"


def test_many_keys_are_listed_in_little_memory(tmp_path: Path) -> None:
    names = (b"c/%03d/%03d" % divmod(number, 1000) for number in range(100_000))
    fill(tmp_path / "x", dict.fromkeys(names, b"1"))
    with LMDBStore(tmp_path / "x") as store:
        list(store.list_dir("c/000/"))
        before = forget_peak()
        assert sum(1 for _ in store.list_dir("c/")) == 100
        assert sum(entry.size or 0 for entry in store.list()) == 100_000
        assert peak_nbytes() - before < 20 << 20  # mostly the mapped file
        store.erase_prefix("c/007/")
        assert not store.has_prefix("c/007/")


def test_it_pickles_with_its_options(tmp_path: Path) -> None:
    with open_store(f"lmdb://{tmp_path / 'x'}", create=True, durable=True, timeout_s=3) as store:
        store.set("a", b"1")
        again = pickle.loads(pickle.dumps(store))
        assert (again.durable, again.timeout_s, again.get("a")) == (True, 3, b"1")


def test_a_missing_extra_is_named(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lmdb", None)
    gc.collect()
    with pytest.raises(MissingExtraError, match=r"pip install 'zarrscope\[lmdb\]'"):
        open_store(f"lmdb://{database}")
