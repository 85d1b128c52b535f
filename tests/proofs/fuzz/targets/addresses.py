"""SOURCE, paths and URLs: one of our errors, or a store whose address names the same place, as urllib.parse reads it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from zarrbrowser.session.sources import SourceRequest, place_of, short_name
from zarrcore.errors import MissingExtraError, SelectionError, StoreError, UnsupportedError
from zarrcore.hierarchy import normalize_path
from zarrcore.stores import open_store, split_uri
from zarrcore.stores.validation import check_address, parse_header

WORDS = (
    *(
        "s3://",
        "gs://",
        "az://",
        "abfs://",
        "http://",
        "https://",
        "file:///",
        "memory://",
        "zip://",
        "redis://",
        "rediss://",
    ),
    *(
        "lmdb://",
        "sqlite://",
        "ftp://",
        "github://",
        "simplecache::",
        "::",
        "#/",
        "@",
        ":",
        "?",
        "%2F",
        "%00",
        "[::1]",
        "..",
        "~",
    ),
    *(
        ".zip",
        ".ozx",
        "user:secret@",
        "localhost",
        "127.0.0.1:65535",
        ":99999",
        "bucket",
        "//",
        "\\",
        "xn--",
        "é",
        "\t",
    ),
)

_SCHEMES = {"s3", "gs", "az", "abfs", "abfss", "http", "https", "memory", "redis", "rediss", "file", "zip"}


def check(data: bytes) -> None:
    """All who read what a user typed understand it or refuse it; no store is contacted, and no secret is shown."""
    text = data.decode("utf-8", "surrogateescape")
    url, path = split_uri(text)
    assert text == (url if path is None else f"{url}#{path}")
    _check_path(path or text)
    _check_request(text)
    _check_address(text)
    try:
        name, value = parse_header(text)
    except ValueError:
        name, value = "", ""
    assert not name or f"{name}" in text
    assert not value or value in text or "@" in text
    if _is_dangerous(url):
        return
    try:
        store = open_store(url)
    except (StoreError, UnsupportedError, MissingExtraError) as error:
        _assert_no_secret(url, str(error))
        return
    _assert_no_secret(url, store.url)
    hash(store.identity)
    store.close()


def _is_dangerous(url: str) -> bool:
    """Whether opening could reach another machine, or files: fsspec's file systems do that at once."""
    schemes = [part.rpartition("/")[2].lower() for part in url.split("://")[:-1]]
    return "::" in url or len(schemes) > 1 or not {*schemes, "file"} <= _SCHEMES


def _assert_no_secret(url: str, text: str) -> None:
    scheme, _, rest = url.partition("://")
    if (
        scheme.isalnum()
        and scheme.lower() not in ("file", "zip", "memory")
        and "user:secret@" in rest.partition("/")[0]
    ):
        assert "secret" not in text or url.count("secret") > 1


def _check_path(text: str) -> None:
    try:
        path = normalize_path(text)
    except SelectionError:
        return
    assert path.startswith("/")
    assert "//" not in path
    assert [part for part in path.split("/") if part] == [part for part in text.split("/") if part]


def _check_request(text: str) -> None:
    request = SourceRequest.typed(text)
    assert request.path.startswith("/")
    assert isinstance(request.place, str)
    assert isinstance(short_name(text), str)
    assert place_of(place_of(text)) == place_of(text) or "://" in text or "%" in text


def _check_address(text: str) -> None:
    try:
        parts = check_address(text)
    except StoreError:
        return
    theirs = urlsplit(text)
    assert theirs.scheme in ("http", "https")
    assert theirs.hostname
    assert parts == theirs
    assert unquote(parts.path) == unquote(theirs.path)


def examples() -> Iterable[bytes]:
    """One of each kind."""
    texts = [
        *(
            "s3://bucket/data.zarr#/foo/bar",
            "gs://b/x.zip",
            "abfs://c@a.dfs.core.windows.net/p",
            "az://c/p",
            "memory://x/y",
        ),
        *(
            "http://user:secret@host:80/a%20b/?token=1",
            "https://[::1]/a.zip",
            "file:///tmp/none%20x",
            "redis://:p@h:1/2/a",
        ),
        *(
            "zip:///tmp/none.zip",
            "zip://s3://b/x",
            "data.zarr",
            "~/x.zarr",
            "../a//b/",
            "simplecache::s3://b/x",
            "Accept: x",
            "ftp://h/x",
        ),
    ]
    return [text.encode() for text in texts] + [os.fsencode("/tmp/\udcff.zarr")]
