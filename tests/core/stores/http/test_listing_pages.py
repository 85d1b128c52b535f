"""Listing pages of web servers, in HTML and in JSON."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.stores.conftest import Opener
from tests.servers import FaultServer
from zarrcore.errors import (
    ListingUnsupportedError,
)
from zarrcore.stores.http.listing_pages import parse_listing


@pytest.mark.parametrize(
    "page",
    [
        b"",
        b"{",
        b"{}",
        b"[1]",
        b'[{"name": "x"}]',
        b'[{"name": "x", "type": "link"}]',
        b"[" * 100_000,
        b'[{"type": ' + b"[" * 9_000 + b"}]",
    ],
    ids=lambda page: page[:20].decode(),
)
def test_json_that_is_not_a_listing_is_ignored(faults: FaultServer, opened: Opener, page: bytes) -> None:
    faults.values[""] = page
    faults.content_types[""] = "application/json"
    with pytest.raises(ListingUnsupportedError):
        list(opened().list_dir(""))


def test_json_listings_skip_invalid_names(faults: FaultServer, opened: Opener) -> None:
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


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=60) | st.text(alphabet="<a href='\"/.%2e>&#;:?\\[]", max_size=60),
    st.sampled_from(["text/html", "application/json", "text/plain", ""]),
)
def test_any_page_gives_only_names_beneath_the_directory(text: str, content_type: str) -> None:
    page = f"<title>Index of /</title><a href='{text}'>x</a>{text}" if "html" in content_type else text
    for entry in parse_listing(content_type, page.encode(), "http://host/a/", "p/") or ():
        assert entry.key.startswith("p/")
        assert all(part not in {"", ".", ".."} for part in entry.key.removesuffix("/").split("/"))
        assert entry.key.removesuffix("/").count("/") == 1


@pytest.mark.parametrize("content_type", ["text/html", "application/json"])
def test_a_page_that_repeats_links_lists_each_key_once(
    faults: FaultServer, opened: Opener, content_type: str
) -> None:
    once = b"<a href='a'>a</a><a href='b/'>b</a><a href='./a'>a</a>"
    pages = {
        "text/html": b"<h1>Directory listing for /</h1>" + once * 3,
        "application/json": b'[{"name": "a", "type": "file"}, {"name": "b", "type": "directory"},'
        b' {"name": "a", "type": "file"}]',
    }
    faults.values[""] = pages[content_type]
    faults.content_types[""] = content_type
    assert [entry.key for entry in opened().list_dir("")] == ["a", "b/"]


def test_links_in_comments_are_skipped_and_unusual_markup_is_read() -> None:
    page = (
        b"<TITLE lang=en>\n Directory Listing of x</TITLE><!-- <a href='no'> --><A class='x' HREF = \"one\">1</A>"
        b"<a data-href='no2' href=two>2</a><a title='a b' href='three%26'>3</a><a name='no3'></a><ahref='no4'>"
        b"<!-- unclosed <a href='no5'>"
    )
    entries = parse_listing("text/html", page, "http://h/", "")
    assert entries is not None
    assert [entry.key for entry in entries] == ["one", "two", "three&"]


@pytest.mark.parametrize(
    "page",
    [
        *(b'<a href="', b"<!--", b"<a ", b"<a x", b"<title", b"<a href=x", b"<a  "),
        *(b'{"', b"{", b'\\"', b'{"a"', b'{"\\"', b'{\\"'),
    ],
)
def test_no_page_takes_long_to_parse(page: bytes) -> None:
    """A pattern with quadratic time would take days for these pages."""
    for content_type, text in (
        ("text/html", b"<title>Index of /</title>" + page * 50_000),
        ("application/json", b'[{"type": "file"}' + page * 50_000 + b"]"),
    ):
        for _ in parse_listing(content_type, text, "http://h/", "") or ():
            pass
