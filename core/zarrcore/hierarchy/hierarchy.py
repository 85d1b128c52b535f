"""Hierarchies: nodes by path.

Accepted specification, "Storage", "Operations": discovering children, existence of a node, implicit groups.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from concurrent.futures import Future
from functools import partial
from itertools import islice
from typing import Any

from zarrcore.array import ChunkCache
from zarrcore.array.pools import executor_for
from zarrcore.array.reader import DEFAULT_MAX_CHUNK_BYTES
from zarrcore.errors import (
    ListingUnsupportedError,
    MetadataError,
    NodeNotFoundError,
    SelectionError,
    StoreError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.formats import Format
from zarrcore.formats.detect import fetch_document
from zarrcore.formats.interface import Documents
from zarrcore.hierarchy.nodes import AnyNode, ArrayNode, BrokenNode, Group
from zarrcore.metadata import ArrayMetadata, GroupMetadata
from zarrcore.stores.interface import ListableStore, ReadableStore

_KEPT_NODES = 10_000
_SORTED_CHILDREN = 10_000


class Hierarchy:
    """The nodes of one store. Thread-safe.

    Args:
        store: where the hierarchy is; its root stands at the empty prefix.
        format: how it is laid out.
        chunk_cache: shared by all arrays; None keeps no decoded chunks.
        metadata_max_age_s: documents read longer ago are read again; None keeps them until `refresh`.
        max_chunk_bytes: arrays refuse chunks that decode to more.
        root_documents: the root's, where they have been fetched already.
    """

    def __init__(
        self,
        store: ReadableStore,
        format: Format,  # noqa: A002 - the specification's word, and the option's
        *,
        chunk_cache: ChunkCache | None = None,
        metadata_max_age_s: float | None = None,
        max_chunk_bytes: int = DEFAULT_MAX_CHUNK_BYTES,
        root_documents: Documents | None = None,
    ) -> None:
        self.store = store
        self.format = format
        self.chunk_cache = chunk_cache
        self._metadata_max_age_s = metadata_max_age_s
        self._max_chunk_bytes = max_chunk_bytes
        self._nodes: OrderedDict[str, tuple[float, AnyNode]] = OrderedDict()
        self._consolidated: tuple[float, dict[str, list[str]] | None] | None = None
        self._lock = threading.Lock()
        if root_documents is not None:
            self._open("/", root_documents)

    @property
    def url(self) -> str:
        """The store's URL, without credentials."""
        return self.store.url

    @property
    def root(self) -> Group | ArrayNode:
        """The node at ``/``.

        Raises:
            MetadataError, UnsupportedError: it cannot be opened.
        """
        return self["/"]

    def __getitem__(self, path: str) -> Group | ArrayNode:
        """The group or array at ``path``, with or without the leading slash.

        Raises:
            NodeNotFoundError: no node stands there.
            MetadataError: its document is broken.
            UnsupportedError: it needs an extension that we do not know.
            StoreError: the store did not answer as it should.
        """
        node = self.node(path)
        if isinstance(node, BrokenNode):
            # Kept for the next who asks, so it must not gather the frames of all who did.
            raise node.error.with_traceback(None)
        return node

    def __contains__(self, path: str) -> bool:
        try:
            self.node(path)
        except (NodeNotFoundError, SelectionError):
            return False
        return True

    def node(self, path: str) -> AnyNode:
        """The node at ``path``; one that cannot be opened as a `BrokenNode`.

        Raises:
            NodeNotFoundError: no node stands there.
            SelectionError: ``path`` can name no node.
            StoreError: the store did not answer as it should.
        """
        path = normalize_path(path)
        with self._lock:
            kept = self._nodes.get(path)
            if kept is not None and not self._is_stale(kept[0]):
                self._nodes.move_to_end(path)
                return kept[1]
        found = self._open(path, self.format.fetch(partial(fetch_document, self.store), path))
        if found is None:
            raise NodeNotFoundError(path, self.url)
        return found

    def children(self, path: str) -> Iterator[AnyNode]:
        """The nodes directly below the group at ``path``, in the store's order, documents fetched ahead in parallel."""
        names = self.child_names(path)
        base = "" if path == "/" else path
        found: Iterator[AnyNode | None]
        if not self.store.is_remote:
            found = (self._child(f"{base}/{name}") for name in names)
        else:
            found = self._children_ahead(base, names)
        return (node for node in found if node is not None)

    def _children_ahead(self, base: str, names: Iterator[str]) -> Iterator[AnyNode | None]:
        executor, width = executor_for(self.store)
        ahead: deque[Future[AnyNode | None]] = deque()
        try:
            for name in names:
                ahead.append(executor.submit(self._child, f"{base}/{name}"))
                if len(ahead) >= width:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()

    def _child(self, path: str) -> AnyNode | None:
        try:
            return self.node(path)
        except NodeNotFoundError:
            return None
        except StoreError as error:  # one child that may not be read hides none of the others
            return BrokenNode(self, path, (None,) * len(self.format.document_keys(path)), error)

    def child_names(self, path: str) -> Iterator[str]:
        """The names under which the group at ``path`` may have nodes; no document is fetched."""
        try:
            yield from self._listed_names(path)
        except ListingUnsupportedError:
            names = self._consolidated_names()
            if names is None:
                raise
            yield from names.get(path, ())

    def _listed_names(self, path: str) -> Iterator[str]:
        if not isinstance(self.store, ListableStore):
            raise ListingUnsupportedError(
                f"{self.url} cannot be listed and has no consolidated metadata: name the path of a node",
                url=self.url,
            )
        prefix = self.format.prefix(path)
        entries = (entry.key[len(prefix) : -1] for entry in self.store.list_dir(prefix) if entry.is_prefix)
        names = (name for name in entries if self.format.may_name_node(name))
        if not self.store.is_remote:
            # A directory tells names in no order that people could follow; object stores list them sorted.
            first = sorted(islice(names, _SORTED_CHILDREN))
            yield from first
        yield from names

    def _consolidated_names(self) -> dict[str, list[str]] | None:
        """What the root's consolidated metadata has below each path, implied groups too; None where there is none."""
        with self._lock:
            kept, root = self._consolidated, self._nodes.get("/")
        if kept is not None and not self._is_stale(kept[0]):
            return kept[1]
        read_s, get = time.monotonic(), partial(fetch_document, self.store)
        documents = root[1].documents if root is not None else self.format.fetch(get, "/")
        paths = self.format.consolidated_paths(get, documents)
        names = None if paths is None else self._names_by_parent(paths)
        with self._lock:
            self._consolidated = (read_s, names)
        return names

    def _names_by_parent(self, paths: list[str]) -> dict[str, list[str]]:
        names: dict[str, set[str]] = {}
        for path in paths:
            parent = "/"
            for name in path.strip("/").split("/"):
                if not self.format.may_name_node(name):
                    break
                names.setdefault(parent, set()).add(name)
                parent = f"{parent.rstrip('/')}/{name}"
        return {parent: sorted(below) for parent, below in names.items()}

    def walk(self, path: str = "/") -> Iterator[AnyNode]:
        """The node at ``path`` and all below it, parents before children, lazily."""
        node = self.node(path)
        yield node
        if isinstance(node, Group):
            stack = [node.children()]
            while stack:
                child = next(stack[-1], None)
                if child is None:
                    stack.pop()
                    continue
                yield child
                if isinstance(child, Group):
                    stack.append(child.children())

    def refresh(self) -> None:
        """Forget what was read of metadata and chunks: the next question asks the store."""
        with self._lock:
            self._nodes.clear()
            self._consolidated = None
        if self.chunk_cache is not None:
            self.chunk_cache.clear()

    def _open(self, path: str, documents: Documents) -> AnyNode | None:
        read_s = time.monotonic()
        try:
            node = self._parse(path, documents)
        except MetadataError as error:
            keys = self.format.document_keys(path)
            present = (key for key, document in zip(keys, documents, strict=True) if document is not None)
            node = BrokenNode(self, path, documents, error.at(next(present, keys[0])))
        except UnsupportedError as error:
            node = BrokenNode(self, path, documents, error)
        if node is not None:
            self._keep(path, read_s, node)
        return node

    def _parse(self, path: str, documents: Documents) -> AnyNode | None:
        try:
            metadata = self.format.parse(documents)
            if isinstance(metadata, ArrayMetadata):
                return ArrayNode(self, path, documents, metadata, self.chunk_cache, self._max_chunk_bytes)
        except ZarrError:
            raise
        except Exception as error:
            # Documents are written by strangers: what no check foresaw is still one broken node, and no more.
            raise MetadataError(f"cannot be understood ({type(error).__name__}: {error})") from error
        return (
            self._implicit_group(path, documents)
            if metadata is None
            else Group(self, path, documents, metadata)
        )

    def _implicit_group(self, path: str, documents: Documents) -> Group | None:
        if not (self.format.implicit_groups or path == "/") or not isinstance(self.store, ListableStore):
            return None
        if path != "/" and not all(self.format.may_name_node(name) for name in path[1:].split("/")):
            return None
        try:
            exists = path == "/" or self.store.has_prefix(self.format.prefix(path))
        except ListingUnsupportedError:
            return None
        return Group(self, path, documents, GroupMetadata()) if exists else None

    def _keep(self, path: str, read_s: float, node: AnyNode) -> None:
        with self._lock:
            self._nodes[path] = (read_s, node)
            self._nodes.move_to_end(path)
            if len(self._nodes) > _KEPT_NODES:
                self._nodes.popitem(last=False)

    def _is_stale(self, read_s: float) -> bool:
        return self._metadata_max_age_s is not None and time.monotonic() - read_s >= self._metadata_max_age_s

    def __repr__(self) -> str:
        return f"<Hierarchy {self.url} ({self.format.title})>"

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        del state["_lock"], state["_nodes"], state["chunk_cache"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.chunk_cache = None
        self._nodes = OrderedDict()
        self._lock = threading.Lock()


def normalize_path(path: str) -> str:
    """The path with a leading slash and no other than needed.

    Raises:
        SelectionError: a segment that can name no node.

    >>> normalize_path("foo//bar/"), normalize_path("")
    ('/foo/bar', '/')
    """
    segments = [segment for segment in path.split("/") if segment]
    for segment in segments:
        if segment in (".", "..") or "\0" in segment:
            raise SelectionError(f"path {path!r} has the segment {segment!r}, which can name no node")
    return "/" + "/".join(segments)
