"""A cache in another store: shared by processes, and never an error of the reader."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.stores.cache.distant import Clock, Distant
from tests.servers import FaultServer, S3Server
from tests.servers.redis import RedisServer, redis_server
from zarrcore.errors import ReadOnlyError, StoreError, StoreFullError, UnreachableError, ValueTooLargeError
from zarrcore.stores import ByteRange, MemoryStore, ReadOnlyStore, StoreOptions, open_store
from zarrcore.stores.cache.shared import SharedCache
from zarrcore.stores.cache.store import CacheStore
from zarrcore.stores.interface import BytesLike

NAME = "0123456789abcdef"


class Failing(MemoryStore):
    """A store that fails on demand, and counts requests."""

    def __init__(self) -> None:
        super().__init__()
        self.failure: StoreError | None = None
        self.requests = 0

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self._ask()
        return super().get(key, byte_range, max_nbytes=max_nbytes)

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        self._ask()
        return super().set(key, value, if_absent=if_absent)

    def erase(self, key: str) -> None:
        self._ask()
        super().erase(key)

    def _ask(self) -> None:
        self.requests += 1
        if self.failure is not None:
            raise self.failure


@pytest.fixture
def store() -> Failing:
    return Failing()


@pytest.fixture
def cache(store: Failing) -> SharedCache:
    return SharedCache(store)


def test_entries_are_found_by_others_and_dropped(store: Failing, cache: SharedCache) -> None:
    cache.put(NAME, b"value")
    assert [entry.key for entry in store.list()] == ["zarrscope-cache-2/012/3456789abcdef"]
    assert SharedCache(store).get(NAME) == b"value"
    cache.drop(NAME)
    assert SharedCache(store).get(NAME) is None


def test_a_damaged_entry_is_dropped(store: Failing, cache: SharedCache) -> None:
    cache.put(NAME, b"value")
    (entry,) = store.list()
    store.set(entry.key, bytes(store.get(entry.key) or b"")[:-1])
    assert cache.get(NAME) is None
    assert [*store.list()] == []
    cache.put(NAME, b"value")
    store.set("zarrscope-cache-2/fff/f", store.get(entry.key) or b"")
    assert cache.get("ffff") is None, "a value of another name"


def test_endings_are_those_that_were_noted(cache: SharedCache) -> None:
    assert cache.endings("abcd.") == []
    for ending in ("0-3", "3-6", "0-3"):
        cache.note_ending("abcd.", ending)
    assert cache.endings("abcd.") == ["3-6", "0-3"]
    for number in range(1100):
        cache.note_ending("efgh.", f"{number}-{number + 1}")
    assert len(cache.endings("efgh.")) == 1000
    assert cache.endings("efgh.")[-1] == "1099-1100"


def test_a_failure_is_logged_once_and_the_store_is_left_alone(
    store: Failing, cache: SharedCache, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.put(NAME, b"value")
    store.failure = UnreachableError("the server refuses the connection")
    assert cache.get(NAME) is None
    asked = store.requests
    assert cache.get(NAME) is None
    cache.put(NAME, b"value")
    cache.drop(NAME)
    assert cache.endings(NAME) == []
    assert store.requests == asked
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert caplog.messages == [f"the cache in {store.url} is skipped: the server refuses the connection"]
    store.failure = None
    monkeypatch.setattr(cache, "_resume_s", 0.0)  # a minute later
    assert cache.get(NAME) == b"value"


def test_a_claim_is_granted_once_until_it_is_dropped(store: Failing, cache: SharedCache) -> None:
    assert cache.claim(NAME)
    assert not SharedCache(store).claim(NAME)
    assert cache.is_claimed(NAME)
    cache.unclaim(NAME)
    assert not cache.is_claimed(NAME)
    assert SharedCache(store).claim(NAME)


@pytest.mark.parametrize("failure", [UnreachableError("gone"), StoreFullError("full")])
def test_a_store_that_keeps_nothing_grants_all_claims(
    store: Failing, cache: SharedCache, failure: StoreError
) -> None:
    store.failure = failure
    assert cache.claim(NAME)
    assert cache.claim(NAME)
    assert store.requests == 1


@pytest.mark.parametrize("what", ["put", "drop"])
def test_a_failure_to_write_pauses_too(store: Failing, cache: SharedCache, what: str) -> None:
    store.failure = UnreachableError("gone")
    cache.put(NAME, b"") if what == "put" else cache.drop(NAME)
    store.failure = None
    assert cache.get(NAME) is None
    assert store.requests == 1


def test_a_full_store_is_still_read(store: Failing, cache: SharedCache) -> None:
    cache.put(NAME, b"value")
    store.failure = StoreFullError("the server has no memory left (maxmemory)")
    cache.put("another", b"")
    store.failure = None
    asked = store.requests
    cache.put("another", b"")
    assert store.requests == asked
    assert cache.get(NAME) == b"value"


def test_a_value_that_is_too_large_pauses_nothing(store: Failing, cache: SharedCache) -> None:
    store.failure = ValueTooLargeError("too large", key="a", url="")
    cache.put(NAME, b"value")
    store.failure = None
    cache.put(NAME, b"value")
    assert cache.get(NAME) == b"value"


def test_it_must_be_writable() -> None:
    with pytest.raises(ReadOnlyError):
        SharedCache(ReadOnlyStore(MemoryStore()))


def test_it_pickles_and_closes(tmp_path: Path) -> None:
    with redis_server(tmp_path) as server:
        cache = SharedCache(open_store(server.url))
        cache.put(NAME, b"value")
        again = pickle.loads(pickle.dumps(cache))
        assert again.get(NAME) == b"value"
        cache.close()
        again.close()


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


def test_redis_keeps_values_and_parts_for_other_processes(redis: RedisServer) -> None:
    beneath, clock = Distant("redis", {"a": bytes(range(100)), "b": b"123"}), Clock()

    def process() -> CacheStore:
        return CacheStore(beneath, SharedCache(open_store(redis.url)), 60.0, clock)

    first = process()
    assert first.get("a", ByteRange(10, 30)) == bytes(range(10, 30))
    assert first.get("a", ByteRange(30, 50)) == bytes(range(30, 50))
    assert first.get("b") == b"123"
    assert first.get("absent") is None
    beneath.counts()
    other = process()
    assert bytes(other.get("a", ByteRange(15, 45)) or b"") == bytes(range(15, 45))
    assert bytes(other.get("b", ByteRange(1, 2)) or b"") == b"2"
    assert other.get("absent") is None
    assert beneath.counts() == {}
    clock.now_s += 60
    beneath.set("b", b"456")
    assert process().get("b") == b"456"
    assert process().get("b") == b"456"
    assert beneath.counts() == {"stat": 1, "get_with_stat": 1}
    first.close()
    other.close()


def test_a_bucket_keeps_values(s3: S3Server, faults: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    faults.values["a/x"] = b"value"
    options = {**s3.options, "anonymous": False, "cache_url": "s3://bucket/cache"}
    headers = {"Authorization": "Bearer geheim"}
    assert open_store(f"{faults.url}/a", **options, headers=headers).get("x") == b"value"
    faults.requests.clear()
    assert open_store(f"{faults.url}/a", **options, headers=headers).get("x") == b"value"
    assert faults.requests == []
    assert open_store(f"{faults.url}/a", **options).get("x") == b"value"
    assert len(faults.requests) == 1, "other credentials find nothing of it"


def test_a_cache_that_does_not_answer_is_no_error(
    faults: FaultServer, caplog: pytest.LogCaptureFixture
) -> None:
    faults.values["a/x"] = b"value"
    store = open_store(f"{faults.url}/a", cache_url="redis://127.0.0.1:1/0")
    assert store.get("x") == store.get("x") == b"value"
    assert len(caplog.messages) == 1
    assert "the cache in redis://127.0.0.1:1/0" in caplog.messages[0]


def test_a_directory_has_its_own_option(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="--cache-dir"):
        open_store("http://127.0.0.1/a", cache_url=str(tmp_path))
    with pytest.raises(StoreError, match="use --cache-dir or --cache-url"):
        StoreOptions(cache_dir=tmp_path, cache_url="redis://127.0.0.1/0")
    with pytest.raises(ReadOnlyError):
        open_store("http://127.0.0.1/a", cache_url="http://127.0.0.1/b")
