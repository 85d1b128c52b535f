"""The hierarchy of one store, in one format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from zarrcore.errors import ReadOnlyError
from zarrcore.formats import Format
from zarrcore.hierarchy.hierarchy import DEFAULT_OPTIONS, Hierarchy, HierarchyOptions
from zarrcore.hierarchy.node_loader import NodeLoader, Seen
from zarrcore.hierarchy.node_writer import NodeWriter
from zarrcore.hierarchy.nodes import AnyNode
from zarrcore.hierarchy.paths import normalize_path
from zarrcore.stores.interface import ReadableStore


class StoreHierarchy(Hierarchy):
    """The nodes of one store. Thread-safe. A `NodeLoader` reads them, and remembers what is known of them.

    Args:
        store, format, options, at: as the attributes of `Hierarchy`.
        seen: what was requested to open it.
    """

    def __init__(
        self,
        store: ReadableStore,
        format: Format,  # noqa: A002 - as `Hierarchy`
        options: HierarchyOptions = DEFAULT_OPTIONS,
        at: str = "/",
        seen: Seen | None = None,
    ) -> None:
        super().__init__(store, format, options, at)
        max_age_s, believes = options.metadata_max_age_s, options.believe_consolidated
        if believes is None:
            # Without an age limit above 0, consolidated metadata would be read again for each node.
            believes = store.is_remote and options.read_only and max_age_s != 0
        self._loader = NodeLoader(
            self, max_age_s=max_age_s, believes=believes, named=options.named, seen=seen
        )
        self._writer: NodeWriter | None = None

    def node(self, path: str, *, together: bool = True) -> AnyNode:
        return self._loader.node(normalize_path(path), together=together)

    def child_names(self, path: str) -> Iterator[str]:
        return self._loader.child_names(path)

    def _costs_round_trips(self) -> bool:
        return self.store.is_remote and not self._loader.has_consolidated()

    def alone(self) -> Hierarchy:
        if not self._loader.believes and self.at == "/":
            return self
        return StoreHierarchy(self.store, self.format, replace(self.options, believe_consolidated=False))

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

    def __repr__(self) -> str:
        return f"<Hierarchy {self.url} ({self.store.presents or self.format.title})>"

    def __reduce__(self) -> tuple[Any, ...]:
        # The nodes that were read are not pickled.
        return StoreHierarchy, (self.store, self.format, self.options, self.at)
