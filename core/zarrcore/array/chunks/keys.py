"""The keys of an array's chunks, also where its documents leave open how they are built.

Zarr version 2 has arrays with keys ``0/0`` whose documents tell no separator; drafts of version 3 leave other things open. The
store tells, but it is asked only when it matters: of an array whose chunks are where everybody looks first, nothing is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding


class ChunkKeys:
    """The keys of one array's chunks. Thread-safe.

    Args:
        prefix: what they begin with.
        encoding: how they are built, as far as the documents tell.
        settled: asks the store how they are built; without, the documents tell it all.
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
        """How the keys are built.

        Raises:
            StoreError: the store did not answer as it should.
        """
        if self._settled is not None:
            with self._lock:
                if self._settled is not None:
                    self._encoding = self._settled().chunk_key_encoding
                    self._settled = None
        return self._encoding

    def key(self, index: tuple[int, ...]) -> str:
        """The key of the chunk at a grid index.

        Raises:
            StoreError: the store did not answer as it should.
        """
        return self.prefix + self.encoding.encode(index)

    def likely(self, index: tuple[int, ...]) -> str:
        """The key at which to look first for the chunk at a grid index; the store is not asked."""
        return self.prefix + self._encoding.encode(index)

    def where_else(self, index: tuple[int, ...], key: str) -> str | None:
        """The key at which to look for a chunk that is missing at ``key``, if there is another.

        Raises:
            StoreError: the store did not answer as it should.
        """
        other = self.key(index)
        return None if other == key else other
