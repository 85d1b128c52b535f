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
        """What changes nodes.

        Raises:
            ReadOnlyError: the hierarchy was opened for reading only, or its store can only be read.
        """

    @abstractmethod
    def refresh(self) -> None:
        """Forget what was read of metadata and chunks: the next question asks the store."""

    @abstractmethod
    def walk(self, path: str = "/") -> Iterator[AnyNode]:
        """The node at ``path`` and all below it, parents before children, lazily."""

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
        self.writer()  # a hierarchy that cannot be written is refused first
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
        self.refresh()
        self.writer().consolidate(self.walk())
