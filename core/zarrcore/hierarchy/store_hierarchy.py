"""The hierarchy of one store, in one format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from zarrcore.array import ChunkCache
from zarrcore.array.reader import DEFAULT_MAX_CHUNK_BYTES
from zarrcore.errors import ReadOnlyError
from zarrcore.formats import Format
from zarrcore.formats.detect import Get
from zarrcore.formats.interface import Documents
from zarrcore.hierarchy.hierarchy import Hierarchy
from zarrcore.hierarchy.node_loader import NodeLoader
from zarrcore.hierarchy.node_writer import NodeWriter
from zarrcore.hierarchy.nodes import AnyNode
from zarrcore.hierarchy.paths import normalize_path
from zarrcore.stores.interface import ReadableStore


class StoreHierarchy(Hierarchy):
    """The nodes of one store. Thread-safe.

    Args:
        store, format, chunk_cache, metadata_max_age_s, max_chunk_bytes, read_only, at: as the attributes of `Hierarchy`.
        root_documents: the root's documents, if they are already fetched.
        named: whether the caller named the format. Then nodes raise WrongFormatError if the root has documents of
            another format, and none of this one.
        asked: gets documents, some of which `ask_root` requested just now.
        believe_consolidated: whether to use consolidated metadata; by default, if the store is remote
            and the hierarchy is read-only.
    """

    def __init__(
        self,
        store: ReadableStore,
        format: Format,  # noqa: A002 - as `Hierarchy`
        *,
        chunk_cache: ChunkCache | None = None,
        metadata_max_age_s: float | None = None,
        max_chunk_bytes: int = DEFAULT_MAX_CHUNK_BYTES,
        root_documents: Documents | None = None,
        named: bool = False,
        asked: Get | None = None,
        read_only: bool = True,
        believe_consolidated: bool | None = None,
        at: str = "/",
    ) -> None:
        super().__init__(
            store,
            format,
            chunk_cache=chunk_cache,
            metadata_max_age_s=metadata_max_age_s,
            max_chunk_bytes=max_chunk_bytes,
            read_only=read_only,
            at=at,
        )
        if believe_consolidated is None:
            # Without an age limit above 0, consolidated metadata would be read again for each node.
            believe_consolidated = store.is_remote and read_only and metadata_max_age_s != 0
        self._named = named
        self._loader = NodeLoader(
            self, metadata_max_age_s, believes=believe_consolidated, named=named, asked=asked
        )
        self._writer: NodeWriter | None = None
        if root_documents is not None:
            self._loader.take(at, root_documents)

    def node(self, path: str, *, together: bool = True) -> AnyNode:
        return self._loader.node(normalize_path(path), together=together)

    def child_names(self, path: str) -> Iterator[str]:
        return self._loader.child_names(path)

    def _costs_round_trips(self) -> bool:
        return self.store.is_remote and not self._loader.has_consolidated()

    def alone(self) -> Hierarchy:
        if not self._loader.believes and self.at == "/":
            return self
        return _restore(
            self.store, self.format, {**self._options, "believe_consolidated": False}, self.chunk_cache
        )

    def refresh(self) -> None:
        self._loader.clear()
        if self.chunk_cache is not None:
            self.chunk_cache.clear()

    def forget(self, path: str) -> None:
        self._loader.forget(path)

    def writer(self) -> NodeWriter:
        if self.read_only:
            raise ReadOnlyError(f"{self.url} was opened for reading only: open it with mode 'r+'")
        if not self.format.writable:
            raise ReadOnlyError(f"{self.url} is {self.format.title}, which is read-only")
        if self._writer is None:
            self._writer = NodeWriter(self, self._loader)
        return self._writer

    @property
    def _options(self) -> Mapping[str, Any]:
        return {
            "metadata_max_age_s": self.metadata_max_age_s,
            "max_chunk_bytes": self.max_chunk_bytes,
            "read_only": self.read_only,
            "believe_consolidated": self._loader.believes,
            "named": self._named,
        }

    def __repr__(self) -> str:
        return f"<Hierarchy {self.url} ({self.format.title})>"

    def __reduce__(self) -> tuple[Any, ...]:
        # Neither the nodes that were read nor the chunk cache is pickled.
        return _restore, (self.store, self.format, {**self._options, "at": self.at})


def _restore(
    store: ReadableStore,
    format: Format,  # noqa: A002 - as `Hierarchy`
    options: Mapping[str, Any],
    chunk_cache: ChunkCache | None = None,
) -> StoreHierarchy:
    return StoreHierarchy(store, format, chunk_cache=chunk_cache, **options)
