"""Directory listing pages of web servers: HTML of nginx, Apache and Python, JSON of nginx.

A page may name a million files, so it is parsed lazily, link by link.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from zarrcore.stores.interface import BytesLike, StoreEntry

_TITLE: Final = re.compile(rb"<(?:title|h1)\b[^<>]*>\s*(?:index of|directory listing)\b", re.IGNORECASE)

_LINK: Final = re.compile(
    # Comments are skipped, because they may contain links; an unclosed comment extends to the end of the page.
    rb"<!--(?:.*?-->|.*)"
    rb"""|<a\s(?:[^<>]*?\s)?href\s*=\s*(?:"([^"]{0,8192})"|'([^']{0,8192})'|([^\s"'<>]{1,8192}))""",
    re.IGNORECASE | re.DOTALL,
)

_PLAIN_LINK: Final = re.compile(r"[^/?#:&\\\s]+/?")
"""A link to a file beside the page, as nearly all are: it needs no further parsing."""

_OBJECT: Final = re.compile(rb'\{(?:(?>[^{}"]++|"(?:(?>[^"\\]++|\\.))*+"?+))*+(\})?')
"""An object without others in it, or what begins as one: whatever was read is not read again, so that no page takes long."""
_TYPES: Final = ("directory", "file", "other")


def parse_listing(content_type: str, page: BytesLike, url: str, prefix: str) -> Iterator[StoreEntry] | None:
    """The entries of a listing page, or None if the page is not a listing.

    Args:
        content_type: the page's media type.
        page: the page in UTF-8.
        url: its address, after redirections; it ends in ``/``.
        prefix: the prefix that it lists.
    """
    if "json" in content_type:
        return _json_entries(page, prefix) if _is_json_listing(page) else None
    if "html" in content_type:
        return _html_entries(page, url, prefix) if _TITLE.search(page) else None
    return None


def _html_entries(page: BytesLike, url: str, prefix: str) -> Iterator[StoreEntry]:
    """Links to entries directly beneath ``url``; links that sort, or lead to the parent or elsewhere, are skipped.

    These listings round sizes and dates, so the entries have none.
    """
    seen: set[str] = set()
    for match in _LINK.finditer(page):
        found = match[1] or match[2] or match[3]
        name = _name_beneath(str(found, "utf-8", "replace"), url) if found else None
        if name is not None and name not in seen:
            seen.add(name)
            yield StoreEntry(prefix + name)


def _name_beneath(link: str, url: str) -> str | None:
    """The name of an entry directly beneath ``url`` that a link leads to, or None if it leads elsewhere."""
    if _PLAIN_LINK.fullmatch(link):
        name = unquote(link)
    else:
        here = urlsplit(url)
        base = unquote(here.path)
        try:
            there = urlsplit(urljoin(url, html.unescape(link)))
        except ValueError:  # not even an address
            return None
        path = unquote(there.path)
        if there.query or there.netloc != here.netloc or not path.startswith(base):
            return None
        name = path[len(base) :]
    return name if _is_name(name.removesuffix("/")) else None


def _is_json_listing(page: BytesLike) -> bool:
    """Whether a page is a list that is empty or begins with an entry."""
    text = memoryview(page)
    if bytes(text[:100]).lstrip()[:1] != b"[" or bytes(text[-100:]).rstrip()[-1:] != b"]":
        return False
    first = next(_json_objects(page), None)
    if first is None:
        return not bytes(text[:100]).strip(b"[] \t\r\n")
    return first.get("type") in _TYPES


def _json_entries(page: BytesLike, prefix: str) -> Iterator[StoreEntry]:
    seen: set[str] = set()
    for item in _json_objects(page):
        name, kind, size = item.get("name"), item.get("type"), item.get("size")
        if not isinstance(name, str) or not _is_name(name) or name in seen or kind not in _TYPES:
            continue
        seen.add(name)
        if kind == "directory":
            yield StoreEntry(f"{prefix}{name}/")
        else:
            exact = size if isinstance(size, int) and size >= 0 else None
            yield StoreEntry(prefix + name, exact, _seconds(item.get("mtime")))


def _json_objects(page: BytesLike) -> Iterator[dict[str, object]]:
    for match in _OBJECT.finditer(page):
        if match[1]:
            yield _json_object(match[0])


def _json_object(text: bytes) -> dict[str, object]:
    try:
        found: dict[str, object] = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found


def _seconds(date: object) -> float | None:
    if not isinstance(date, str):
        return None
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None


def _is_name(name: str) -> bool:
    return name not in {"", ".", ".."} and "/" not in name and "\0" not in name
