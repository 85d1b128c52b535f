"""The destination of a copy, and what it may already hold."""

from __future__ import annotations

import os
import re
from functools import partial

from zarrcore.errors import HierarchyNotFoundError, ListingUnsupportedError, NodeExistsError, SelectionError
from zarrcore.formats import FORMATS, detect_format
from zarrcore.formats.detect import fetch_document
from zarrcore.hierarchy.open import erase_hierarchy, look_at_place
from zarrcore.operations.copy.plan import CopyPlan
from zarrcore.operations.marker import MARKER_KEY, Marker, read_marker
from zarrcore.stores.cache.store import CacheStore
from zarrcore.stores.interface import ListableStore, ReadableStore
from zarrcore.stores.memory import MemoryStore
from zarrcore.stores.object.store import ObstoreStore
from zarrcore.stores.wrapper.interface import writable
from zarrcore.stores.wrapper.read_only import ReadOnlyStore


def prepare(plan: CopyPlan, source: ReadableStore, store: ReadableStore, *, overwrite: bool) -> Marker | None:
    """Prepare ``store`` for a copy; returns the marker if this copy was started there before.

    Raises:
        NodeExistsError: it holds something else that must not be overwritten, or that is not a hierarchy.
        SelectionError: it is the source itself, or one is inside the other.
        StoreError: it failed.
    """
    _refuse_itself(source, store)
    marker = read_marker(store)
    if marker is not None and marker.fingerprint == plan.fingerprint:
        return marker
    if overwrite and marker is not None:
        writable(store).erase_prefix("")  # an interrupted copy left all of it
    elif overwrite:
        erase_hierarchy(store, look_at_place(store))
    elif marker is not None:
        raise NodeExistsError(
            "/",
            store.url,
            "belongs to another copy, which was interrupted: run that one again to finish it, or overwrite it (--overwrite)",
        )
    elif (found := _what_is_there(store)) is not None:
        raise NodeExistsError("/", store.url, f"would be mixed with existing data, {found}")
    writable(store)  # refuses a read-only store before the source is listed
    return None


def _refuse_itself(source: ReadableStore, store: ReadableStore) -> None:
    """Refuse source and destination inside each other: the copy would be copied, or the source erased."""
    if source.identity == store.identity or _overlap(_place(source), _place(store)):
        raise _refusal(store.url)


def refuse_place_inside(source: ReadableStore, url: str) -> None:
    """Refuse a local path inside the source, or around it, before a folder is made there.

    Raises:
        SelectionError: one is inside the other.
    """
    if url and "://" not in url and _overlap(_place(source), _folder(os.path.expanduser(url))):
        raise _refusal(url)


def _overlap(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _refusal(destination: str) -> SelectionError:
    return SelectionError(
        f"{destination} is the source itself, or one is inside the other: name another destination"
    )


def _place(store: ReadableStore) -> str:
    """The common beginning of all places in a store, without credentials."""
    while isinstance(store, ReadOnlyStore | CacheStore):
        store = store.store
    if isinstance(store, MemoryStore):
        return f"memory {id(store)}/"
    if isinstance(store, ObstoreStore):
        return f"{store.options.endpoint_url or ''} {store.url}/"
    path = re.sub("^(lmdb|sqlite)://", "", store.url)  # the path of a zip file, unchanged
    return _folder(path)


def _folder(path: str) -> str:
    return os.path.join(os.path.realpath(path), "")


def _what_is_there(store: ReadableStore) -> str | None:
    look = look_at_place(store)
    try:
        found, _ = detect_format(look, FORMATS, partial(fetch_document, look))
    except HierarchyNotFoundError:
        pass
    else:
        return f"a hierarchy of {found.title} (--overwrite erases it)"
    if isinstance(look, ListableStore):
        try:
            entry = next((entry for entry in look.list_dir("") if entry.key != MARKER_KEY), None)
        except ListingUnsupportedError:
            return None
        return None if entry is None else f"for instance {entry.key}"
    return None
