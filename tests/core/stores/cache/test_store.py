"""CacheStore: which answers are reused, for how long, and the requests to the store."""

from __future__ import annotations

import pickle
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.any_store import open_store
from tests.command import Outcome
from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.servers import FaultServer, S3Server
from zarrcore.errors import (
    AccessDeniedError,
    ListingUnsupportedError,
    ReadOnlyError,
    StoreError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import (
    ByteRange,
    BytesLike,
    LocalStore,
    MemoryStore,
    PrefixStore,
    ReadableStore,
    ReadOnlyStore,
    StoreStat,
    ZipStore,
)
from zarrcore.stores.cache import store as cache_store
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.entries import CacheEntries
from zarrcore.stores.cache.shared import SharedCache
from zarrcore.stores.cache.store import CacheStore


class Clock:
    """A clock that tests advance."""

    def __init__(self) -> None:
        self.now_s = 1e9

    def __call__(self) -> float:
        return self.now_s


class Distant(MemoryStore):
    """Values with a stable identity, and counts of requests."""

    is_remote = True

    def __init__(self, name: str = "", values: dict[str, BytesLike] | None = None) -> None:
        self.asked: Counter[str] = Counter()
        self.failure: StoreError | None = None
        super().__init__(name, values)

    @property
    def identity(self) -> Any:
        return "distant", self.name

    def get(self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None) -> Any:
        self._count("get")
        return super().get(key, byte_range, max_nbytes=max_nbytes)

    def stat(self, key: str) -> StoreStat | None:
        self._count("stat")
        return super().stat(key)

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> Any:
        self._count("get_with_stat")
        value = MemoryStore.get(self, key, byte_range, max_nbytes=max_nbytes)
        stat = MemoryStore.stat(self, key)
        return None if value is None or stat is None else (value, stat)

    def _count(self, what: str) -> None:
        self.asked[what] += 1
        if self.failure is not None:
            raise self.failure

    def counts(self) -> dict[str, int]:
        """The requests since the last call."""
        counted, self.asked = dict(self.asked), Counter()
        return counted


FETCHED, ASKED = {"get_with_stat": 1}, {"stat": 1}


@pytest.fixture
def beneath() -> Distant:
    return Distant("", {"a": bytes(range(100)), "b/c": b"123"})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cached(beneath: Distant, tmp_path: Path, clock: Clock) -> CacheStore:
    return CacheStore(beneath, CacheDirectory(tmp_path, 1 << 30), 60.0, clock)


def again(cached: CacheStore) -> CacheStore:
    """The view of another process: the same store and directory, and nothing in memory."""
    entries = pickle.loads(pickle.dumps(cached.entries))
    return CacheStore(cached.store, entries, cached.max_age_s, cached._clock)


class TestCacheStore(StoreTests, WritableStoreTests):
    path_like = False

    @pytest.fixture
    def store(self, tmp_path: Path) -> CacheStore:
        return CacheStore(MemoryStore(values=dict(VALUES)), CacheDirectory(tmp_path, 1 << 30))

    @pytest.fixture
    def empty(self, tmp_path: Path) -> CacheStore:
        return CacheStore(MemoryStore(), CacheDirectory(tmp_path, 1 << 30))


class TestCacheInAnotherStore(StoreTests, WritableStoreTests):
    path_like = False

    @pytest.fixture
    def store(self) -> CacheStore:
        return CacheStore(MemoryStore(values=dict(VALUES)), SharedCache(MemoryStore()))

    @pytest.fixture
    def empty(self) -> CacheStore:
        return CacheStore(MemoryStore(), SharedCache(MemoryStore()))


class TestCacheOfFiles(StoreTests):
    """Filled by one process, read by the next."""

    @pytest.fixture
    def store(self, tmp_path: Path, values_directory: Path) -> CacheStore:
        first = CacheStore(LocalStore(values_directory), CacheDirectory(tmp_path, 1 << 30))
        for key in VALUES:
            first.get(key)
        return again(first)


def test_fetched_values_are_reused_and_outlive_the_process(cached: CacheStore, beneath: Distant) -> None:
    for key, byte_range in (("a", None), ("a", ByteRange(3, 7)), ("a", ByteRange(-5)), ("absent", None)):
        expected = beneath.get(key, byte_range)
        beneath.counts()
        assert cached.get(key, byte_range) == expected
        beneath.counts()
        assert cached.get(key, byte_range) == expected
        assert again(cached).get(key, byte_range) == expected
        assert again(cached).stat(key) == MemoryStore.stat(beneath, key)
        assert beneath.counts() == {}


def test_a_part_is_fetched_without_the_rest(cached: CacheStore, beneath: Distant) -> None:
    assert cached.get("a", ByteRange(-10)) == bytes(range(90, 100))
    assert cached.get("a", ByteRange(20, 40)) == bytes(range(20, 40))
    assert beneath.counts() == {"get_with_stat": 2}
    # A part of the cached bytes is found, in one piece or several adjacent ones.
    assert cached.get("a", ByteRange(25, 30)) == bytes(range(25, 30))
    assert cached.get("a", ByteRange(95)) == bytes(range(95, 100))
    assert beneath.counts() == {}
    assert cached.get("a", ByteRange(38, 60)) == bytes(range(38, 60))
    assert cached.get("a", ByteRange(60, 90)) == bytes(range(60, 90))
    assert beneath.counts() == {"get_with_stat": 2}
    assert cached.get("a", ByteRange(21, 99)) == bytes(range(21, 99))
    assert beneath.counts() == {}
    assert cached.get("a", ByteRange(19, 21)) == bytes(range(19, 21))
    assert beneath.counts() == FETCHED


def test_an_expired_value_is_revalidated_once_and_fetched_only_if_it_changed(
    cached: CacheStore, beneath: Distant, clock: Clock
) -> None:
    parts = [None, ByteRange(0, 10), ByteRange(50)]
    for part in parts:
        cached.get("a", part)
    clock.now_s += 60
    beneath.counts()
    for part in parts:
        assert again(cached).get("a", part) == MemoryStore.get(beneath, "a", part)
    assert beneath.counts() == ASKED
    beneath.set("a", b"new")
    assert bytes(cached.get("a")) == bytes(range(100))
    clock.now_s += 60
    assert cached.get("a") == b"new"
    assert beneath.counts() == {"stat": 1, "get_with_stat": 1}
    beneath.erase("a")
    clock.now_s += 60
    assert cached.get("a") is None
    assert cached.stat("a") is None
    assert beneath.counts() == ASKED


def test_absent_keys_are_cached_as_long_as_values(cached: CacheStore, beneath: Distant, clock: Clock) -> None:
    assert cached.get("x") is None
    beneath.set("x", b"1")
    assert cached.get("x", ByteRange(0, 1)) is None
    assert again(cached).stat("x") is None
    assert beneath.counts() == FETCHED
    clock.now_s += 60
    assert cached.get("x") == b"1"
    assert beneath.counts() == FETCHED


def test_parts_of_two_versions_are_never_mixed(cached: CacheStore, beneath: Distant) -> None:
    assert cached.get("a", ByteRange(0, 10)) == bytes(range(10))
    assert cached.get("a", ByteRange(20, 30)) == bytes(range(20, 30))
    before = cached.stat("a")
    beneath.set("a", b"x" * 100)
    assert cached.get("a", ByteRange(20, 30)) == bytes(range(20, 30))
    assert cached.get("a", ByteRange(10, 20)) == b"x" * 10
    beneath.counts()
    assert cached.stat("a") != before  # without a request
    assert beneath.counts() == {}
    # From now on only the new version is returned, in other processes too.
    for store in (cached, again(cached)):
        assert store.get("a", ByteRange(0, 30)) == b"x" * 30
        assert store.get("a", ByteRange(20, 30)) == b"x" * 10


def test_a_clock_that_was_ahead_does_not_keep_entries_valid(
    cached: CacheStore, beneath: Distant, clock: Clock
) -> None:
    cached.get("a")
    clock.now_s -= 1000
    beneath.set("a", b"new")
    assert again(cached).get("a") == b"new"


def test_a_refresh_counts_however_the_clock_is_set(
    cached: CacheStore, beneath: Distant, clock: Clock
) -> None:
    assert cached.get("a") == bytes(range(100))
    beneath.set("a", b"new")
    clock.now_s -= 1000
    cached.refresh()
    clock.now_s += 1000
    assert cached.get("a") == again(cached).get("a") == b"new"


@pytest.mark.parametrize("age_s", [0.0, float("inf")])
def test_a_maximum_age_of_zero_and_of_infinity(
    beneath: Distant, tmp_path: Path, clock: Clock, age_s: float
) -> None:
    cached = CacheStore(beneath, CacheDirectory(tmp_path, 1 << 30), age_s, clock)
    cached.get("a")
    clock.now_s += 1e8
    beneath.counts()
    cached.get("a")
    assert beneath.counts() == (ASKED if age_s == 0 else {})
    beneath.set("a", b"new")
    assert (cached.get("a") == b"new") == (age_s == 0)
    cached.refresh()
    clock.now_s += 1
    assert again(cached).get("a") == b"new"


def test_errors_are_not_kept(cached: CacheStore, beneath: Distant) -> None:
    beneath.failure = UnreachableError("down")
    for _ in range(2):
        with pytest.raises(UnreachableError):
            cached.get("a")
        with pytest.raises(UnreachableError):
            cached.stat("a")
    assert beneath.counts() == {"get_with_stat": 2, "stat": 2}
    beneath.failure = None
    assert cached.get("a") == bytes(range(100))
    beneath.failure = UnreachableError("down")
    assert cached.get("a") == bytes(range(100))
    assert again(cached).stat("a").size == 100


def test_a_value_written_through_the_cache_is_read_at_once(cached: CacheStore, beneath: Distant) -> None:
    other = again(cached)
    for key in ("a", "b/c", "new"):
        cached.get(key)
        cached.get(key, ByteRange(0, 2))
    cached.set("a", b"one")
    assert cached.get("a") == again(cached).get("a") == b"one"
    assert cached.set("new", b"two", if_absent=True)
    assert cached.get("new", ByteRange(0, 2)) == b"tw"
    cached.set_partial_values([("a", 1, b"XY")])
    assert cached.get("a", ByteRange(0, 2)) == b"oX"
    cached.erase("a")
    assert cached.get("a") is None
    cached.erase_values(iter(["new"]))
    assert cached.stat("new") is None
    cached.erase_prefix("b/")
    assert cached.get("b/c") is None
    assert again(cached).get("b/c") is None
    assert other.get("a") is None
    beneath.failure = UnreachableError("down")
    cached.store = ReadOnlyStore(beneath)
    with pytest.raises(ReadOnlyError):
        cached.set("a", b"1")


def test_a_failed_write_drops_the_entry(cached: CacheStore, beneath: Distant) -> None:
    class Lost(Distant):
        def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
            super().set(key, value, if_absent=if_absent)
            raise UnreachableError("no answer")

    cached.get("a")
    lost = Lost()
    lost._values = beneath._values
    cached.store = lost
    with pytest.raises(UnreachableError):
        cached.set("a", b"written despite the error")
    assert cached.get("a") == b"written despite the error"


def test_a_value_that_is_read_during_a_write_is_not_kept(beneath: Distant, tmp_path: Path) -> None:
    class Slow(Distant):
        gate = threading.Event()
        reached = threading.Event()

        def get_with_stat(self, *arguments: Any, **keywords: Any) -> Any:
            found = super().get_with_stat(*arguments, **keywords)
            self.reached.set()
            assert self.gate.wait(20)
            return found

    slow = Slow(values={"a": b"old"})
    cached = CacheStore(slow, CacheDirectory(tmp_path, 1 << 30))
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(cached.get, "a")
        assert slow.reached.wait(20)
        cached.set("a", b"new")
        slow.gate.set()
        # A read after the write does not get it either.
        assert cached.get("a") == b"new"
        assert reading.result() == b"old"
    assert cached.get("a") == again(cached).get("a") == b"new"


def test_threads_that_want_the_same_value_share_one_request(
    beneath: Distant, tmp_path: Path, clock: Clock
) -> None:
    class Slow(Distant):
        def _count(self, what: str) -> None:
            super()._count(what)
            threading.Event().wait(0.05)

    slow = Slow(values={"a": bytes(1000), "b": b"1"})
    cached = CacheStore(slow, CacheDirectory(tmp_path, 1 << 30), 60.0, clock)
    with ThreadPoolExecutor(16) as pool:
        for ask, expected in (
            (lambda _: bytes(cached.get("a")), bytes(1000)),
            (lambda _: bytes(cached.get("a", ByteRange(-7))), bytes(7)),
            (lambda _: cached.get("absent"), None),
            (lambda _: cached.stat("b").size, 1),
        ):
            assert all(found == expected for found in pool.map(ask, range(64)))
            assert sum(slow.counts().values()) <= 1
        clock.now_s += 60
        assert all(pool.map(lambda _: cached.get("a") is not None, range(64)))
        assert slow.counts() == ASKED
        slow.failure = UnreachableError("down")
        clock.now_s += 60

        def fails(_: int) -> bool:
            with pytest.raises(UnreachableError):
                cached.get("a")
            return True

        assert all(pool.map(fails, range(16)))


def test_a_value_of_unknown_version_is_not_kept(tmp_path: Path) -> None:
    class Silent(MemoryStore):
        def stat(self, key: str) -> StoreStat | None:
            found = super().stat(key)
            return None if found is None else StoreStat(found.size)

    silent = Silent(values={"a": b"one"})
    cached = CacheStore(silent, CacheDirectory(tmp_path, 1 << 30))
    assert cached.get("a") == b"one"
    silent.set("a", b"two")
    assert cached.get("a") == b"two"


def test_the_cache_of_a_read_only_store_is_read_only(tmp_path: Path) -> None:
    class Plain(ReadableStore):
        url = "test://"

        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            return b"1" if key == "a" else None

    cached = CacheStore(Plain(), CacheDirectory(tmp_path, 1 << 30))
    assert cached.get("a") == b"1"
    assert cached.read_only
    with pytest.raises(ReadOnlyError):
        cached.set("a", b"2")
    with pytest.raises(ListingUnsupportedError):
        list(cached.list())


def test_a_refresh_reaches_the_cache_through_wrappers(
    cached: CacheStore, beneath: Distant, clock: Clock
) -> None:
    shown = ReadOnlyStore(PrefixStore(cached, "b/"))
    assert shown.get("c") == b"123"
    beneath.set("b/c", b"456")
    assert shown.get("c") == b"123"
    shown.refresh()
    clock.now_s += 1
    assert shown.get("c") == b"456"


def test_a_zip_file_in_a_cached_store_is_read_from_the_cache(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "x.zip") as made:
        made.create_array("a", shape=(100, 100), data_type="int16", chunk_shape=(10, 100))[...] = np.arange(
            100
        )
    remote = Distant("", {"x.zip": (tmp_path / "x.zip").read_bytes()})
    directory = CacheDirectory(tmp_path / "cache", 1 << 30)
    for _ in range(2):
        store = ZipStore(CacheStore(remote, directory), "x.zip")
        np.testing.assert_array_equal(zarrcore.open(store)["a"][50], np.arange(100))
        asked = remote.counts()
    assert asked == {}


@pytest.mark.parametrize("shards", [None, (64, 64)])
def test_cached_arrays_are_read_without_the_store(tmp_path: Path, shards: tuple[int, int] | None) -> None:
    remote = Distant()
    values = np.random.default_rng(1).integers(0, 1000, (128, 128)).astype("uint16")
    made = zarrcore.create(remote).create_array(
        "a", shape=values.shape, data_type="uint16", chunk_shape=(16, 16), shard_shape=shards
    )
    made[:100] = values[:100]
    directory = CacheDirectory(tmp_path, 1 << 30)
    cached = CacheStore(remote, directory)
    expected = np.where(np.arange(128)[:, None] < 100, values, 0)
    np.testing.assert_array_equal(zarrcore.open(cached)["a"][...], expected)
    remote.failure = UnreachableError("down")
    read = zarrcore.open(again(cached))["a"]
    np.testing.assert_array_equal(read[...], expected)
    np.testing.assert_array_equal(read[17:90, 33:35], expected[17:90, 33:35])
    assert pickle.loads(pickle.dumps(cached)).entries.path == str(tmp_path)


@pytest.mark.parametrize("keeps_chunks", [False, True])
def test_a_replaced_shard_is_read_again(tmp_path: Path, keeps_chunks: bool) -> None:
    def write(first: int) -> None:
        made = zarrcore.create(remote, overwrite=True) if first else zarrcore.create(remote)
        array = made.create_array(
            "a", shape=(8, 8), data_type="uint8", chunk_shape=(2, 2), shard_shape=(8, 8), codecs=[]
        )
        array[...] = np.where(np.arange(64).reshape(8, 8) < first, 0, expected + first)

    remote = Distant()
    expected = np.arange(64, dtype="uint8").reshape(8, 8)
    write(0)
    cached = CacheStore(remote, CacheDirectory(tmp_path, 1 << 30))
    chunks = zarrcore.ChunkCache(1 << 20) if keeps_chunks else None
    read = zarrcore.open(cached, chunk_cache=chunks)["a"]
    np.testing.assert_array_equal(read[6:, 6:], expected[6:, 6:])
    assert remote.asked["stat"] <= 1  # for the document, none for shards
    write(40)  # with fewer inner chunks, so that all are at other positions
    np.testing.assert_array_equal(read[6:, :2], expected[6:, :2] + 40)
    np.testing.assert_array_equal(read[:2, :2], 0)
    assert cached.stat("a/c/0/0") == remote.stat("a/c/0/0")


def names(place: Path) -> Iterable[Path]:
    return (file for file in place.rglob("*") if file.is_file())


def test_the_disk_contains_no_keys_or_secrets_in_clear_text(cached: CacheStore, tmp_path: Path) -> None:
    cached.get("b/c", ByteRange(0, 1))
    for file in names(tmp_path):
        assert b"b/c" not in file.read_bytes()
        assert "b" not in file.relative_to(tmp_path).parts[-1] or len(file.name) > 30
        assert file.stat().st_mode & 0o777 <= 0o644
    assert (tmp_path / "zarrscope-cache-2").stat().st_mode & 0o777 == 0o700


def test_a_value_of_a_web_server_costs_at_most_one_request(faults: FaultServer, tmp_path: Path) -> None:
    faults.values["a/x"] = bytes(range(100))
    kept = {"cache_dir": tmp_path, "timeout_s": 1.0, "retries": 0}
    for key, byte_range, expected in (
        ("x", None, bytes(range(100))),
        ("x", ByteRange(3, 9), bytes(range(3, 9))),
        ("x", ByteRange(-9), bytes(range(91, 100))),
        ("y", None, None),
    ):
        faults.requests.clear()
        store = open_store(f"{faults.url}/a", **kept, cache_max_age_s=1e9)
        assert store.get(key, byte_range) == expected
        assert len(faults.requests) <= 1
        faults.faults[f"a/{key}"] = "hang"
        assert store.get(key, byte_range) == expected
        assert open_store(f"{faults.url}/a", **kept).get(key, byte_range) == expected
        del faults.faults[f"a/{key}"]
    # Other credentials find nothing of it.
    faults.faults["a/x"] = 403
    stranger = open_store(f"{faults.url}/a", **kept, headers={"Authorization": "Bearer other"})
    with pytest.raises(AccessDeniedError):
        stranger.get("x")


def test_values_of_a_bucket_are_revalidated(s3: S3Server, tmp_path: Path) -> None:
    s3.put("bucket/kept/x", bytes(range(100)))
    options = {**s3.options, "cache_dir": tmp_path}
    assert open_store("s3://bucket/kept", **options).get("x", ByteRange(-9)) == bytes(range(91, 100))
    assert open_store("s3://bucket/kept", **options).get("x") == bytes(range(100))
    s3.put("bucket/kept/x", b"new")
    assert open_store("s3://bucket/kept", **options).get("x") == bytes(range(100))
    assert open_store("s3://bucket/kept", **options, cache_max_age_s=0.0).get("x") == b"new"
    assert open_store("s3://bucket/kept", **options).get("x") == b"new"
    with s3.denying(), pytest.raises(AccessDeniedError):
        open_store("s3://bucket/kept", **options, cache_max_age_s=0.0).get("x")
    store = open_store("s3://bucket/kept", **options)
    store.set("x", b"newer")
    assert store.get("x") == open_store("s3://bucket/kept", **options).get("x") == b"newer"


def test_the_command_line_has_options_for_the_cache(
    faults: FaultServer, tmp_path: Path, zarrscope: Callable[..., Outcome]
) -> None:
    remote = MemoryStore()
    zarrcore.create(remote).create_array("a", shape=(9,), data_type="int16")[...] = np.arange(9)
    for entry in remote.list():
        faults.values[f"h/{entry.key}"] = bytes(remote.get(entry.key) or b"")
    command = (
        "cat",
        f"{faults.url}/h",
        "a",
        "--as",
        "csv",
        "--cache-dir",
        tmp_path,
        "--cache-dir-size",
        "1G",
    )
    first = zarrscope(*command)
    faults.faults.update(dict.fromkeys(faults.values, 503))
    assert zarrscope(*command, "--retries", "0") == first
    assert first.stdout == b"".join(b"%d\n" % number for number in range(9))
    assert open_store(tmp_path, cache_dir=tmp_path / "unused").get("x") is None  # needs no cache
    assert not (tmp_path / "unused").exists()


class Slow(Distant):
    """Values that arrive late."""

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> Any:
        time.sleep(0.1)
        return super().get_with_stat(key, byte_range, max_nbytes=max_nbytes)


@pytest.fixture(params=["directory", "store"])
def entries(request: pytest.FixtureRequest, tmp_path: Path) -> CacheEntries:
    """A cache, for several processes."""
    return CacheDirectory(tmp_path, 1 << 30) if request.param == "directory" else SharedCache(MemoryStore())


def test_processes_that_need_the_same_bytes_at_once_fetch_them_once(entries: CacheEntries) -> None:
    slow = Slow("", {"a": b"value"})
    processes = [CacheStore(slow, entries) for _ in range(8)]
    processes[0].stat("absent")  # the first use begins the era of all
    slow.counts()
    with ThreadPoolExecutor(16) as threads:
        whole = [threads.submit(process.get, "a") for process in processes]
        part = [threads.submit(process.get, "a", ByteRange(1, 3)) for process in processes]
        assert {bytes(value.result() or b"") for value in whole} == {b"value"}
        assert {bytes(value.result() or b"") for value in part} == {b"al"}
        assert {value.result() for value in [threads.submit(each.get, "b") for each in processes]} == {None}
    assert slow.asked.total() <= 3


@pytest.mark.parametrize("fails", [False, True])
def test_nobody_waits_for_a_process_that_keeps_nothing(
    entries: CacheEntries, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was killed, or it failed and gave its claim back."""
    monkeypatch.setattr(cache_store, "_OTHERS_S", 0.3 if not fails else 1e9)
    beneath = Distant("", {"a": b"value"})
    other, here = CacheStore(beneath, entries), CacheStore(beneath, entries)
    claim, is_mine = other._values.claim("a", None)
    assert is_mine
    if fails:
        threading.Timer(0.1, claim.drop).start()
    assert here.get("a") == b"value"
    assert not claim.is_held, "the next process need not wait"


def test_a_process_that_fails_gives_its_claim_back(entries: CacheEntries) -> None:
    beneath = Distant("", {"a": b"value"})
    first = CacheStore(beneath, entries)
    beneath.failure = StoreTimeoutError("no answer")
    with pytest.raises(StoreTimeoutError):
        first.get("a")
    beneath.failure = None
    assert CacheStore(beneath, entries)._values.claim("a", None)[1]
