"""Values on a web server: the right bytes whatever the server does, or that they are absent."""

from __future__ import annotations

import traceback

import pytest

from tests.any_store import open_store
from tests.core.stores.conftest import Opener
from tests.core.stores.contract import CHUNK
from tests.core.stores.http.parts import RANGES, check_parts
from tests.servers import FaultServer, WebServer
from zarrcore.errors import (
    AccessDeniedError,
    BodyTooLargeError,
    BrokenBodyError,
    StoreError,
)
from zarrcore.stores import ByteRange
from zarrcore.stores.connection import retries
from zarrcore.stores.http.store import HTTPStore


@pytest.fixture(autouse=True)
def _haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very short pauses between repeats."""
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.01)


@pytest.mark.parametrize(
    "fault", ["no-range", "no-length", "gzip", "other-part", "short-part", "nameless-part"]
)
def test_wrong_answers_of_a_server_still_give_the_right_bytes(
    faults: FaultServer, opened: Opener, fault: str
) -> None:
    faults.values["key"] = CHUNK
    faults.faults["key"] = fault
    store = opened()
    check_parts(store)
    found = opened().stat("key")
    assert found is not None
    assert found.size == len(CHUNK)
    for byte_range in RANGES:
        value, known = store.get_with_stat("key", byte_range)
        assert value == store.get("key", byte_range)
        assert known.size == len(CHUNK)
        if len(value) > 5:
            with pytest.raises(BodyTooLargeError):
                store.get("key", byte_range, max_nbytes=5)


def test_a_value_that_changes_during_a_read_is_read_again(faults: FaultServer, opened: Opener) -> None:
    faults.values["key"] = CHUNK

    class Changing(dict[str, bytes]):
        def __getitem__(self, key: str) -> bytes:
            faults.values = {"key": CHUNK[::-1]}
            return CHUNK

    faults.values = Changing(key=CHUNK)
    faults.faults["key"] = ["truncate"]
    assert opened().get("key") == CHUNK[::-1]


def test_an_answer_with_a_wrong_size_is_reported(faults: FaultServer, opened: Opener) -> None:
    faults.values["key"] = CHUNK
    faults.faults["key"] = "truncate"
    with pytest.raises(BrokenBodyError, match="broke off before its end") as caught:
        opened().get("key")
    assert str(caught.value).startswith(f"key in {faults.url}: ")
    assert "\n" not in str(caught.value)


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


def test_a_server_without_ranges_is_read_only_as_far_as_needed(faults: FaultServer) -> None:
    faults.values["key"] = CHUNK
    faults.faults["key"] = "no-range"
    store = open_store(faults.url)
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
    assert isinstance(store, HTTPStore)
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


def test_a_page_of_html_is_not_the_value_of_a_key(faults: FaultServer) -> None:
    """As of a proxy that wants a login, whatever is requested; a part of it could pass for elements."""
    page = b"\n<!DOCTYPE html><html><title>Log in</title>" + b" " * 100_000
    for key in ("c/0", "page.html", "other"):
        faults.values[key] = page if key != "other" else b"<html" + b"x" * 9
        faults.content_types[key] = "text/html"
    faults.faults["c/0"] = "no-range"
    store = open_store(faults.url, retries=0)
    for part in (None, ByteRange(50_000, 50_008)):
        with pytest.raises(StoreError, match=r"a web page \(200, text/html, 'Log in'\).*--header"):
            store.get("c/0", part)
    assert store.get("page.html") == page
    assert store.get("other") == faults.values["other"]


@pytest.mark.parametrize(
    ("page", "is_absent"), [(b"<title>Index of /a/</title>", True), (b"<title>Welcome</title>", False)]
)
def test_a_forbidden_method_means_absent_only_for_a_directory(
    faults: FaultServer, page: bytes, is_absent: bool
) -> None:
    """As WebDAV servers answer for a directory without the slash; others show some page for every address."""
    faults.faults["a"] = 405
    faults.values["a/"] = page
    faults.content_types["a/"] = "text/html"
    store = open_store(faults.url, retries=0)
    for read in (store.get, store.stat):
        if is_absent:
            assert read("a") is None
        else:
            with pytest.raises(StoreError, match="405"):
                read("a")


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
