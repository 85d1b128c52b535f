"""Listings of WebDAV servers: RFC 4918, "Multi-Status Response"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from zarrcore.stores.interface import BytesLike, StoreEntry

_DAV: Final = "{DAV:}"
_PIECE: Final = 1 << 16
_RESPONSE_MAX: Final = 1 << 20
"""Bytes of one entry, for which the parser takes about thirty times as many."""
_NAMES_MAX: Final = 10_000
"""The number of different names of elements, attributes and namespaces."""
_DOCUMENT_TYPE: Final = re.compile(rb"<!DOCTYPE", re.IGNORECASE)


def parse_multi_status(page: BytesLike, url: str, prefix: str) -> Iterator[StoreEntry]:
    """The entries directly beneath ``url``; what a server names elsewhere is left out.

    Args:
        page: the answer to a PROPFIND request with ``Depth: 1``.
        url: its address, after redirections.
        prefix: the prefix that it lists.

    Raises:
        ValueError: it is no such answer.
    """
    base = unquote(urlsplit(url).path).rstrip("/") + "/"
    seen: set[str] = set()
    for response in _responses(memoryview(page)):
        link = response.findtext(f"{_DAV}href", "").strip()
        path = unquote(urlsplit(link).path) if link.startswith("/") or "://" in link else ""
        name = path[len(base) :].rstrip("/")
        if (
            not path.startswith(base)
            or name in {"", ".", ".."}
            or "/" in name
            or "\0" in name
            or name in seen
        ):
            continue
        seen.add(name)
        if response.find(f".//{_DAV}resourcetype/{_DAV}collection") is not None or path.endswith("/"):
            yield StoreEntry(f"{prefix}{name}/")
        else:
            yield StoreEntry(prefix + name, _size(response), _mtime_s(response), _text(response, "getetag"))


def _responses(page: memoryview) -> Iterator[Element]:
    """The elements ``response``, one at a time: nothing is kept of what came before.

    Raises:
        ValueError: it is not an answer of WebDAV, or would take much memory.
    """
    parser: XMLPullParser[Any] = XMLPullParser(["start", "end", "start-ns"])
    if _DOCUMENT_TYPE.search(page):
        raise ValueError("it has a document type, which could make it endless")
    open_elements: list[Element] = []
    names: set[str] = set()  # of elements, attributes and namespaces, which the parser never forgets
    tag, since_last = "", 0
    try:
        for start in range(0, len(page), _PIECE):
            parser.feed(bytes(page[start : start + _PIECE]))
            since_last += _PIECE
            events: Iterator[Any] = parser.read_events()
            for event, found in events:
                if event == "start-ns":
                    names.add(found[0])
                elif event == "start":
                    names.update((found.tag, *found.attrib))
                    open_elements.append(found)
                else:
                    open_elements.pop()
                    tag = found.tag
                    if len(open_elements) == 1:
                        if tag == f"{_DAV}response":
                            yield found
                        open_elements[0].clear()
                        since_last = 0
            if since_last > _RESPONSE_MAX or len(names) > _NAMES_MAX:
                raise ValueError("it has more in one entry than any server sends")
        parser.close()
    except (ParseError, LookupError) as error:  # the second for an unknown encoding
        raise ValueError(f"it is not valid XML: {error}") from None
    if tag != f"{_DAV}multistatus":
        raise ValueError("it is not an answer of WebDAV")


def _text(response: Element, name: str) -> str | None:
    found = response.findtext(f".//{_DAV}{name}")
    return found.strip() or None if found else None


def _size(response: Element) -> int | None:
    said = _text(response, "getcontentlength") or ""
    return int(said) if said.isascii() and said.isdigit() and len(said) < 20 else None


def _mtime_s(response: Element) -> float | None:
    try:
        return parsedate_to_datetime(_text(response, "getlastmodified") or "").timestamp()
    except (ValueError, OverflowError):
        return None
