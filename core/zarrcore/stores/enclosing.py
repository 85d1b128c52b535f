"""Places without a hierarchy: files and folders that hold one in another form, or parts of such, as ``a.h5/temperature``."""

from __future__ import annotations

from urllib.parse import urlsplit

from zarrcore.errors import ZarrError
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.kinds import FolderLook, kind_by_content, kind_by_suffix, refuse_database_folder
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.local_path import folder_of_kind, part_of, path_inside, places_above
from zarrcore.stores.open import open_store
from zarrcore.stores.wrapper.prefix import PrefixStore


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


def _of_remote(store: ReadableStore) -> ReadableStore | None:
    above = [(place, path) for place, path in places_above(store.url) if urlsplit(place).path.strip("/")]
    for place, path in above:
        if kind_by_suffix(place) is not None:
            return part_of(open_store(place, options=store.options), path)
    if above:
        place, path = above[0]  # one only: each costs requests
        found = folder_of_kind(open_store(place, options=store.options))
        if found is not None:
            return part_of(found, path)
    return None


def recognized(
    store: ReadableStore, look: FolderLook | None = None, *, may_be_file: bool = True
) -> ReadableStore | None:
    """A place where no hierarchy was found, as a file or folder of a known kind; None if it is neither.

    Args:
        store: the store.
        look: a look at it; None makes one.
        may_be_file: whether the place may be one value. Otherwise it is known that there are keys below it.

    Raises:
        StoreNotFoundError: the place is a database, which only its URL opens.
        StoreError: the store failed, or the file or folder is broken.
    """
    folder = (look or FolderLook(store)).kind
    if folder is not None:
        return folder.open(store)
    if may_be_file:
        refuse_database_folder(store)
    if not may_be_file or not store.is_remote or not urlsplit(store.url).path.strip("/"):
        return None
    # The place may be one value, whose name does not say what it is.
    above, _, name = store.url.rstrip("/").rpartition("/")
    try:
        outer = open_store(above, options=store.options)
        found = kind_by_content(outer, name)
    except ZarrError:
        return None  # the place above may not be readable
    return None if found is None else found.open(outer, name, store.url.rstrip("/"))
