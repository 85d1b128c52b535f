"""Paths of this machine as stores: of folders, of files of a known kind, and of places inside these."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from zarrcore.errors import StoreNotFoundError
from zarrcore.stores.interface import ByteRange, ListableStore, ReadableStore
from zarrcore.stores.keys import join_url
from zarrcore.stores.kinds import (
    DATABASE_HEAD_NBYTES,
    ZIP_SUFFIXES,
    FileKind,
    file_kinds,
    kind_by_content,
    kind_by_suffix,
    kind_of_folder,
    refuse_database,
)
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.validation import check_place
from zarrcore.stores.wrapper.prefix import PrefixStore

_FOLDERS_MAX: Final = 2
"""Folders above a path that are looked at."""


def open_path(path: str, options: StoreOptions) -> ReadableStore:
    """The folder or file at a path, which may lead on inside a file.

    Raises:
        StoreNotFoundError: there is none.
        StoreError: it cannot be opened, or is broken.
    """
    if os.path.isfile(path) or (path.endswith(ZIP_SUFFIXES) and not os.path.isdir(path)):
        return open_file_path(path, options)
    store: ReadableStore | None
    try:
        store = LocalStore(
            path, follow_links=options.follow_links, create=options.create, durable=options.durable
        )
    except StoreNotFoundError:
        store = None if options.create else path_inside(path, options)
        if store is None:
            _refuse_node_without_slash(path)
            raise
    store.options = options
    return store


def _refuse_node_without_slash(path: str) -> None:
    """Say how a node is named to who wrote ``data.nc#temperature``.

    Raises:
        StoreNotFoundError: the part before the last # exists.
    """
    place, mark, node = path.rpartition("#")
    if mark and os.path.lexists(place):
        raise StoreNotFoundError(
            f"there is no file or directory {os.path.abspath(path)}; for a node in {place} write {place}#/{node}",
            url=path,
        )


def open_file_path(path: str, options: StoreOptions, kind: FileKind | None = None) -> ReadableStore:
    """A local file, of its own kind or as another one.

    Raises:
        As `open_path`.
    """
    check_place(path)
    shown = os.path.abspath(path)
    # A link to a file means the file.
    place = os.path.realpath(shown)
    directory, name = os.path.split(place)
    is_zip = (kind is not None and kind.name == "zip") or name.endswith(ZIP_SUFFIXES)
    if options.create and is_zip and not os.path.lexists(place):
        from zarrcore.stores.zip.writing import EMPTY_ZIP  # late, as below: few sources are zip files

        LocalStore(directory, create=True, durable=options.durable).set(name, EMPTY_ZIP, if_absent=True)
    if not os.path.isfile(place):
        raise StoreNotFoundError(f"there is no file {shown}", url=shown)
    source = LocalStore(directory, durable=options.durable)
    source.options = options
    # A zip file that is being written may not look like one.
    kind = kind or kind_by_content(source, name) or kind_by_suffix(name)
    if kind is None:
        refuse_database(bytes(source.get(name, ByteRange(0, DATABASE_HEAD_NBYTES)) or b""), shown)
        known = ", ".join(each.title for each in file_kinds())
        raise StoreNotFoundError(
            f"{shown} is neither a folder nor a file of a known kind: {known}", url=shown
        )
    return kind.open(source, name, shown)


def path_inside(path: str, options: StoreOptions) -> ReadableStore | None:
    """A local path, which need not exist, as a part of the file or folder that it lies in; None if there is none.

    Raises:
        StoreError: the store failed, or the file or folder is broken.
    """
    looked = 0
    for above, rest in places_above(os.path.abspath(path)):
        if os.path.isfile(above):
            try:
                file = open_file_path(above, options)
            except StoreNotFoundError:
                return None  # a file of no known kind
            found = part_of(file, rest)
            if found is None:
                raise StoreNotFoundError(f"there is no {rest} in {above}", url=f"{above}/{rest}")
            return found
        if os.path.isdir(above):
            found = folder_of_kind(open_path(above, options))
            if found is not None:
                return part_of(found, rest)
            looked += 1
            if looked == _FOLDERS_MAX:
                return None
    return None


def places_above(place: str) -> Iterator[tuple[str, str]]:
    """The places above a place, the nearest first, and the path from there to the place."""
    above, slash, rest = place.rstrip("/").rpartition("/")
    while slash and above:
        yield above, rest
        above, slash, name = above.rpartition("/")
        rest = f"{name}/{rest}"


def folder_of_kind(folder: ReadableStore) -> ReadableStore | None:
    """A folder as what its kind makes of it; None, and the folder is closed, if it is of no known kind."""
    kind = kind_of_folder(folder)
    if kind is not None:
        return kind.open(folder)
    folder.close()
    return None


def part_of(store: ReadableStore, path: str) -> ReadableStore | None:
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
    return part_of(file, rest) if rest else file
