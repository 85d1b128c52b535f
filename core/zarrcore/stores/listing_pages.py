"""The pages by which web servers list a directory: HTML of nginx, Apache and Python, JSON of nginx."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

from zarrcore.stores.interface import StoreEntry

_TITLE = re.compile(r"\s*(index of|directory listing)\b", re.IGNORECASE)


class _Page(HTMLParser):
    """The links of a page, and whether its title or first heading says that it is a listing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.is_listing = False
        self.links: list[str] = []
        self._in_heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_heading = tag in {"title", "h1"}
        if tag == "a":
            self.links += [value for name, value in attrs if name == "href" and value]

    def handle_endtag(self, tag: str) -> None:
        self._in_heading = False

    def handle_data(self, data: str) -> None:
        if self._in_heading and _TITLE.match(data):
            self.is_listing = True


def parse_listing(content_type: str, text: str, url: str, prefix: str) -> Iterator[StoreEntry] | None:
    """The entries of a listing page, or None where the page is none.

    Args:
        content_type: the page's media type.
        text: the page.
        url: its address, after redirections; it ends in ``/``.
        prefix: the prefix that it lists.
    """
    if "json" in content_type:
        return _parse_json(text, prefix)
    if "html" in content_type:
        page = _Page()
        page.feed(text)
        page.close()
        return _html_entries(page.links, url, prefix) if page.is_listing else None
    return None


def _html_entries(links: list[str], url: str, prefix: str) -> Iterator[StoreEntry]:
    """Links to what lies directly beneath ``url``; those that sort or lead up or elsewhere do not.

    Such listings round sizes and dates, so none is told.
    """
    here = urlsplit(url)
    base = unquote(here.path)
    seen: set[str] = set()
    for link in links:
        try:
            there = urlsplit(urljoin(url, link))
        except ValueError:  # not even an address
            continue
        path = unquote(there.path)
        if there.query or there.netloc != here.netloc or not path.startswith(base):
            continue
        name = path[len(base) :]
        if name in seen or not _is_name(name.removesuffix("/")):
            continue
        seen.add(name)
        yield StoreEntry(prefix + name)


def _parse_json(text: str, prefix: str) -> Iterator[StoreEntry] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list):
        return None
    if not all(
        isinstance(item, dict) and item.get("type") in ("directory", "file", "other") for item in found
    ):
        return None
    return _json_entries(found, prefix)


def _json_entries(found: list[dict[str, object]], prefix: str) -> Iterator[StoreEntry]:
    for item in found:
        name, size = item.get("name"), item.get("size")
        if not isinstance(name, str) or not _is_name(name):
            continue
        if item["type"] == "directory":
            yield StoreEntry(f"{prefix}{name}/")
        else:
            exact = size if isinstance(size, int) and size >= 0 else None
            yield StoreEntry(prefix + name, exact, _seconds(item.get("mtime")))


def _seconds(date: object) -> float | None:
    if not isinstance(date, str):
        return None
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None


def _is_name(name: str) -> bool:
    return name not in {"", ".", ".."} and "/" not in name and "\0" not in name
