"""Places inside files and folders that hold a hierarchy in another form, such as ``a.h5/temperature`` and ``volume/8_8_8``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from zarrcore.errors import StoreNotFoundError
from zarrcore.stores.interface import ListableStore, ReadableStore
from zarrcore.stores.keys import join_url
from zarrcore.stores.kinds import kind_by_content, kind_by_suffix, recognized
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.wrapper.prefix import PrefixStore

_FOLDERS_MAX: Final = 2
"""Folders above a local place that are looked at. Of a remote place, it is one: each costs requests."""


def place_inside(store: ReadableStore) -> ReadableStore | None:
    """The place of a store where no hierarchy was found, as a part of the file or folder that it lies in; None if there is none.

    Local files are recognized by their content, remote ones by their suffix. Closing the result closes all that it opened.

    Raises:
        StoreError: the store failed, or the file or folder is broken.
    """
    if isinstance(store, PrefixStore):  # a place inside something already
        return None
    if isinstance(store, LocalStore):
        return path_inside(store.url, store.options)
    if not store.is_remote or "://" not in store.url or "?" in store.url:
        return None
    return _of_remote(store)


def path_inside(path: str, options: StoreOptions) -> ReadableStore | None:
    """The same for a local path, which need not exist.

    Raises:
        As `place_inside`.
    """
    from zarrcore.stores.open import open_store

    looked = 0
    for above, rest in _above(os.path.abspath(path)):
        if os.path.isfile(above):
            try:
                file = open_store(above, options=options)
            except StoreNotFoundError:
                return None  # a file of no known kind
            found = _part(file, rest)
            if found is None:
                raise StoreNotFoundError(f"there is no {rest} in {above}", url=f"{above}/{rest}")
            return found
        if os.path.isdir(above):
            found = _folder(above, options)
            if found is not None:
                return _part(found, rest)
            looked += 1
            if looked == _FOLDERS_MAX:
                return None
    return None


def _above(place: str) -> Iterator[tuple[str, str]]:
    """The places above a place, the nearest first, and the path from there to the place."""
    above, slash, rest = place.rstrip("/").rpartition("/")
    while slash and above:
        yield above, rest
        above, slash, name = above.rpartition("/")
        rest = f"{name}/{rest}"


def _of_remote(store: ReadableStore) -> ReadableStore | None:
    from zarrcore.stores.open import open_store

    above = [(place, path) for place, path in _above(store.url) if urlsplit(place).path.strip("/")]
    for place, path in above:
        if kind_by_suffix(place) is not None:
            return _part(open_store(place, options=store.options), path)
    if above:
        found = _folder(above[0][0], store.options)
        if found is not None:
            return _part(found, above[0][1])
    return None


def _folder(place: str, options: StoreOptions) -> ReadableStore | None:
    from zarrcore.stores.open import open_store

    folder = open_store(place, options=options)
    found = recognized(folder, may_be_file=False)
    if found is None:
        folder.close()
    return found


def _part(store: ReadableStore, path: str) -> ReadableStore | None:
    """A part of what was found; None if nothing is there."""
    if isinstance(store, ListableStore) and next(iter(store.list_dir(f"{path}/")), None) is None:
        found = _file_in(store, path)
        if found is None:
            store.close()
        return found
    return PrefixStore(store, f"{path}/", is_owner=True)


def _file_in(store: ReadableStore, path: str) -> ReadableStore | None:
    """The file that a path in a zip file leads to, or the part of it; None if there is none of a known kind."""
    from zarrcore.stores.zip.store import ZipStore

    if not isinstance(store, ZipStore):
        return None
    key, rest = path, ""
    while key and store.stat(key) is None:
        key, _, name = key.rpartition("/")
        rest = f"{name}/{rest}" if rest else name
    kind = kind_by_content(store, key) if key else None
    if kind is None:
        return None
    file = kind.open(store, key, join_url(store.url, key))
    return _part(file, rest) if rest else file
