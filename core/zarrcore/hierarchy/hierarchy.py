"""Hierarchies: nodes by path.

Accepted specification, "Storage", "Operations": discovering children, existence of a node, implicit groups; creating and
erasing nodes, which `NodeWriter` does.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Self, overload

from zarrcore.array import ChunkCache
from zarrcore.array.reader import DEFAULT_MAX_CHUNK_BYTES
from zarrcore.errors import (
    MetadataError,
    NodeNotFoundError,
    ReadOnlyError,
    SelectionError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.formats import Format
from zarrcore.formats.detect import Get, at_once, fetch_document
from zarrcore.formats.interface import Documents
from zarrcore.hierarchy.discovery import Discovery
from zarrcore.hierarchy.kept_nodes import KeptNodes
from zarrcore.hierarchy.new_array import CodecLike, new_array_metadata
from zarrcore.hierarchy.node_writer import NodeWriter
from zarrcore.hierarchy.nodes import AnyNode, ArrayNode, BrokenNode, Found, Group
from zarrcore.hierarchy.walking import Branch
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, GroupMetadata, NodeMetadata
from zarrcore.stores.interface import ListableStore, ReadableStore


class Hierarchy:
    """The nodes of one store. Thread-safe.

    Args:
        store: where the hierarchy is; its root stands at the empty prefix.
        format: how it is laid out.
        chunk_cache: shared by all arrays; None keeps no decoded chunks.
        metadata_max_age_s: documents read longer ago are read again; None keeps them until `refresh`.
        max_chunk_bytes: arrays refuse chunks that decode to more.
        root_documents: the root's, where they have been fetched already.
        asked: gives documents, of which `ask_root` has asked for some just now.
        read_only: whether changing anything is refused, whatever the store can do.
        believe_consolidated: whether nodes are what consolidated metadata say; without, where the store is remote,
            and nothing is changed here.
        at: the path of the root; another than ``/`` in a `Collection`.
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
        asked: Get | None = None,
        read_only: bool = True,
        believe_consolidated: bool | None = None,
        at: str = "/",
    ) -> None:
        self.store = store
        self.format = format
        self.at = at
        self.chunk_cache = chunk_cache
        self.max_chunk_bytes = max_chunk_bytes
        self.read_only = read_only
        self._kept = KeptNodes(metadata_max_age_s)
        if believe_consolidated is None:
            # Consolidated metadata that are not kept would be read again for each node.
            believe_consolidated = store.is_remote and read_only and metadata_max_age_s != 0
        self._discovery = Discovery(self, metadata_max_age_s, believe_consolidated, asked)
        self._writer: NodeWriter | None = None
        if root_documents is not None:
            self.take(at, root_documents)

    @property
    def url(self) -> str:
        """The store's URL, without credentials."""
        return self.store.url

    @property
    def root(self) -> Group | ArrayNode:
        """The node at ``/``, or at ``at``.

        Raises:
            MetadataError, UnsupportedError: it cannot be opened.
        """
        return self[self.at]

    def within(self, path: str) -> str:
        """The path as the store has it, whose root is ``/``: the two differ in a `Collection`."""
        return path[len(self.at) :] or "/" if self.at != "/" else path

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

    def node(self, path: str, *, together: bool = True) -> AnyNode:
        """The node at ``path``; one that cannot be opened as a `BrokenNode`.

        Args:
            path: the node's.
            together: whether over a network all documents that it may have are asked for in one round trip, and not only
                those that matter one after the other, which for many nodes at once is faster.

        Raises:
            NodeNotFoundError: no node stands there.
            SelectionError: ``path`` can name no node.
            StoreError: the store did not answer as it should.
        """
        path = normalize_path(path)
        kept = self._kept.get(path)
        if kept is not None:
            return kept
        read_s = time.monotonic()
        found = self.take(path, *(self._discovery.told(path) or (self._fetched(path, together), read_s)))
        if found is None:
            raise NodeNotFoundError(path, self.url)
        return found

    def _fetched(self, path: str, together: bool) -> Documents:
        get: Get = partial(fetch_document, self.store)
        if together and self.store.is_remote:
            get = at_once(get, self.format.document_keys(self.within(path)))
        return self.format.fetch(get, self.within(path))

    def member(self, path: str) -> Hierarchy:
        """The hierarchy that the node at ``path`` belongs to: this one, but for a `Collection`.

        Raises:
            As `node`.
        """
        return self

    def children(self, path: str) -> Iterator[AnyNode]:
        """The nodes directly below the group at ``path``, in the store's order, documents fetched ahead in parallel.

        Raises:
            ListingUnsupportedError: the store cannot list, and there are no consolidated metadata.
            StoreError: the store did not answer as it should.
        """
        with self.branch(path, 1) as top:
            for branch in top:
                yield branch.node

    def child_names(self, path: str) -> Iterator[str]:
        """The names under which the group at ``path`` may have nodes; no document is fetched."""
        return self._discovery.child_names(path)

    def branch(self, path: str = "/", depth: int | None = None) -> AbstractContextManager[Branch]:
        """The node at ``path`` with the branches below it, for a ``with`` block; fetched ahead where the store is remote.

        Args:
            path: the node.
            depth: levels below it to look at; None for all.

        Raises:
            As `node`.
        """
        return self._discovery.walk(self.node(path), depth)

    def walk(self, path: str = "/") -> Iterator[AnyNode]:
        """The node at ``path`` and all below it, parents before children, lazily.

        Where the store does not tell what stands below a group, a `BrokenNode` of the group's path stands for it.

        Raises:
            As `node`, and as `children` of the node at ``path``.
        """
        with self.branch(path) as top:
            yield top.node
            stack = [top]
            while stack:
                branch = next(iter(stack[-1]), None)
                if branch is None:
                    stack.pop()
                else:
                    yield branch.node
                    stack.append(branch)

    def alone(self) -> Hierarchy:
        """The same nodes, each as its own documents say, whatever the consolidated metadata say; the root is ``/``."""
        if not self._discovery.believes and self.at == "/":
            return self
        return Hierarchy(
            self.store,
            self.format,
            chunk_cache=self.chunk_cache,
            metadata_max_age_s=self._kept.max_age_s,
            max_chunk_bytes=self.max_chunk_bytes,
            read_only=self.read_only,
            believe_consolidated=False,
        )

    def refresh(self) -> None:
        """Forget what was read of metadata and chunks: the next question asks the store."""
        self._kept.clear()
        self._discovery.forget()
        if self.chunk_cache is not None:
            self.chunk_cache.clear()

    def forget(self, path: str) -> None:
        """Forget what was read of the metadata of a node, all below it, and what is said of it above."""
        self._kept.forget(path)
        self._discovery.forget()

    def create_group(
        self, path: str, *, attributes: Mapping[str, Any] | None = None, overwrite: bool = False
    ) -> Group:
        """Make a group, and the groups above it that are not there yet.

        Args:
            path: where.
            attributes: the user's own metadata.
            overwrite: erase what stands there, with all below it.

        Raises:
            NodeExistsError: a node stands there, or an array above it.
            ReadOnlyError: the hierarchy was opened for reading only, or its store can only be read.
            MetadataError: an attribute is not JSON.
        """
        return self.create_node(path, GroupMetadata(dict(attributes or {})), overwrite=overwrite)

    def create_array(
        self,
        path: str,
        *,
        shape: Sequence[int],
        data_type: Any,
        chunk_shape: Sequence[int] | None = None,
        shard_shape: Sequence[int] | None = None,
        codecs: Sequence[CodecLike] | None = None,
        fill_value: Any = None,
        chunk_key_encoding: ChunkKeyEncoding | None = None,
        dimension_names: Sequence[str | None] | None = None,
        attributes: Mapping[str, Any] | None = None,
        overwrite: bool = False,
    ) -> ArrayNode:
        """Make an array that holds nothing but the fill value, and the groups above it that are not there yet.

        Args:
            path: where.
            shape: length of each dimension.
            data_type: a version 3 name such as "float32", or anything that NumPy takes for a dtype.
            chunk_shape: what is compressed as a whole; without, 2 to 4 MiB (within shards up to 1 MiB).
            shard_shape: store chunks together in shards of this shape, a multiple of ``chunk_shape``.
            codecs: how chunks become bytes, for instance ``[{"name": "blosc", "configuration": {"cname": "lz4"}}]``;
                without, zstd with a checksum. Missing parameters, and a missing array → bytes codec, are filled in.
            fill_value: what elements are until they are written; without, zero.
            chunk_key_encoding: how chunk keys are built; without, as is usual in the format.
            dimension_names: a name or None per dimension.
            attributes: the user's own metadata.
            overwrite: erase what stands there, with all below it.

        Raises:
            NodeExistsError: a node stands there, or an array above it.
            ReadOnlyError: the hierarchy was opened for reading only, or its store can only be read.
            MetadataError: parameters that contradict one another.
            UnsupportedError: a type or codec that we do not know, or that the format cannot hold.
        """
        self.writer()  # who may not write is told that first
        metadata = new_array_metadata(
            self.format,
            shape=shape,
            data_type=data_type,
            chunk_shape=chunk_shape,
            shard_shape=shard_shape,
            codecs=codecs,
            fill_value=fill_value,
            chunk_key_encoding=chunk_key_encoding,
            dimension_names=dimension_names,
            attributes=attributes or {},
        )
        return self.create_node(path, metadata, overwrite=overwrite)

    @overload
    def create_node(self, path: str, metadata: ArrayMetadata, *, overwrite: bool = False) -> ArrayNode: ...
    @overload
    def create_node(self, path: str, metadata: GroupMetadata, *, overwrite: bool = False) -> Group: ...
    @overload
    def create_node(
        self, path: str, metadata: NodeMetadata, *, overwrite: bool = False
    ) -> Group | ArrayNode: ...
    def create_node(self, path: str, metadata: NodeMetadata, *, overwrite: bool = False) -> Group | ArrayNode:
        """Make the node that ``metadata`` describes, and the groups above it that are not there yet.

        Raises:
            As `create_array`.
        """
        node = self.writer().create(normalize_path(path), metadata, overwrite=overwrite)
        if isinstance(node, BrokenNode):
            raise node.error
        return node

    def erase(self, path: str) -> None:
        """Erase a node and all below it, chunks too.

        Raises:
            NodeNotFoundError: no node stands there.
            ReadOnlyError: the hierarchy was opened for reading only, or its store can only be read.
        """
        self.writer().erase(normalize_path(path))

    def consolidate(self) -> None:
        """Write the documents of all nodes into the root's, so that readers fetch them at once.

        They are a copy: changing a node through this library takes it away again, and `zarrscope check` tells where
        another program has left it stale.

        Raises:
            UnsupportedError: the format has no consolidated metadata.
            ReadOnlyError: the hierarchy was opened for reading only, or its store can only be read.
        """
        self.writer().consolidate()

    def writer(self) -> NodeWriter:
        """What changes nodes.

        Raises:
            ReadOnlyError: the hierarchy was opened for reading only, or its store can only be read.
        """
        if self.read_only:
            raise ReadOnlyError(f"{self.url} was opened for reading only: open it with mode 'r+'")
        if not self.format.writable:
            raise ReadOnlyError(f"{self.url} is {self.format.title}, which can be read but not written")
        if self._writer is None:
            self._writer = NodeWriter(self)
        return self._writer

    def close(self) -> None:
        """Close the store: a zip file that was written is complete from then on. Closing twice is harmless."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def take(self, path: str, found: Found, read_s: float | None = None) -> AnyNode | None:
        """The node that documents from the store describe, kept for those who ask for it next.

        They were asked for at ``read_s`` of the monotonic clock; without it, they are what is there now.
        """
        node: AnyNode | None
        try:
            node = self._parse(path, found)
        except MetadataError as error:
            node = BrokenNode(self, path, found, error)
            node.error = error.at(f"{self.at}/{node.metadata_key}".lstrip("/"))
        except UnsupportedError as error:
            node = BrokenNode(self, path, found, error)
        if node is not None:
            self._kept.keep(path, time.monotonic() if read_s is None else read_s, node)
        return node

    def _parse(self, path: str, found: Found) -> AnyNode | None:
        try:
            metadata = self.format.parse_told(found) if isinstance(found, dict) else self.format.parse(found)
            if isinstance(metadata, ArrayMetadata):
                return ArrayNode(self, path, found, metadata)
        except ZarrError:
            raise
        except Exception as error:
            # Documents are written by strangers: what no check foresaw is still one broken node, and no more.
            raise MetadataError(f"cannot be understood ({type(error).__name__}: {error})") from error
        return self._implicit_group(path, found) if metadata is None else Group(self, path, found, metadata)

    def _implicit_group(self, path: str, found: Found) -> Group | None:
        if path == self.at:
            exists = isinstance(self.store, ListableStore)
        else:
            names = self.within(path)[1:].split("/")
            exists = self.format.implicit_groups and all(map(self.format.may_name_node, names))
            exists = exists and self._discovery.implies_group(path)
        if not exists:
            return None
        get: Get = partial(fetch_document, self.store)
        return Group(self, path, found, self.format.implied_group(get, self.within(path)))

    def __repr__(self) -> str:
        return f"<Hierarchy {self.url} ({self.format.title})>"

    def __reduce__(self) -> tuple[Any, ...]:
        # Neither what was read nor the chunk cache travels.
        return _restore, (
            self.store,
            self.format,
            self._kept.max_age_s,
            self.max_chunk_bytes,
            self.read_only,
            self._discovery.believes,
            self.at,
        )


def _restore(
    store: ReadableStore,
    format: Format,  # noqa: A002 - as above
    max_age_s: float | None,
    max_chunk_bytes: int,
    read_only: bool,
    believe_consolidated: bool,
    at: str,
) -> Hierarchy:
    return Hierarchy(
        store,
        format,
        metadata_max_age_s=max_age_s,
        max_chunk_bytes=max_chunk_bytes,
        read_only=read_only,
        believe_consolidated=believe_consolidated,
        at=at,
    )


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
