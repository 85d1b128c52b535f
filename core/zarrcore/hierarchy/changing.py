"""Creating and erasing nodes: the half of `Hierarchy` that changes it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from zarrcore.formats import Format
from zarrcore.hierarchy.new_array import CodecLike, new_array_metadata
from zarrcore.hierarchy.node_writer import NodeWriter
from zarrcore.hierarchy.nodes import AnyNode, ArrayNode, BrokenNode, Group
from zarrcore.hierarchy.paths import normalize_path
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, GroupMetadata, NodeMetadata


class ChangingNodes(ABC):
    """Creates, erases and consolidates nodes."""

    format: Format

    @abstractmethod
    def writer(self) -> NodeWriter:
        """The object that changes nodes.

        Raises:
            ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
        """

    @abstractmethod
    def refresh(self) -> None:
        """Forget the metadata and chunks that were read: the next access asks the store."""

    @abstractmethod
    def walk(self, path: str = "/") -> Iterator[AnyNode]:
        """The node at ``path`` and all below it, parents before children, lazily."""

    def create_group(
        self, path: str, *, attributes: Mapping[str, Any] | None = None, overwrite: bool = False
    ) -> Group:
        """Make a group, and missing groups above it.

        Args:
            path: path of the group.
            attributes: the user's own metadata.
            overwrite: erase an existing node, with everything below it.

        Raises:
            NodeExistsError: a node exists at the path, or an array above it.
            ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
            MetadataError: an attribute is not JSON.
        """
        return self.create_node(path, GroupMetadata(dict(attributes or {})), overwrite=overwrite)

    def create_array(
        self,
        path: str,
        *,
        shape: Sequence[int],
        dtype: Any,
        chunks: Sequence[int] | None = None,
        shards: Sequence[int] | None = None,
        codecs: Sequence[CodecLike] | None = None,
        fill_value: Any = None,
        chunk_key_encoding: ChunkKeyEncoding | None = None,
        dimension_names: Sequence[str | None] | None = None,
        attributes: Mapping[str, Any] | None = None,
        overwrite: bool = False,
    ) -> ArrayNode:
        """Make an array full of the fill value, and missing groups above it.

        Args:
            path: path of the array.
            shape: length of each dimension.
            dtype: a Zarr v3 name such as "float32", or anything that NumPy accepts as a dtype.
            chunks: shape of chunks; by default, chunks of 2 to 4 MiB (up to 1 MiB within shards).
            shards: store chunks together in shards of this shape, a multiple of ``chunks``.
            codecs: the codecs, for instance ``[{"name": "blosc", "configuration": {"cname": "lz4"}}]``;
                by default, zstd with a checksum. Missing parameters, and a missing array → bytes codec, are added.
            fill_value: the value of elements until they are written; zero by default.
            chunk_key_encoding: the chunk key encoding; by default, that of the format.
            dimension_names: a name or None per dimension.
            attributes: the user's own metadata.
            overwrite: erase an existing node, with everything below it.

        Raises:
            NodeExistsError: a node exists at the path, or an array above it.
            ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
            MetadataError: parameters that contradict one another.
            UnsupportedError: a type or codec that is unknown, or that the format cannot hold.
        """
        self.writer()  # a hierarchy that cannot be written is refused first
        metadata = new_array_metadata(
            self.format,
            shape=shape,
            dtype=dtype,
            chunks=chunks,
            shards=shards,
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
        """Make the node that ``metadata`` describes, and missing groups above it.

        Raises:
            As `create_array`.
        """
        node = self.writer().create(normalize_path(path), metadata, overwrite=overwrite)
        if isinstance(node, BrokenNode):
            raise node.error
        return node

    def erase(self, path: str) -> None:
        """Erase a node and everything below it, including chunks.

        Raises:
            NodeNotFoundError: no node has this path.
            ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
        """
        self.writer().erase(normalize_path(path))

    def move(self, path: str, new: str) -> bool:
        """Give a node, with everything below it, another path in the same store, and make missing groups above it.

        A store that can rename does so at once. Otherwise all keys are copied, compared and then erased at their old place.

        Args:
            path: path of the node.
            new: its new path, where nothing may be.

        Returns:
            Whether the store renamed it at once.

        Raises:
            NodeNotFoundError: no node has this path.
            NodeExistsError: something is at the new path, or an array above it.
            SelectionError: the new path is not valid, or below the node.
            ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
            StoreError: the store failed; the node is still at its path.
        """
        return self.writer().move(normalize_path(path), normalize_path(new))

    def consolidate(self) -> None:
        """Write the documents of all nodes into the root's, so that readers fetch them at once.

        They are a copy. Changing a node through this library removes it again, and `zarrscope check` reports a copy that
        another program left stale.

        Raises:
            UnsupportedError: the format has no consolidated metadata.
            ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
        """
        self.refresh()
        self.writer().consolidate(self.walk())
