"""All trees of one store, with everything that they remember. The mount, fsspec and the HTTP server show these trees.

A front end adds its own caches in front of them, as `zarrfs.trees.freshness` says.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from zarrcore import ChunkCache, Hierarchy
from zarrcore.array import Spill
from zarrcore.errors import AccessDeniedError, HierarchyNotFoundError, StoreError, ZarrError
from zarrcore.filetypes import FILE_TYPES
from zarrcore.hierarchy import hierarchy_above
from zarrcore.stores import ReadableStore, StatisticsStore
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.control import Control
from zarrfs.trees.entry import Directory
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.hdf5.tree import HDF5Tree
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.keys.watched_store import WatchedStore
from zarrfs.trees.keys.writer import KeyWriter
from zarrfs.trees.root import LazyTree, NamedTrees, TreeName
from zarrfs.trees.writing.spool import SpoolMemory
from zarrfs.trees.zarr3.tree import Zarr3Tree

LISTED: Final = tuple(kind.suffix for kind in FILE_TYPES if kind.is_listed)
"""The file types that listings show unless others are chosen."""
STORE_PART: Final = 3
"""A store's own cache has one of so many parts of the time to live, and so has the snapshot of a branch."""


Opener = Callable[[ReadableStore, ChunkCache, float], Hierarchy]
"""Opens the hierarchy of a store, with a chunk cache and the longest time to keep documents, in seconds."""


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """How to show a store."""

    view: str | None = None
    """The tree at the root itself; None for all trees as directories."""
    show: tuple[str, ...] = LISTED
    """File types that listings show; the others open by name."""
    cache_bytes: int = 512 << 20
    """Memory for decoded chunks, in bytes."""
    spill_bytes: int = 8 << 30
    """Disk space for decoded chunks of arrays whose rows of chunks do not fit in memory, in bytes."""
    ttl_s: float = 60.0
    """How old an answer may be, in seconds."""
    places: int = 1
    """The places that share this time: the trees, and those of the front end that do not know how old an answer is."""
    written_bytes: int | None = None
    """Memory for values that are being written, in bytes; None for trees that are only read."""


class StoreTrees:
    """The trees of a store.

    Args:
        store: the store to show.
        open_hierarchy: opens the hierarchy in it.
        options: how to show it.
        on_change: called after a write through the trees.

    Attributes:
        store: the same store; it counts its requests if it is remote.
        arrays: the decoded tree, which finds the nodes for all trees.
        hdf5: the tree of HDF5 files.
        chunks: the decoded chunks of all trees.
        ttl_s: how old the answers of the trees may be.
        freshness: how long the keys are valid. It has the same time to live as that of the other trees.
    """

    def __init__(
        self,
        store: ReadableStore,
        open_hierarchy: Opener,
        options: TreeOptions,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._options = options
        self._on_change = on_change
        self.store = StatisticsStore(store) if store.is_remote else store
        ttl_s = self.ttl_s = max(0.0, options.ttl_s - _kept_s(store)) / options.places
        self.freshness, self._decoded_freshness = (Freshness(ttl_s) for _ in range(2))
        is_fixed = ttl_s in (0, math.inf)
        self.chunks = ChunkCache(options.cache_bytes, None if is_fixed else ttl_s, Spill(options.spill_bytes))
        watched = WatchedStore(self.store, self._changed)
        memory = None if options.written_bytes is None else SpoolMemory(options.written_bytes)
        changeable = self.store if memory is None else watched
        self.arrays = ArraysTree(
            lambda: open_hierarchy(changeable, self.chunks, ttl_s),
            self._decoded_freshness,
            self.chunks.clear,
            options.show,
            memory,
        )
        self.hdf5 = HDF5Tree(self.arrays)
        writer = None if memory is None else KeyWriter(watched, memory)
        self._keys, self._hidden_keys = (
            KeysTree(self.store, self.freshness, self._is_node, keys_first, writer, self._may_be_value)
            for keys_first in (False, True)
        )

    def root(self, started_s: float | None = None) -> Directory:
        """All trees as directories, or the tree of `TreeOptions.view`.

        Args:
            started_s: the time that the root shows; by default now.

        Raises:
            HierarchyNotFoundError, MetadataError, UnsupportedError, StoreError: that tree needs a hierarchy, which does not
                open. ``keys`` shows any store.
        """
        mode = 0o555 if self._options.written_bytes is None else 0o755
        trees: dict[str, Directory] = {
            TreeName.KEYS: self._keys.root(),
            TreeName.ARRAYS: LazyTree(self.arrays.root, mode),
            TreeName.ZARR3: LazyTree(Zarr3Tree(self.arrays).root),
            TreeName.HDF5: LazyTree(self.hdf5.root),
        }
        view = self._options.view
        if view is None:
            return NamedTrees(trees, time.time() if started_s is None else started_s)
        if view != TreeName.KEYS:
            self.arrays.hierarchy()
        return trees[view]

    def control(self, stats: Callable[[], dict[str, Any]], refresh: Callable[[], None]) -> Control:
        """The hidden directory; ``stats`` and ``refresh`` are those of the front end."""
        return Control(stats, refresh, self._hidden_keys.root())

    def _is_node(self, path: str) -> bool:
        try:
            return self.arrays.node(path, wait=True) is not None
        except StoreError as error:
            # Where only listing is not allowed, a node without documents cannot be found. Other failures are no absence.
            if isinstance(error, AccessDeniedError) and (error.key or "/").endswith("/"):
                return False
            raise
        except ZarrError:
            return False

    def _may_be_value(self, key: str) -> bool:
        try:
            try:
                return self.arrays.hierarchy().may_be_value(key, partial(self.arrays.node, wait=True))
            except HierarchyNotFoundError:
                above = hierarchy_above(self.store, key)
                return above is not None and above.may_be_value(key)
        except ZarrError:  # a node that is unknown, too
            return True

    def _changed(self, key: str) -> None:
        """Drop answers that a write has changed."""
        for view in (self._keys, self._hidden_keys):
            view.changed(key)
        self.arrays.changed(key)
        self._on_change()

    def refresh(self) -> None:
        """Drop everything that is remembered."""
        self.store.refresh()
        for freshness in (self.freshness, self._decoded_freshness):
            freshness.refresh()
        self.chunks.clear()

    def stats(self) -> dict[str, Any]:
        """Counts of chunks, files and requests, by name."""
        return {
            "url": self.store.url,
            "format": None if (known := self.arrays.format) is None else known.name,
            "specification": None if known is None else known.specification,
            "chunk_cache": {
                "bytes": self.chunks.nbytes,
                "limit_bytes": self.chunks.max_bytes,
                "spilled_bytes": self.chunks.spilled_nbytes,
                "hits": self.chunks.hits,
                "misses": self.chunks.misses,
            },
            "decoded": {
                "chunks": self.chunks.decoded,
                "bytes": self.chunks.decoded_bytes,
                "seconds": round(self.chunks.decode_s, 6),
            },
            "hdf5_files": {
                "made": self.hdf5.files.count,
                "measured": self.hdf5.files.measured,
                "sizes": self.hdf5.files.sizes,
                "bytes": self.hdf5.files.kept_nbytes,
            },
            "store": self._store_requests(),
        }

    def _store_requests(self) -> dict[str, Any]:
        """Counts of the requests to a remote store; requests to a local store are not counted."""
        if not isinstance(self.store, StatisticsStore):
            return {}
        return {name: asdict(kind) for name, kind in self.store.statistics().items()}

    def close(self) -> None:
        """Close the store."""
        self.store.close()


def _kept_s(store: ReadableStore) -> float:
    """How old the answers may be that the store keeps itself."""
    options = store.options
    is_cached = store.is_remote and not (options.cache_dir is None and options.cache_url is None)
    cache_s = options.cache_max_age_s if is_cached else 0.0
    if math.isinf(cache_s):
        return 0.0
    return cache_s + ((options.branch_max_age_s or 0.0) if store.presents == "Icechunk" else 0.0)
