"""HTTPStore, over nginx, Python's own server and one that misbehaves."""

from __future__ import annotations

import gc
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.stores.contract import CHUNK, StoreTests
from tests.servers import FaultServer, WebServer
from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    ListingUnsupportedError,
    StoreError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, ReadableStore, open_store
from zarrcore.stores.http import HTTPStore
from zarrcore.stores.listing_pages import parse_listing

Opener = Callable[..., ReadableStore]


class TestNginxWithHtmlListings(StoreTests):
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


class TestPythonWithoutRanges(StoreTests):
    tells_sizes = False

    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, python_web: WebServer) -> ReadableStore:
        return open_store(f"{python_web.url}/values")


@pytest.fixture
def opened(faults: FaultServer) -> Opener:
    def open_it(path: str = "", **options: object) -> ReadableStore:
        return open_store(f"{faults.url}/{path}", **{"timeout_s": 1.0, "retries": 1, **options})

    return open_it


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
def test_every_fault_has_its_class_and_none_is_absence(
    faults: FaultServer, opened: Opener, fault: int | str, kind: type[StoreError]
) -> None:
    faults.values["x/key"] = CHUNK
    faults.faults["x/key"] = fault
    store = opened("x")
    for byte_range in (None, ByteRange(5, 3000)):
        with pytest.raises(StoreError) as caught:
            store.get("key", byte_range)
        assert type(caught.value) is kind


@pytest.mark.parametrize(("fault", "kind"), FAULTS, ids=lambda value: str(getattr(value, "__name__", value)))
def test_faults_keep_their_class_on_the_way_through_httpx(
    faults: FaultServer, opened: Opener, fault: int | str, kind: type[StoreError]
) -> None:
    store = opened()
    faults.values["key"] = CHUNK
    faults.faults["key"] = "no-range"
    assert store.get("key", ByteRange(5, 9)) == CHUNK[5:9]
    faults.faults["key"] = fault
    with pytest.raises(StoreError) as caught:
        store.get("key", ByteRange(5, 9_999))
    # httpx cannot tell a connection closed before the answer from one closed in it.
    assert type(caught.value) is (BrokenBodyError if fault == "reset" else kind)


def test_faults_of_listings_keep_their_class(faults: FaultServer, opened: Opener) -> None:
    store = opened()
    expected = [(401, AccessDeniedError), (503, UnreachableError), ("hang", StoreTimeoutError)]
    for fault, kind in (*expected, (403, ListingUnsupportedError)):
        faults.faults["a/"] = fault
        with pytest.raises(kind):
            list(store.list_dir("a/"))


@pytest.mark.parametrize("status", [404, 410])
def test_only_not_found_is_absent(faults: FaultServer, opened: Opener, status: int) -> None:
    faults.faults["key"] = status
    store = opened()
    assert store.get("key") is None
    assert store.stat("key") is None


def test_forbidden_is_absent_only_when_wanted(faults: FaultServer, opened: Opener) -> None:
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
    # Once known, the server is not asked for ranges again.
    assert sum("range" in headers for _, _, headers in faults.requests) == 1


def test_a_server_that_announces_no_length_is_read(faults: FaultServer, opened: Opener) -> None:
    faults.values["key"] = CHUNK
    faults.faults["key"] = "no-length"
    store = opened()
    assert store.get("key") == CHUNK
    assert store.get("key", ByteRange(1, 5)) == CHUNK[1:5]
    found = opened().stat("key")
    assert found is not None
    assert found.size == len(CHUNK)


def test_redirections_are_followed(faults: FaultServer, opened: Opener) -> None:
    faults.values["there/key"] = b"1"
    faults.faults["key"] = f"moved:{faults.url}/there/key"
    assert opened().get("key") == b"1"


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


def test_connections_are_kept(faults: FaultServer, opened: Opener) -> None:
    faults.values["key"] = b"1"
    store = opened()
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: bytes(store.get("key") or b""), range(100))) == {b"1"}


def test_a_server_without_listings_says_so(
    nginx: WebServer, python_web: WebServer, faults: FaultServer
) -> None:
    faults.values[""] = faults.values["a/"] = b"<html><title>Welcome</title><a href='a/'>a</a></html>"
    faults.content_types = {"": "text/html", "a/": "text/html"}
    for url in (f"{nginx.plain_url}/values", faults.url, f"{faults.url}/none", f"{python_web.url}/absent"):
        store = open_store(url, timeout_s=5)
        for prefix in ("", "a/"):
            with pytest.raises(ListingUnsupportedError, match="no directory listings"):
                list(store.list_dir(prefix))


def test_a_directory_that_may_not_be_listed_is_no_value(nginx: WebServer, faults: FaultServer) -> None:
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


APACHE = b"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
<html><head><title>Index of /data</title></head><body><h1>Index of /data</h1>
<table><tr><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th></tr>
<tr><td><a href="/">Parent Directory</a></td></tr>
<tr><td><a href="a%20b/">a b/</a></td><td>-</td></tr>
<tr><td><a href="c.bin">c.bin</a></td><td>1.2K</td></tr>
<tr><td><a href="%C3%BC">&uuml;</a></td></tr>
<tr><td><a href="./d">d</a></td></tr>
<tr><td><a href="/data/e">e</a></td></tr>
<tr><td><a href="../data/f/">f</a></td></tr>
<tr><td><a href="c.bin">again</a></td></tr>
<tr><td><a href="..">up</a> <a href="../other">beside</a> <a href="deep/er">deeper</a> <a href="#top">top</a></td></tr>
<tr><td><a href="http://elsewhere/data/x">x</a> <a href="//elsewhere/data/y">y</a> <a href="javascript:0">z</a></td></tr>
<tr><td><a href="%2e%2e/g">g</a> <a href="h%2Fi">h/i</a> <a href="mailto:a@b">m</a> <a href="http://[">w</a></td></tr>
</table></body></html>"""


def test_listings_tell_what_lies_beneath_and_nothing_else(faults: FaultServer, opened: Opener) -> None:
    faults.values["data/"] = APACHE
    faults.content_types["data/"] = "text/html;charset=UTF-8"
    keys = [entry.key for entry in opened("data").list_dir("")]
    assert keys == ["a b/", "c.bin", "ü", "d", "e", "f/"]


@pytest.mark.parametrize(
    "page",
    [b"", b"{", b"{}", b"[1]", b'[{"name": "x"}]', b'[{"name": "x", "type": "link"}]', b"[" * 100_000],
    ids=lambda page: page[:20].decode(),
)
def test_json_that_is_no_listing_is_none(faults: FaultServer, opened: Opener, page: bytes) -> None:
    faults.values[""] = page
    faults.content_types[""] = "application/json"
    with pytest.raises(ListingUnsupportedError):
        list(opened().list_dir(""))


def test_json_listings_skip_what_is_no_name(faults: FaultServer, opened: Opener) -> None:
    faults.values[""] = (
        b'[{"name": "..", "type": "directory"}, {"name": "a/b", "type": "file"}, {"name": 3, "type": "file"},'
        b' {"name": "k", "type": "file", "size": "3", "mtime": "never"}, {"name": "d", "type": "directory"}]'
    )
    faults.content_types[""] = "application/json"
    entries = list(opened().list_dir(""))
    assert [(entry.key, entry.size, entry.mtime_s) for entry in entries] == [
        ("k", None, None),
        ("d/", None, None),
    ]


def test_a_moved_directory_is_listed(faults: FaultServer, opened: Opener) -> None:
    faults.faults["x/"] = f"moved:{faults.url}/data/"
    faults.values["data/"] = APACHE
    faults.content_types["data/"] = "text/html"
    assert "c.bin" in [entry.key for entry in opened("x").list_dir("")]


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


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=60) | st.text(alphabet="<a href='\"/.%2e>&#;:?\\[]", max_size=60),
    st.sampled_from(["text/html", "application/json", "text/plain", ""]),
)
def test_whatever_a_page_holds_only_names_beneath_come_out(text: str, content_type: str) -> None:
    page = f"<title>Index of /</title><a href='{text}'>x</a>{text}" if "html" in content_type else text
    for entry in parse_listing(content_type, page, "http://host/a/", "p/") or ():
        assert entry.key.startswith("p/")
        assert all(part not in {"", ".", ".."} for part in entry.key.removesuffix("/").split("/"))
        assert entry.key.removesuffix("/").count("/") == 1
