"""StatisticsStore."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest

from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.core.stores.test_model import check
from zarrcore.errors import BodyTooLargeError, ListingUnsupportedError, ReadOnlyError, UnreachableError
from zarrcore.stores import ByteRange, BytesLike, MemoryStore, ReadableStore, ReadOnlyStore, WritableStore
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.store import CacheStore
from zarrcore.stores.interface import ListableStore, StoreEntry
from zarrcore.stores.wrapper import request_log
from zarrcore.stores.wrapper.request_log import RequestLog
from zarrcore.stores.wrapper.statistics import OPERATIONS, OperationStatistics, StatisticsStore


@pytest.fixture
def store() -> StatisticsStore:
    return StatisticsStore(MemoryStore(values=VALUES))


@pytest.fixture
def empty() -> StatisticsStore:
    return StatisticsStore(MemoryStore())


class TestStatisticsStore(StoreTests, WritableStoreTests):
    path_like = False


def counts(store: StatisticsStore) -> dict[str, tuple[int, int, int]]:
    """Requests, errors and bytes of the kinds with requests."""
    found = store.statistics()
    assert tuple(found) == OPERATIONS
    assert all((kind.seconds > 0) == (kind.requests > 0) for kind in found.values())
    return {name: (kind.requests, kind.errors, kind.bytes) for name, kind in found.items() if kind.requests}


def test_a_new_store_has_counted_nothing(store: StatisticsStore) -> None:
    assert set(store.statistics().values()) == {OperationStatistics(0, 0, 0, 0.0)}


def test_reading_is_counted(store: StatisticsStore) -> None:
    store.get("ab/x")
    store.get("a/c/0/0", ByteRange(3, 10))
    store.get("absent")
    store.get_into("a/c/0/0", memoryview(bytearray(20)), ByteRange(5, 9))
    store.get_with_stat("ab/x")
    store.get_partial_values(iter([("ab/x", None), ("b", None), ("a/c/0/0", ByteRange(-6))]))
    with pytest.raises(BodyTooLargeError):
        store.get("a/c/0/0", max_nbytes=3)
    store.stat("ab/x")
    assert counts(store) == {"get": (9, 1, 1 + 7 + 4 + 1 + 7), "stat": (1, 0, 0)}


def test_listing_is_counted_when_it_ends_or_is_stopped(store: StatisticsStore) -> None:
    assert len([*store.list()]) == len(VALUES)
    assert len([*islice(store.list_dir(""), 2)]) == 2
    assert store.has_prefix("a/")
    assert counts(store) == {"list": (3, 0, 0)}


def test_writing_is_counted(empty: StatisticsStore) -> None:
    empty.set("a", memoryview(bytearray(24)).cast("I"))
    assert not empty.set("a", b"1", if_absent=True)
    assert not empty.set_attested("c", b"1234567")
    empty.set_partial_values(iter([("a", 0, b"12"), ("b", 0, b"345")]))
    empty.erase("a")
    empty.erase_values(iter(["b", "c"]))
    empty.erase_prefix("")
    assert counts(empty) == {"set": (5, 0, 24 + 1 + 7 + 5), "erase": (4, 0, 0)}


def test_it_has_the_abilities_of_its_store() -> None:
    class Broken(ReadableStore, ListableStore):
        url = "test://broken"

        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            raise UnreachableError("gone")

        def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
            yield StoreEntry("a")
            raise UnreachableError("gone")

    class Unlistable(ReadableStore):
        url = "test://unlistable"
        get = Broken.get

    store = StatisticsStore(Broken())
    for ask in (lambda: store.get("a"), lambda: [*store.list()]):
        with pytest.raises(UnreachableError):
            ask()
    assert counts(store) == {"get": (1, 1, 0), "list": (1, 1, 0)}
    with pytest.raises(ListingUnsupportedError):
        StatisticsStore(Unlistable()).list_dir("")
    sealed = StatisticsStore(ReadOnlyStore(MemoryStore()))
    assert sealed.read_only
    with pytest.raises(ReadOnlyError):
        sealed.set("a", b"1")
    with pytest.raises(ReadOnlyError):
        store.erase("a")


def test_threads_lose_no_counts_and_a_pickle_starts_at_zero(store: StatisticsStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: store.get("ab/x"), range(2000)))
    assert counts(store) == {"get": (2000, 0, 2000)}
    assert counts(pickle.loads(pickle.dumps(store))) == {}
    assert store.identity == store.store.identity


def test_the_store_behaves_like_a_dictionary() -> None:
    @contextlib.contextmanager
    def counted() -> Iterator[WritableStore]:
        yield StatisticsStore(MemoryStore())

    check(counted, 4, 25)


def test_requests_are_logged_while_there_is_a_log(store: StatisticsStore) -> None:
    log = RequestLog()
    store.get("ab/x")
    store.log_to(log)
    store.get("a/c/0/0", ByteRange(3, 10))
    store.get("absent")
    store.get_partial_values([("ab/x", None), ("b", None)])
    with pytest.raises(BodyTooLargeError):
        store.get("a/c/0/0", max_nbytes=3)
    store.stat("absent")
    [*store.list_dir("a/")]
    store.set("new", b"123")
    store.erase_values([])
    store.log_to(None)
    store.get("ab/x")
    found = log.take()
    assert [
        (one.operation, one.key, one.keys, one.bytes, one.is_absent, bool(one.error)) for one in found
    ] == [
        ("get", "a/c/0/0", 1, 7, False, False),
        ("get", "absent", 1, 0, True, False),
        ("get", "ab/x", 2, 1, False, False),
        ("get", "a/c/0/0", 1, 0, False, True),
        ("stat", "absent", 1, 0, True, False),
        ("list", "a/", 1, 0, False, False),
        ("set", "new", 1, 3, False, False),
    ]
    assert all(one.seconds >= 0 and not one.is_kept for one in found)
    assert log.take() == []


def test_answers_of_a_cache_are_told_from_those_of_the_store(tmp_path: Path) -> None:
    remote = MemoryStore(values={"a": b"1"})
    store, log = StatisticsStore(CacheStore(remote, CacheDirectory(tmp_path, 1 << 20))), RequestLog()
    store.log_to(log)
    for _ in range(2):
        store.get("a")
        store.get("absent")
    store.stat("a")
    assert [one.is_kept for one in log.take()] == [False, False, True, True, True]


def test_a_log_keeps_only_the_latest_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_log, "MOST", 3)
    store, log = StatisticsStore(MemoryStore()), RequestLog()
    store.log_to(log)
    for number in range(5):
        store.get(f"{number}")
    assert [one.key for one in log.take()] == ["2", "3", "4"]
