"""Creating and erasing nodes: the half of `Hierarchy` that changes it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import overload

from zarrcore.hierarchy.node_writer import NodeWriter
from zarrcore.hierarchy.nodes import AnyNode, ArrayNode, BrokenNode, Group
from zarrcore.hierarchy.paths import normalize_path
from zarrcore.metadata import ArrayMetadata, GroupMetadata, NodeMetadata


class ChangingNodes(ABC):
    """Creates, erases and consolidates nodes."""

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
            As `ChangingMembers.create_array`.
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

    def consolidate(self) -> int:
        """Write the documents of all nodes into the root's, so that readers fetch them at once.

        Returns:
            The number of nodes that have documents.

        They are a copy. Changing a node through this library removes it again, and `zarrscope check` reports a copy that
        another program left stale.

        Raises:
            UnsupportedError: the format has no consolidated metadata.
            ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
        """
        self.refresh()
        return self.writer().consolidate(self.walk())
