"""Listings of web servers, HTML and JSON: never an exception, and the names that html.parser and json find."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

from zarrcore.stores.http.listing_pages import parse_listing

_URL = "http://host/data/a.zarr/"
_LONGEST = 8000
WORDS = (
    *(
        '<a href="',
        "<a href='",
        "<a href=",
        "</a>",
        "<!--",
        "-->",
        "<title>Index of /",
        "<h1>Directory listing for",
        "&amp;",
        "&#47;",
    ),
    *(
        "%2F",
        "%00",
        "%2e%2e",
        "../",
        "./",
        "?C=N",
        "http://host/data/a.zarr/b",
        "//host/",
        "#x",
        "javascript:",
        "zarr.json",
        "c/",
    ),
    *(
        '"name":"',
        '"type":"directory"',
        '"type":"file"',
        '"size":',
        '"mtime":"Wed, 21 Oct 2015 07:28:00 GMT"',
        "[[[",
        "]]]",
        "\\u",
    ),
)


def check(data: bytes) -> None:
    """The first byte is the media type; the rest is the page."""
    content_type = ("text/html", "application/json", "text/html;charset=utf-8")[data[0] % 3] if data else ""
    page = data[1:]
    found = parse_listing(content_type, page, _URL, "p/")
    if found is None:
        return
    entries = [*found]
    keys = [entry.key for entry in entries]
    assert len(set(keys)) == len(keys)
    for entry in entries:
        assert entry.key.startswith("p/")
        name = entry.key[2:].removesuffix("/")
        assert name
        assert name not in (".", "..")
        assert "/" not in name
        assert "\0" not in name
        assert entry.size is None or entry.size >= 0
        assert entry.mtime_s is None or isinstance(entry.mtime_s, float)
    if "html" in content_type:
        _check_links(page, keys)
    else:
        _check_objects(page, keys)


class _Links(HTMLParser):
    """All links of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        links = [value or "" for name, value in attrs if name == "href"]
        if tag == "a" and links:
            self.links.append(links[0])


def _check_links(page: bytes, keys: list[str]) -> None:
    """On a page as servers write them, all links to entries are found, and nothing else."""
    text = page.decode("utf-8", "replace")
    if any(
        word in text.lower()
        for word in (
            "<!",
            "<?",
            "<script",
            "<style",
            "<textarea",
            "<title",
            "<xmp",
            "<plaintext",
            "</",
            "<iframe",
            "<no",
        )
    ) and not _is_plain(text):
        return  # the ways of HTML to hide a link, of which listings have none
    parser = _Links()
    parser.feed(text)
    expected = set()
    for link in parser.links:
        if (
            len(link) > _LONGEST
            or any(character in link for character in "<>\"'`&\t\r\n\\ ")
            or not link.isprintable()
        ):
            return
        try:
            there = urlsplit(urljoin(_URL, link))
        except ValueError:
            continue
        path = unquote(there.path)
        if not there.query and there.netloc == "host" and path.startswith("/data/a.zarr/"):
            name = path.removeprefix("/data/a.zarr/")
            if name.removesuffix("/") not in ("", ".", "..") and "/" not in name[:-1] and "\0" not in name:
                expected.add(f"p/{name}")
    if _is_plain(text):
        assert set(keys) == expected, f"{keys} instead of {sorted(expected)}"


def _is_plain(text: str) -> bool:
    """Whether the page consists of lines of the form that servers write."""
    lines = text.split("\n")
    return lines[0] == "<title>Index of /</title>" and all(
        line.startswith('<a href="')
        and line.endswith('">x</a>')
        and line.count("<") == 2
        and line.count('"') == 2
        for line in lines[1:]
    )


def _check_objects(page: bytes, keys: list[str]) -> None:
    """A page that is a list of flat objects gives all their names."""
    try:
        document = json.loads(page)
    except (ValueError, RecursionError):
        return
    if not isinstance(document, list) or not all(isinstance(item, dict) for item in document):
        return
    if any(isinstance(value, dict | list) for item in document for value in item.values()):
        return
    names = []
    for item in document:
        name, kind = item.get("name"), item.get("type")
        is_name = isinstance(name, str) and name not in ("", ".", "..") and not {"/", "\0"} & set(name)
        if is_name and kind in ("file", "directory", "other") and name not in names:
            names.append(name)
    assert [key[2:].removesuffix("/") for key in keys] == names


def examples() -> Iterable[bytes]:
    """Pages as nginx, Apache and Python write them."""
    links = '<a href="../">../</a>\n<a href="c/">c/</a> 01-Jan\n<a href="a%20b">a b</a>\n<a href=\'/data/a.zarr/zarr.json\'>z</a>'
    yield (
        b"\0<html><head><title>Index of /data/</title></head><body><h1>Index of /</h1><pre>"
        + links.encode()
        + b"</pre>"
    )
    yield b'\0<title>Index of /</title>\n<a href="a">x</a>\n<a href="b%2Fc/">x</a>\n<a href="?C=N;O=D">x</a>'
    yield b'\0<h1>Directory listing for /</h1><ul><li><A class="x" HREF="d&amp;e">d</A></li><!-- <a href="f"> --></ul>'
    objects = [
        {"name": "c", "type": "directory", "mtime": "Wed, 21 Oct 2015 07:28:00 GMT"},
        {"name": "zarr.json", "type": "file", "mtime": "Wed, 21 Oct 2015 07:28:00 GMT", "size": 12},
    ]
    yield b"\1" + json.dumps(objects).encode()
    yield b"\1[]"
