"""From a path or URL to a store."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import unquote, urlsplit

from zarrcore.errors import StoreError
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.local import LocalStore
from zarrcore.stores.memory import MemoryStore
from zarrcore.stores.options import StoreOptions

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def open_store(
    url: str | os.PathLike[str], *, options: StoreOptions | None = None, **keywords: Any
) -> ReadableStore:
    """The store at a path or URL; nothing remote is contacted yet.

    Args:
        url: a path, ``file://``, ``memory://name``, ``s3://``, ``gs://``, ``az://``, ``http(s)://``, ``zip://``, or
            any of them ending in ``.zip``.
        options: how to open it.
        keywords: the fields of `StoreOptions`, instead of ``options`` or to change some of them.

    Raises:
        StoreNotFoundError: there is no such directory or file.
        StoreError: no store is known by this scheme.
    """
    chosen = replace_options(options, keywords)
    text = os.fspath(url)
    match = _SCHEME.match(text)
    if match is None:
        return _open_path(os.path.expanduser(text), chosen)
    scheme = match.group(1).lower()
    if scheme == "file":
        return _open_path(unquote(urlsplit(text).path), chosen)
    if scheme == "memory":
        return MemoryStore(text[match.end() :].strip("/"))
    raise StoreError(f"no store is known by {scheme}://", url=f"{scheme}://")


def replace_options(options: StoreOptions | None, keywords: dict[str, Any]) -> StoreOptions:
    from dataclasses import replace

    return replace(options or StoreOptions(), **keywords)


def _open_path(path: str, options: StoreOptions) -> ReadableStore:
    return LocalStore(path, follow_links=options.follow_links)
