"""HTTPStore, with nginx, Python's own server and a server that misbehaves."""

from __future__ import annotations

import gc

import pytest

from tests.any_store import open_store
from tests.core.stores.conftest import Opener
from tests.core.stores.contract import CHUNK, ReadOnlyStoreTests, StoreTests
from tests.servers import FaultServer, WebServer
from tests.waiting import PATIENCE_S
from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    InvalidKeyError,
    StoreError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, ReadableStore
from zarrcore.stores.http.store import HTTPStore


class TestNginxWithHtmlListings(StoreTests, ReadOnlyStoreTests):
    tells_sizes = False

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, nginx: WebServer) -> ReadableStore:
        return open_store(f"{nginx.url}/values")


class TestNginxWithCredentialsInAHeader(StoreTests, ReadOnlyStoreTests):
    """Without obstore, which would send them to another server that it was redirected to."""

    tells_sizes = False

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, nginx: WebServer) -> ReadableStore:
        return open_store(f"{nginx.url}/values", headers={"X-Token": "hush"})


class TestNginxWithJsonListings(StoreTests):
    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, nginx: WebServer) -> ReadableStore:
        return open_store(f"{nginx.json_url}/values/")


class TestApacheWithPlainListings(StoreTests):
    tells_sizes = False

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, apache: WebServer) -> ReadableStore:
        return open_store(f"{apache.url}/values")


class TestApacheWithWebDAV(StoreTests, ReadOnlyStoreTests):
    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, apache: WebServer) -> ReadableStore:
        return open_store(f"{apache.webdav_url}/values")


class TestRcloneWithWebDAV(StoreTests):
    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, rclone: WebServer) -> ReadableStore:
        return open_store(f"{rclone.webdav_url}/values")


class TestPythonWithoutRanges(StoreTests):
    tells_sizes = False

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, python_web: WebServer) -> ReadableStore:
        return open_store(f"{python_web.url}/values")


FAULTS: list[tuple[int | str, type[StoreError]]] = [
    (400, StoreError),
    (401, AccessDeniedError),
    (403, AccessDeniedError),
    (429, UnreachableError),
    (503, UnreachableError),
    ("hang", StoreTimeoutError),
    ("reset", UnreachableError),
    ("truncate", BrokenBodyError),
]


@pytest.mark.parametrize(("fault", "kind"), FAULTS, ids=lambda value: str(getattr(value, "__name__", value)))
def test_every_fault_has_its_class_and_never_means_absence(
    faults: FaultServer, opened: Opener, fault: int | str, kind: type[StoreError]
) -> None:
    faults.values["x/key"] = CHUNK
    faults.faults["x/key"] = fault
    store = opened("x", timeout_s=0.3 if fault == "hang" else PATIENCE_S)
    for byte_range in (None, ByteRange(5, 3000)):
        with pytest.raises(StoreError) as caught:
            store.get("key", byte_range)
        assert type(caught.value) is kind


@pytest.mark.parametrize(("fault", "kind"), FAULTS, ids=lambda value: str(getattr(value, "__name__", value)))
def test_faults_keep_their_class_on_the_way_through_httpx(
    faults: FaultServer, opened: Opener, fault: int | str, kind: type[StoreError]
) -> None:
    store = opened(timeout_s=0.5 if fault == "hang" else PATIENCE_S)
    faults.values["key"] = CHUNK
    faults.faults["key"] = "no-range"
    assert store.get("key", ByteRange(5, 9)) == CHUNK[5:9]
    faults.faults["key"] = fault
    with pytest.raises(StoreError) as caught:
        store.get("key", ByteRange(5, 9_999))
    assert type(caught.value) is kind


def test_dropping_a_store_closes_its_connections(nginx: WebServer) -> None:
    store = open_store(f"{nginx.url}/values")
    list(store.list_dir(""))
    del store
    gc.collect()  # a socket left open would be a warning, which fails the test


def test_parts_of_a_url_are_canonical() -> None:
    store = open_store("HTTP://host:8080/a%20b/c/")
    assert isinstance(store, HTTPStore)
    assert store.url == "http://host:8080/a%20b/c"
    assert open_store(store.url).url == store.url
    with pytest.raises(StoreError, match="needs the name of a server"):
        open_store("http:///x")


def test_half_a_surrogate_pair_is_not_a_name(nginx: WebServer) -> None:
    store = open_store(f"{nginx.url}/values")
    for key in ("a\ud800", "a\udc80"):
        for read in (store.get, store.stat, lambda key: list(store.list_dir(key + "/"))):
            with pytest.raises(InvalidKeyError) as caught:
                read(key)
            str(caught.value).encode()
