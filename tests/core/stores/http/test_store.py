"""HTTPStore, with nginx, Python's own server and a server that misbehaves."""

from __future__ import annotations

import gc
import traceback

import pytest

from tests.core.stores.conftest import Opener
from tests.core.stores.contract import CHUNK, ReadOnlyStoreTests, StoreTests
from tests.servers import FaultServer, WebServer
from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    InvalidKeyError,
    StoreError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, ReadableStore, open_store
from zarrcore.stores.http.store import HTTPStore
from zarrcore.stores.object.failures import Failure


class TestNginxWithHtmlListings(StoreTests, ReadOnlyStoreTests):
    tells_sizes = False

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, nginx: WebServer) -> ReadableStore:
        return open_store(f"{nginx.url}/values")


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
    store = opened("x", timeout_s=0.3 if fault == "hang" else 5)
    for byte_range in (None, ByteRange(5, 3000)):
        with pytest.raises(StoreError) as caught:
            store.get("key", byte_range)
        assert type(caught.value) is kind


@pytest.mark.parametrize(("fault", "kind"), FAULTS, ids=lambda value: str(getattr(value, "__name__", value)))
def test_faults_keep_their_class_on_the_way_through_httpx(
    faults: FaultServer, opened: Opener, fault: int | str, kind: type[StoreError]
) -> None:
    store = opened(timeout_s=0.5 if fault == "hang" else 5)
    faults.values["key"] = CHUNK
    faults.faults["key"] = "no-range"
    assert store.get("key", ByteRange(5, 9)) == CHUNK[5:9]
    faults.faults["key"] = fault
    with pytest.raises(StoreError) as caught:
        store.get("key", ByteRange(5, 9_999))
    assert type(caught.value) is kind


@pytest.mark.parametrize("status", [404, 410])
def test_only_not_found_is_absent(faults: FaultServer, opened: Opener, status: int) -> None:
    faults.faults["key"] = status
    store = opened()
    assert store.get("key") is None
    assert store.stat("key") is None


def test_forbidden_means_absent_only_with_the_option(faults: FaultServer, opened: Opener) -> None:
    faults.faults["key"] = 403
    assert opened(treat_403_as_missing=True).get("key") is None
    assert opened(treat_403_as_missing=True).stat("key") is None
    with pytest.raises(AccessDeniedError, match="--treat-403-as-missing"):
        opened().get("key")


def test_a_server_without_ranges_is_read_only_as_far_as_needed(faults: FaultServer, opened: Opener) -> None:
    faults.values["key"] = CHUNK
    faults.faults["key"] = "no-range"
    store = opened()
    for byte_range in (ByteRange(3, 9), ByteRange(-9), ByteRange(10_000), ByteRange(99_999), ByteRange(7, 7)):
        start, stop = byte_range.resolve(len(CHUNK))
        assert store.get("key", byte_range) == CHUNK[start:stop]
    assert store.get("absent", ByteRange(1, 3)) is None
    # Once this is known, the server gets no further range requests.
    assert sum("range" in headers for _, _, headers in faults.requests) == 1


def test_headers_user_and_query_are_sent_and_never_shown(faults: FaultServer) -> None:
    faults.values["x/key"] = b"1"
    faults.values["x/"] = b"<title>Index of /x/</title><a href='key'>key</a>"
    faults.content_types["x/"] = "text/html"
    url = faults.url.replace("//", "//name:geheim%40@") + "/x/?sig=geheim"
    store = open_store(url, headers={"X-Token": "geheim"}, timeout_s=5, retries=0)
    assert store.url == f"{faults.url}/x"
    assert store.get("key") == b"1"
    assert [entry.key for entry in store.list()] == ["key"]
    for _, path, headers in faults.requests:
        assert path.endswith("?sig=geheim")
        assert headers["x-token"] == "geheim"
        assert headers["authorization"] == "Basic bmFtZTpnZWhlaW1A"
    faults.faults["x/key"] = 400
    with pytest.raises(StoreError) as caught:
        store.get("key")
    shown = "".join(traceback.format_exception(caught.value)) + repr(store) + repr(store.options)
    assert "geheim" not in shown


def test_a_directory_that_may_not_be_listed_is_not_a_value(nginx: WebServer, faults: FaultServer) -> None:
    store = open_store(f"{nginx.plain_url}/values")
    assert store.get("a/zarr.json") == b"{}"
    for key in ("a", "a/c"):
        assert store.get(key) is None
        assert store.get(key, ByteRange(2, 5)) is None
        assert store.stat(key) is None
    faults.faults["key"] = 403
    for read in (open_store(faults.url).get, open_store(faults.url).stat):
        with pytest.raises(AccessDeniedError):
            read("key")


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


def test_an_unusable_option_is_not_reported_as_an_invalid_name() -> None:
    failure = Failure.of(ValueError("HTTP error: builder error"))
    error = failure.error("http://h", None, "http://h", service="a web server", hint="")
    assert type(error) is StoreError
    assert "this name" not in str(error)
