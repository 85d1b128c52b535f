"""CacheStore: which answers are reused, for how long, and the requests to the store."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.core.stores.cache.distant import ASKED, FETCHED, Clock, Distant, again
from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.waiting import PATIENCE_S
from zarrcore.errors import (
    ListingUnsupportedError,
    ReadOnlyError,
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
)
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.shared import SharedCache
from zarrcore.stores.cache.store import CacheStore


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
            assert self.gate.wait(PATIENCE_S)
            return found

    slow = Slow(values={"a": b"old"})
    cached = CacheStore(slow, CacheDirectory(tmp_path, 1 << 30))
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(cached.get, "a")
        assert slow.reached.wait(PATIENCE_S)
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


def names(place: Path) -> Iterable[Path]:
    return (file for file in place.rglob("*") if file.is_file())


def test_the_disk_contains_no_keys_or_secrets_in_clear_text(cached: CacheStore, tmp_path: Path) -> None:
    cached.get("b/c", ByteRange(0, 1))
    for file in names(tmp_path):
        assert b"b/c" not in file.read_bytes()
        assert "b" not in file.relative_to(tmp_path).parts[-1] or len(file.name) > 30
        assert file.stat().st_mode & 0o777 <= 0o644
    assert (tmp_path / "zarrscope-cache-2").stat().st_mode & 0o777 == 0o700
