"""Opening a hierarchy: store, format, nodes."""

from __future__ import annotations

import os
from typing import Any

from zarrcore.array import ChunkCache
from zarrcore.array.reader import DEFAULT_MAX_CHUNK_BYTES
from zarrcore.errors import ReadOnlyError
from zarrcore.formats import FORMATS, Format, detect_format, format_named
from zarrcore.hierarchy.hierarchy import Hierarchy
from zarrcore.stores import open_store
from zarrcore.stores.interface import ReadableStore


def open_hierarchy(
    source: str | os.PathLike[str] | ReadableStore,
    mode: str = "r",
    format: str | Format | None = None,  # noqa: A002 - the specification's word, and the option's
    *,
    chunk_cache: ChunkCache | None = None,
    metadata_max_age_s: float | None = None,
    max_chunk_bytes: int = DEFAULT_MAX_CHUNK_BYTES,
    **store_options: Any,
) -> Hierarchy:
    """Open the hierarchy at a path or URL, or in a store.

    Args:
        source: a path, a URL, or a store that is open already.
        mode: "r", for reading.
        format: the format's name; None finds it out.
        chunk_cache: keeps decoded chunks; share one between hierarchies to bound them together.
        metadata_max_age_s: metadata read longer ago is read again; None keeps it until `Hierarchy.refresh`.
        max_chunk_bytes: chunks that decode to more are refused.
        store_options: as `zarrcore.stores.StoreOptions`.

    Raises:
        HierarchyNotFoundError: no hierarchy is there.
        StoreError: the store cannot be reached or does not exist.
        UnsupportedError: ``format`` is none that we know.
        ReadOnlyError: another mode than "r".
    """
    if mode != "r":
        raise ReadOnlyError(f"mode {mode!r}: hierarchies can be opened for reading only ('r')")
    store = source if isinstance(source, ReadableStore) else open_store(source, **store_options)
    found, root_documents = detect_format(store, FORMATS) if format is None else (format_named(format), None)
    return Hierarchy(
        store,
        found,
        chunk_cache=chunk_cache,
        metadata_max_age_s=metadata_max_age_s,
        max_chunk_bytes=max_chunk_bytes,
        root_documents=root_documents,
    )
