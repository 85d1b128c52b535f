"""The destination of a copy: what may be there already, and what is done about it."""

from __future__ import annotations

import os
import re

from zarrcore.errors import HierarchyNotFoundError, ListingUnsupportedError, NodeExistsError, SelectionError
from zarrcore.formats import FORMATS, detect_format
from zarrcore.hierarchy.open import erase_hierarchy
from zarrcore.operations.copy.plan import CopyPlan
from zarrcore.operations.marker import MARKER_KEY, read_marker, write_marker
from zarrcore.stores.cache.store import CacheStore
from zarrcore.stores.interface import ListableStore, ReadableStore
from zarrcore.stores.memory import MemoryStore
from zarrcore.stores.object.store import ObstoreStore
from zarrcore.stores.wrapper.interface import writable
from zarrcore.stores.wrapper.read_only import ReadOnlyStore


def prepare(plan: CopyPlan, source: ReadableStore, store: ReadableStore, *, overwrite: bool) -> bool:
    """Make ``store`` ready for a copy; whether this copy was begun there before.

    Raises:
        NodeExistsError: it holds something else, which is not to be overwritten, or is no hierarchy.
        SelectionError: it is the source itself, or one lies within the other.
        StoreError: it did not answer as it should.
    """
    _refuse_itself(source, store)
    marker = read_marker(store)
    if marker == plan.fingerprint:
        return True
    if overwrite and marker is not None:
        writable(store).erase_prefix("")  # all of it is what another copy has left
    elif overwrite:
        erase_hierarchy(store)
    elif marker is not None:
        raise NodeExistsError(
            "/",
            store.url,
            "is of another copy, which was interrupted: run that one again to finish it, or overwrite it (--overwrite)",
        )
    elif (found := _what_is_there(store)) is not None:
        raise NodeExistsError("/", store.url, f"would be mixed with what is there already, {found}")
    write_marker(writable(store), plan.source_url, plan.fingerprint)
    return False


def _refuse_itself(source: ReadableStore, store: ReadableStore) -> None:
    """Where one lies within the other, the copy would be copied, or the source erased."""
    one, other = _place(source), _place(store)
    if source.identity == store.identity or one.startswith(other) or other.startswith(one):
        raise SelectionError(
            f"{store.url} is the source itself, or one lies within the other: name another destination"
        )


def _place(store: ReadableStore) -> str:
    """What the place of everything within a store begins with, whatever the credentials."""
    while isinstance(store, ReadOnlyStore | CacheStore):
        store = store.store
    if isinstance(store, MemoryStore):
        return f"memory {id(store)}/"
    if isinstance(store, ObstoreStore):
        return f"{store.options.endpoint_url or ''} {store.url}/"
    path = re.sub("^(lmdb|sqlite)://", "", store.url)  # of a zip file as it is
    return os.path.join(os.path.realpath(path), "")


def _what_is_there(store: ReadableStore) -> str | None:
    try:
        return f"a hierarchy of {detect_format(store, FORMATS)[0].title} (--overwrite erases it)"
    except HierarchyNotFoundError:
        pass
    if isinstance(store, ListableStore):
        try:
            entry = next((entry for entry in store.list_dir("") if entry.key != MARKER_KEY), None)
        except ListingUnsupportedError:
            return None
        return None if entry is None else f"for instance {entry.key}"
    return None
