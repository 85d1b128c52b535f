"""HTTPStore: listings by the pages of web servers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.stores.conftest import Opener
from tests.servers import FaultServer, WebServer
from zarrcore.errors import (
    AccessDeniedError,
    ListingUnsupportedError,
    StoreError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import open_store
from zarrcore.stores.listing_pages import parse_listing


def test_faults_of_listings_keep_their_class(faults: FaultServer, opened: Opener) -> None:
    store = opened()
    expected = [(401, AccessDeniedError), (503, UnreachableError), ("hang", StoreTimeoutError)]
    for fault, kind in (*expected, (403, ListingUnsupportedError)):
        faults.faults["a/"] = fault
        with pytest.raises(kind):
            list(store.list_dir("a/"))


def test_a_server_without_listings_says_so(nginx: WebServer, faults: FaultServer) -> None:
    faults.values[""] = faults.values["a/"] = b"<html><title>Welcome</title><a href='a/'>a</a></html>"
    faults.content_types = {"": "text/html", "a/": "text/html"}
    for url in (f"{nginx.plain_url}/values", faults.url, f"{faults.url}/none"):
        store = open_store(url, timeout_s=5)
        for prefix in ("", "a/"):
            with pytest.raises(ListingUnsupportedError, match="no directory listings"):
                list(store.list_dir(prefix))


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


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=60) | st.text(alphabet="<a href='\"/.%2e>&#;:?\\[]", max_size=60),
    st.sampled_from(["text/html", "application/json", "text/plain", ""]),
)
def test_whatever_a_page_holds_only_names_beneath_come_out(text: str, content_type: str) -> None:
    page = f"<title>Index of /</title><a href='{text}'>x</a>{text}" if "html" in content_type else text
    for entry in parse_listing(content_type, page.encode(), "http://host/a/", "p/") or ():
        assert entry.key.startswith("p/")
        assert all(part not in {"", ".", ".."} for part in entry.key.removesuffix("/").split("/"))
        assert entry.key.removesuffix("/").count("/") == 1


@pytest.mark.parametrize(
    ("fault", "kind"), [(503, UnreachableError), ("hang", StoreTimeoutError), (401, AccessDeniedError)]
)
def test_an_outage_of_the_root_does_not_mean_that_there_are_no_listings(
    faults: FaultServer, opened: Opener, fault: int | str, kind: type[StoreError]
) -> None:
    faults.faults[""] = fault
    with pytest.raises(kind):
        list(opened().list_dir("absent/"))


@pytest.mark.parametrize("status", [403, 404, 405])
def test_a_root_without_a_page_means_that_there_are_no_listings(
    faults: FaultServer, opened: Opener, status: int
) -> None:
    faults.faults[""] = status
    for prefix in ("", "absent/"):
        with pytest.raises(ListingUnsupportedError):
            list(opened().list_dir(prefix))


def test_what_lies_under_a_prefix_is_told_by_the_page(nginx: WebServer) -> None:
    store = open_store(f"{nginx.url}/values")
    assert store.has_prefix("a/c/")
    assert not store.has_prefix("absent/")
