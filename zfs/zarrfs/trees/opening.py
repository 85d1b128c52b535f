"""From a SOURCE, as a user writes it, to the trees that a front end shows."""

from __future__ import annotations

import contextlib
import logging
import os
from dataclasses import replace
from typing import Any

import zarrcore
from zarrcore import ChunkCache, Hierarchy
from zarrcore.array import Missing
from zarrcore.errors import AccessDeniedError, ListingUnsupportedError, ReadOnlyError, StoreNotFoundError
from zarrcore.formats import format_named
from zarrcore.stores import ListableStore, PrefixStore, ReadableStore, StoreOptions, open_store, split_uri
from zarrfs.trees.store_trees import STORE_PART, Opener, StoreTrees, TreeOptions

_log = logging.getLogger(__name__)


def open_trees(
    source: str | os.PathLike[str] | ReadableStore,
    options: TreeOptions,
    store_options: StoreOptions | None = None,
    format_name: str | None = None,
    missing: Missing = "fill",
) -> StoreTrees:
    """The trees of a source, to be read only.

    Args:
        source: path or URL of a store, or ``SOURCE#/node/path``; or an open store.
        options: how to show it.
        store_options: how to open the store.
        format_name: the format of the hierarchy; None detects it.
        missing: how missing chunks read, as in `zarrcore.open_hierarchy`.

    Raises:
        StoreNotFoundError: there is no such store, or it has no key below that path.
        AccessDeniedError: access is denied.
        StoreError: the store cannot be reached.
        UnsupportedError: the format is unknown.
    """
    if format_name is not None:
        format_named(format_name)
    opener = hierarchy_opener(format_name, missing=missing)
    if isinstance(source, ReadableStore):
        return StoreTrees(source, opener, options)
    url, node = split_uri(os.fspath(source))
    chosen = replace(store_options or StoreOptions(), cache_max_age_s=options.ttl_s / STORE_PART)
    store = open_store(absolute(url), options=chosen, all_versions=True)
    try:
        return StoreTrees(part_of(store, node), opener, options)
    except BaseException:
        store.close()
        raise


def absolute(url: str) -> str:
    """A URL whose path, if it is a local one, is absolute; a version or a pipeline may follow the path."""
    for end in (len(url), url.find("|"), url.rfind("?")):
        if end > 0 and os.path.exists(url[:end]):
            return os.path.abspath(url[:end]) + url[end:]
    return url


def part_of(store: ReadableStore, node: str | None) -> ReadableStore:
    """The part of a store below the path of a node. The store is asked for something.

    So a wrong name or refused credentials are reported at once, and not by each file.

    Raises:
        StoreNotFoundError: the store can be listed and has no key there.
        StoreError: it cannot be reached.
    """
    inside = (node or "").strip("/")
    shown = PrefixStore(store, f"{inside}/") if inside else store
    if shown.is_remote:
        shown.stat("zarr.json")
    if inside and not _may_have_keys(store, f"{inside}/"):
        raise StoreNotFoundError(
            f"{store.url}#/{inside}: the store has no key below that path", url=store.url
        )
    return shown


def _may_have_keys(store: ReadableStore, prefix: str) -> bool:
    try:
        return not isinstance(store, ListableStore) or store.has_prefix(prefix)
    except (AccessDeniedError, ListingUnsupportedError):
        return True


def hierarchy_opener(
    format_name: str | None, *, read_write: bool = False, missing: Missing = "fill"
) -> Opener:
    """The function that opens the hierarchy. It logs each warning of a store once, however often it is called.

    Args:
        format_name: its format; None detects it.
        read_write: whether it may be written.
        missing: as for `open_trees`.
    """
    logged: set[str] = set()

    def opened(store: ReadableStore, chunk_cache: ChunkCache, max_age_s: float) -> Hierarchy:
        # With --read-write, read each node's own document: consolidated metadata do not contain new nodes.
        max_age_s = 0.0 if read_write else max_age_s
        keywords: Any = {
            "format": format_name,
            "chunk_cache": chunk_cache,
            "metadata_max_age_s": max_age_s,
            "missing": missing,
        }
        if read_write:
            # Not everything readable is writable: folders of hierarchies and old formats are read-only.
            with contextlib.suppress(ReadOnlyError):
                return zarrcore.open_hierarchy(store, "r+", **keywords)
        return zarrcore.open_hierarchy(store, **keywords)

    def open_hierarchy(store: ReadableStore, chunk_cache: ChunkCache, max_age_s: float) -> Hierarchy:
        hierarchy = opened(store, chunk_cache, max_age_s)
        for text in store.warnings():
            if text not in logged:
                logged.add(text)
                _log.warning("%s: %s", store.url, text)
        return hierarchy

    return open_hierarchy
