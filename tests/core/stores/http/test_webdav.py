"""Answers of WebDAV servers: entries, and what is not such an answer."""

from __future__ import annotations

import tracemalloc

import pytest

from zarrcore.stores.http.webdav import parse_multi_status
from zarrcore.stores.interface import StoreEntry

URL = "http://host/some%20where"
FILE = """<D:response><D:href>{}</D:href><D:propstat><D:prop>
<D:getcontentlength>{}</D:getcontentlength><D:getetag>"e"</D:getetag>
<D:getlastmodified>Wed, 01 Jan 2025 00:00:00 GMT</D:getlastmodified><D:resourcetype/></D:prop>
<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"""
FOLDER = """<D:response><D:href>{}</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop>
<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"""


def page(*responses: str) -> bytes:
    return f"<?xml version='1.0'?><D:multistatus xmlns:D='DAV:'>{''.join(responses)}</D:multistatus>".encode()


def entries(*responses: str) -> list[StoreEntry]:
    return [*parse_multi_status(page(*responses), URL, "p/")]


def test_files_and_folders() -> None:
    found = entries(
        FOLDER.format("/some%20where/"),
        FOLDER.format("/some%20where/c/"),
        FILE.format("http://host/some%20where/gr%C3%B6%C3%9Fe", 7),
    )
    assert found == [StoreEntry("p/c/"), StoreEntry("p/größe", 7, 1735689600.0, '"e"')]


@pytest.mark.parametrize(
    "href",
    ["/other/x", "/some%20where", "/some%20where/a/b", "/some%20where/..", "x", "", "/some%20where/%00"],
)
def test_what_is_not_directly_beneath_is_left_out(href: str) -> None:
    assert entries(FILE.format(href, 1)) == []


def test_a_name_is_listed_once() -> None:
    assert len(entries(*2 * [FILE.format("/some%20where/x", 1)])) == 1


@pytest.mark.parametrize("size", ["", "-1", "1e3", "9" * 30, "many"])
def test_a_size_that_is_no_number_is_unknown(size: str) -> None:
    assert [entry.size for entry in entries(FILE.format("/some%20where/x", size))] == [None]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not valid XML"),
        (b'<?xml version="1.0" encoding="no"?><a/>', "not valid XML"),
        (b"<html></html>", "not an answer of WebDAV"),
        (page(FILE.format("/some%20where/x", 1))[:-5], "not valid XML"),
        (b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + page(), "document type"),
        (b" " * 70_000 + b"<!doctype x>" + page(), "document type|not valid XML"),
    ],
)
def test_what_is_no_answer_is_refused(body: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        [*parse_multi_status(body, URL, "")]


@pytest.mark.parametrize(
    "response",
    [
        "<D:response>" + "<a/>" * 600_000 + "</D:response>",
        "<a>" * 600_000,
        "".join(f"<a{number}/>" for number in range(20_000)),
        "".join(f"<a b{number}=''/>" for number in range(20_000)),
        "".join(f"<a xmlns:p{number}='u'/>" for number in range(20_000)),
    ],
    ids=["large", "deep", "elements", "attributes", "namespaces"],
)
def test_what_would_take_the_parser_much_memory_is_refused(response: str) -> None:
    with pytest.raises(ValueError, match="more in one entry than any server sends"):
        [*parse_multi_status(page(response), URL, "")]


def test_what_came_before_is_not_kept() -> None:
    body = page("<a/>" * 60_000, FILE.format("/some%20where/x", 1))
    tracemalloc.start()
    try:
        assert len([*parse_multi_status(body, URL, "")]) == 1
        assert tracemalloc.get_traced_memory()[1] < 5 << 20
    finally:
        tracemalloc.stop()


def test_a_late_document_type_defines_nothing() -> None:
    """Expat takes one only before the first element."""
    filler = b"<!--" + b"x" * 70_000 + b"-->"
    body = b"<?xml version='1.0'?>" + filler + b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + page()[21:]
    with pytest.raises(ValueError, match="document type"):
        [*parse_multi_status(body, URL, "")]
