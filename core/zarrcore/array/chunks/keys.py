"""The keys of an array's chunks, also if its documents do not fully specify them.

Some Zarr v2 arrays have keys ``0/0``, but their documents name no separator; some drafts of Zarr v3 leave other details open.
Then the keys in the store decide. The store is asked only if a chunk is missing under its usual key.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding


class ChunkKeys:
    """The keys of one array's chunks. Thread-safe.

    Args:
        prefix: the prefix of all keys.
        encoding: how keys are built according to the documents.
        settled: asks the store how keys are built; None if the documents are complete.
    """

    def __init__(
        self, prefix: str, encoding: ChunkKeyEncoding, settled: Callable[[], ArrayMetadata] | None = None
    ) -> None:
        self.prefix = prefix
        self._encoding = encoding
        self._settled = settled
        self._lock = threading.Lock()

    @property
    def encoding(self) -> ChunkKeyEncoding:
        """How keys are built.

        Raises:
            StoreError: the store failed.
        """
        if self._settled is not None:
            with self._lock:
                if self._settled is not None:
                    self._encoding = self._settled().chunk_key_encoding
                    self._settled = None
        return self._encoding

    @property
    def is_settled(self) -> bool:
        """Whether `likely` makes no mistakes."""
        return self._settled is None

    def settle(self) -> None:
        """Ask the store how keys are built, if the documents leave it open: `likely` makes no mistakes from then on.

        Raises:
            StoreError: the store failed.
        """
        _ = self.encoding

    def key(self, index: tuple[int, ...]) -> str:
        """The key of the chunk at a grid index.

        Raises:
            StoreError: the store failed.
        """
        return self.prefix + self.encoding.encode(index)

    @property
    def likely_form(self) -> tuple[str, str, bool]:
        """How `likely` makes keys: what comes before the indices, what between them, whether the last index comes first."""
        encoding = self._encoding
        return self.prefix + encoding.beginning, encoding.separator, encoding.is_reversed

    def likely(self, index: tuple[int, ...]) -> str:
        """The key to try first for the chunk at a grid index. Does not ask the store."""
        return self.prefix + self._encoding.encode(index)

    def where_else(self, index: tuple[int, ...], key: str) -> str | None:
        """Another key to try for a chunk that is missing at ``key``, if there is one.

        Raises:
            StoreError: the store failed.
        """
        other = self.key(index)
        return None if other == key else other
