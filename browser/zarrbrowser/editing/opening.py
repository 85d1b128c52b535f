"""Opening a source for changes."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from zarrbrowser.editing.watched_store import WatchedStore
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import CACHE_BYTES, Source, SourceRequest


def open_for_changes(request: SourceRequest, shown: Source | None = None) -> Source:
    """Open the source of a request again so that it can be changed; blocks. Writes nothing.

    Args:
        request: the source.
        shown: the source as it is open for reading. A version of a repository, for instance, is recognized only then.

    Raises:
        ReadOnlyError: it cannot be written: its store, its format or its files allow only reading; the error says which.
        ZarrError: it cannot be reached, or is not a hierarchy.
    """
    # late: as in `open_source`
    import zarrcore
    from zarrcore.hierarchy import open_hierarchy
    from zarrcore.stores import RequestLog, StatisticsStore, StoreOptions

    if shown is not None:
        check_store(shown)
    options: Any = request.options
    if isinstance(options, Connection):
        options = options.store_options()
    # A cache may be older than the store.
    options = replace(options or StoreOptions(), cache_dir=None, cache_url=None)
    counted = StatisticsStore(zarrcore.open_store(request.address, options=options, all_versions=True))
    log = RequestLog()
    counted.log_to(log)
    store = WatchedStore(counted)
    check_permission(store)
    hierarchy = open_hierarchy(
        store, "r+", request.format, chunk_cache=zarrcore.ChunkCache(CACHE_BYTES), believe_consolidated=False
    )
    return Source(request, hierarchy, hierarchy.node("/"), counted.statistics, log.take, may_change=True)


def check_store(source: Source) -> None:
    """Check that the store of an open source is of a kind that takes changes. Sends no request.

    Raises:
        ReadOnlyError: it is not.
    """
    from zarrcore.stores import writable  # late: for a fast start

    hierarchy: Any = source.hierarchy
    writable(hierarchy.store)


def check_permission(store: Any) -> None:
    """Check that a store takes changes, as far as that is known without writing.

    Raises:
        ReadOnlyError: it does not.
    """
    from zarrcore.errors import ReadOnlyError  # late: for a fast start
    from zarrcore.stores import writable

    writable(store)
    path = store.url
    if "://" not in path and os.path.exists(path) and not os.access(path, os.W_OK):
        what = "folder" if os.path.isdir(path) else "file"
        raise ReadOnlyError(f"{path} cannot be written: you have no permission to change this {what}")
