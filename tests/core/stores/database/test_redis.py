"""RedisStore."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.any_store import open_store
from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.core.stores.test_model import check
from tests.memory import forget_peak, peak_nbytes
from tests.servers import WebServer, environment
from tests.servers.processes import free_port
from tests.servers.redis import RedisServer, redis_server
from zarrcore.errors import (
    AccessDeniedError,
    BodyTooLargeError,
    BrokenBodyError,
    StoreError,
    StoreFullError,
    StoreNotFoundError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, WritableStore
from zarrcore.stores.database import redis as redis_store
from zarrcore.stores.database.redis import RedisStore


@pytest.fixture(scope="module", autouse=True)
def _no_password() -> Iterator[None]:
    with environment({}, ("REDISCLI_AUTH",)):
        yield


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis server; each test uses a prefix of its own."""
    with redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def empty(redis: RedisServer) -> Iterator[RedisStore]:
    with RedisStore(f"{redis.url}?prefix={uuid.uuid4()}*[?]") as made:
        yield made


@pytest.fixture(scope="module")
def filled(redis: RedisServer) -> str:
    """The URL of a store with `VALUES`, set without zarrcore; shared, so it must not be changed."""
    redis.command("MSET", *(word for key, value in VALUES.items() for word in (f"filled:{key}", "")))
    for key, value in VALUES.items():
        if value:
            redis.command("SET", f"filled:{key}", text=value)
    redis.command("MSET", "filled", "beside", "filledx:a", "beside", "fille:a", "beside", "filled:", "no key")
    return f"{redis.url}?prefix=filled"


@pytest.fixture
def store(filled: str) -> Iterator[RedisStore]:
    with open_store(filled) as made:
        yield made


class TestRedisStore(StoreTests, WritableStoreTests):
    path_like = False
    tells_mtime = False


def test_the_store_behaves_like_a_dictionary(redis: RedisServer) -> None:
    @contextlib.contextmanager
    def database() -> Iterator[WritableStore]:
        yield RedisStore(f"{redis.url}?prefix={uuid.uuid4()}")

    check(database, 8, 30)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://host", "redis://host:6379/0?prefix=zarr"),
        ("REDIS://Host:7000/3/?prefix=a b/c", "redis://Host:7000/3?prefix=a%20b/c"),
        ("rediss://me@[::1]/?prefix=", "rediss://[::1]:6379/0?prefix="),
    ],
)
def test_the_url_that_is_shown_can_be_typed_again(url: str, shown: str) -> None:
    assert open_store(url).url == shown
    assert open_store(shown).url == shown


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://", "needs the name of a server"),
        ("redis://host:0", "redis://host:port/database"),
        ("redis://me:geheim@host", "a URL must not contain a password; put it into REDISCLI_AUTH"),
        ("rediss://:geheim@host", "a URL must not contain a password"),
        ("redis://host/a/b", "the path is the number of a database"),
        ("redis://host/0?password=geheim", r"the only supported query is \?prefix="),
        ("redis://host?prefix=%ed%a0%80\ud800", "surrogate"),
    ],
)
def test_a_url_that_cannot_be_opened_is_refused_in_one_sentence(url: str, said: str) -> None:
    with pytest.raises(StoreError, match=said) as caught:
        open_store(url)
    assert "geheim" not in str(caught.value)


def test_redis_itself_reads_what_was_written(redis: RedisServer) -> None:
    with open_store(f"{redis.url}?prefix=written") as store:
        store.set("a/größe", b"12")
        store.set("a//c0", b"")
        assert redis.command("GET", "written:a/größe") == "12\n"
        assert redis.command("STRLEN", "written:a//c0") == "0\n"
        assert sorted(entry.key for entry in store.list_dir("a/")) == ["a//", "a/größe"]


def test_a_redis_value_that_is_not_a_string_is_not_a_value(redis: RedisServer) -> None:
    redis.command("RPUSH", "lists:a", "1")
    redis.command("MSET", "lists:b", "22", "lists:x/", "", b"lists:c\xff", "3")
    with open_store(f"{redis.url}?prefix=lists") as store:
        assert {entry.key: entry.size for entry in store.list()} == {"b": 2, "c\udcff": 1}
        assert store.get("c\udcff") == b"3"
        for ask in (store.get, store.stat):
            with pytest.raises(BrokenBodyError, match=r"^a in redis://.*: it is a list"):
                ask("a")


def test_no_more_is_fetched_than_allowed(empty: RedisStore) -> None:
    empty.set("a", bytes(1000))
    with pytest.raises(BodyTooLargeError) as caught:
        empty.get("a", ByteRange(-5000), max_nbytes=999)
    assert caught.value.size == 1000
    assert len(empty.get("a", ByteRange(-5000), max_nbytes=1000)) == 1000
    assert len(empty.get("a", ByteRange(10, 2000), max_nbytes=990)) == 990


def test_a_refusal_of_the_server_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with redis_server(tmp_path) as server, open_store(server.url) as store:
        store.set("a", b"1")
        server.command("CONFIG", "SET", "maxmemory", "1mb")
        with pytest.raises(StoreFullError, match=r"^b in redis://.*: the server has no memory left"):
            store.set("b", bytes(1 << 20))
        assert (store.get("a"), store.stat("a").size) == (b"1", 1)
        server.command("CONFIG", "SET", "maxmemory", "0")
        server.command("REPLICAOF", "127.0.0.1", str(free_port()))
        with pytest.raises(AccessDeniedError, match="a replica, which is read-only"):
            store.set("b", b"1")
        assert store.get("a") == b"1"
        monkeypatch.setattr(redis_store, "_LARGEST", 3)
        with pytest.raises(StoreFullError, match="4 bytes are more than the maximum of Redis"):
            store.set("b", b"1234")


def test_wrong_addresses_are_reported(redis: RedisServer, python_web: WebServer) -> None:
    for url, kind, said in (
        (f"{redis.url}9999", StoreNotFoundError, "no database of this number"),
        (f"redis://127.0.0.1:{free_port()}/0", UnreachableError, "the server refuses the connection"),
        ("redis://nobody.invalid/0", UnreachableError, "the server's name cannot be resolved"),
        (redis.url.replace("redis", "rediss"), StoreTimeoutError, "no answer within the time"),
        (python_web.url.replace("http", "redis"), StoreError, "not a Redis server|the connection broke"),
    ):
        with open_store(url, timeout_s=0.5, retries=0) as store, pytest.raises(kind, match=said) as caught:
            store.get("zarr.json")
        assert "\n" not in str(caught.value)


def test_a_server_that_hangs_costs_its_deadline_once(redis: RedisServer) -> None:
    redis.command("CLIENT", "PAUSE", "60000", "WRITE")
    try:
        with open_store(redis.url, timeout_s=0.2, retries=3) as store:
            with pytest.raises(StoreTimeoutError, match=r"^a in redis://.*--timeout"):
                store.set("a", b"1")
            assert store.get("a") is None
    finally:
        redis.command("CLIENT", "UNPAUSE")


def test_a_forked_process_uses_connections_of_its_own(empty: RedisStore) -> None:
    empty.set("a", b"1")
    child = os.fork()
    if child == 0:
        os._exit(0 if empty.get("a") == b"1" and empty.set("b", b"2") else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (empty.get("a"), empty.get("b")) == (b"1", b"2")


def test_many_keys_are_listed_in_little_memory(redis: RedisServer) -> None:
    script = (
        "for i = 0, 39999 do redis.call('SET', string.format('many:c/%d/%d', i / 1000, i % 1000), 'x') end"
    )
    redis.command("EVAL", script, "0")
    with open_store(f"{redis.url}?prefix=many") as store:
        before = forget_peak()
        assert sum(entry.size or 0 for entry in store.list()) == 40_000
        assert sum(1 for _ in store.list_dir("c/")) == 40
        assert peak_nbytes() - before < 16 << 20
        store.erase_prefix("c/7/")
        assert not store.has_prefix("c/7/")
        store.erase_prefix("")
        assert list(store.list()) == []
