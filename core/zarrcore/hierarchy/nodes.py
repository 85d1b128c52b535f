"""Nodes of a hierarchy: groups, arrays, and broken nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, Protocol, TypeVar, overload

import numpy as np

from zarrcore.array import Array, ChunkCache, Missing, Verify
from zarrcore.array.assigned_values import as_elements
from zarrcore.display import Displayed, Pictured
from zarrcore.errors import (
    BrokenReferenceError,
    ElementError,
    MetadataError,
    SelectionError,
    ZarrError,
)
from zarrcore.formats import Format
from zarrcore.formats.detect import is_there
from zarrcore.formats.interface import Documents
from zarrcore.formats.v2.parse import DIMENSIONS_ATTRIBUTE
from zarrcore.hierarchy.changing_members import ChangingMembers
from zarrcore.hierarchy.members import Closing
from zarrcore.hierarchy.new_array import Lengths, as_lengths
from zarrcore.metadata import ArrayMetadata, GroupMetadata, JsonObject
from zarrcore.metadata.attributes import Attributes, Change
from zarrcore.metadata.json_document import parse_json_object
from zarrcore.metadata.read_only_json import read_only
from zarrcore.stores.interface import ReadableStore

T = TypeVar("T")

Kind = Literal["group", "array", "broken", "collection"]

Found = Documents | JsonObject
"""A node's documents, or its entry in consolidated metadata in the form of `Format.normalize`."""


class NodeChanges(Protocol):
    """Changes nodes in the store, and returns each changed node; see `NodeWriter`."""

    def set_attributes(
        self, path: str, attributes: Mapping[str, Any], *, implicit: bool = False
    ) -> AnyNode: ...
    def change_attributes(
        self, path: str, change: Change[T], *, implicit: bool = False
    ) -> tuple[AnyNode, T]: ...
    def resize(self, path: str, shape: tuple[int, ...], *, erase_chunks: bool) -> AnyNode: ...


class NodeOwner(Protocol):
    """The part of `Hierarchy` that its nodes use."""

    store: ReadableStore
    format: Format
    chunk_cache: ChunkCache | None
    max_chunk_bytes: int
    read_only: bool
    missing: Missing
    verify: Verify
    at: str

    @property
    def url(self) -> str: ...
    def within(self, path: str) -> str: ...
    def node(self, path: str) -> AnyNode: ...
    def __getitem__(self, path: str) -> Group | ArrayNode: ...
    def branch(self, path: str, depth: int | None) -> AbstractContextManager[Any]: ...
    def close(self) -> None: ...
    def child_names(self, path: str) -> Iterator[str]: ...
    def children(self, path: str, ahead: int | None = None) -> Iterator[AnyNode]: ...
    def walk(self, path: str = "/") -> Iterator[AnyNode]: ...
    def writer(self) -> NodeChanges: ...
    @overload
    def create_node(self, path: str, metadata: ArrayMetadata, *, overwrite: bool) -> ArrayNode: ...
    @overload
    def create_node(self, path: str, metadata: GroupMetadata, *, overwrite: bool) -> Group: ...
    def erase(self, path: str) -> None: ...
    def may_be_value(self, key: str, find: Callable[[str], AnyNode | None]) -> bool: ...


class Node(Displayed):
    """The common part of groups, arrays and broken nodes.

    Attributes:
        kind: "group", "array", "broken" or "collection".
        path: the node's path, ``/foo/bar``; ``/`` is the root.
        hierarchy: the hierarchy of the node.
        read_s: when its documents were requested, by the monotonic clock; infinite if it was made without any.
    """

    kind: ClassVar[Kind]
    hierarchy: NodeOwner
    path: str
    read_s: float = math.inf
    _found: Found

    @property
    def documents(self) -> Documents:
        """The stored metadata documents, in the order of the format's `document_keys`."""
        # Consolidated metadata of thousands of nodes are already parsed, and their text is rarely needed.
        if isinstance(self._found, dict):
            self._found = self.hierarchy.format.split_documents(self._found)
        return self._found

    def documents_text(self) -> bytes:
        """The documents as one text, to compare them with those of an earlier time. Consolidated metadata stay parsed."""
        if isinstance(self._found, dict):
            return repr(self._found).encode()
        lengths = [None if document is None else len(document) for document in self._found]
        return repr(lengths).encode() + b"".join(document or b"" for document in self._found)

    @property
    def name(self) -> str:
        """The last part of the path; empty for the root."""
        return self.path.rpartition("/")[2]

    @property
    def metadata_key(self) -> str:
        """The key of the document that makes this a node; for an implicit group, the key that it would have."""
        keys = self.hierarchy.format.document_keys(self.hierarchy.within(self.path))
        present = (key for key, document in zip(keys, self.documents, strict=True) if document is not None)
        return next(present, keys[0])

    @property
    def mtime_s(self) -> float | None:
        """When the metadata document was last modified, in seconds since the epoch; None if the store does not say."""
        stat = self.hierarchy.store.stat(self.metadata_key)
        return None if stat is None else stat.mtime_s

    @property
    def uri(self) -> str:
        """The canonical URI of the node: the store's URL, ``#``, the path."""
        return f"{self.hierarchy.url}#{self.hierarchy.within(self.path)}"

    def stored_document(self) -> JsonObject:
        """The metadata documents as stored.

        Raises:
            MetadataError: they are not JSON objects.
        """
        return self.hierarchy.format.stored_documents(self.documents)


class ChangeableNode(Node, Closing):
    """The common part of groups and arrays."""

    metadata: Any

    @property
    def attributes(self) -> Attributes:
        """The user's own metadata. A change of the mapping is stored at once; assigning to it replaces all of them."""
        return Attributes(lambda: self.metadata.attributes, self._change_attributes)

    @attributes.setter
    def attributes(self, attributes: Mapping[str, Any]) -> None:
        self.update_from(
            self.hierarchy.writer().set_attributes(self.path, attributes, implicit=self._may_be_implicit)
        )

    @property
    def attrs(self) -> Attributes:
        """The `attributes`, by the name that they have in zarr-python and h5py."""
        return self.attributes

    @attrs.setter
    def attrs(self, attributes: Mapping[str, Any]) -> None:
        self.attributes = attributes

    def _change_attributes(self, change: Change[T]) -> T:
        node, result = self.hierarchy.writer().change_attributes(
            self.path, change, implicit=self._may_be_implicit
        )
        self.update_from(node)
        return result

    @property
    def _may_be_implicit(self) -> bool:
        return self.kind != "array"

    def close(self) -> None:
        self.hierarchy.close()

    def update_from(self, node: AnyNode) -> None:
        """Take the metadata of ``node``, which was read later, so that all holders of this object see the change."""
        raise NotImplementedError


class Group(ChangingMembers, ChangeableNode, Pictured):
    """A node that may have children, and a mapping of them."""

    kind: ClassVar[Kind] = "group"
    metadata: GroupMetadata

    def __init__(self, hierarchy: NodeOwner, path: str, found: Found, metadata: GroupMetadata) -> None:
        self.hierarchy = hierarchy
        self.path = path
        self._found = found
        self.metadata = metadata

    def update_from(self, node: AnyNode) -> None:
        if isinstance(node, Group):
            self._found, self.metadata = node.documents, node.metadata

    def metadata_document(self) -> JsonObject:
        """The group's document in version 3 terms."""
        return self.metadata.document()

    def child_names(self) -> Iterator[str]:
        """The names of possible nodes, in the store's order; no document is fetched.

        Raises:
            ListingUnsupportedError: the store cannot list.
        """
        return self.hierarchy.child_names(self.path)

    def children(self, ahead: int | None = None) -> Iterator[AnyNode]:
        """The nodes directly below, in the store's order, as their documents arrive.

        Args:
            ahead: as `Hierarchy.branch`.

        Raises:
            ListingUnsupportedError: the store cannot list.
        """
        return self.hierarchy.children(self.path, ahead)

    def __getitem__(self, name: str) -> Group | ArrayNode:
        """The node at a path relative to this one.

        Raises:
            NodeNotFoundError: there is none.
        """
        return self.hierarchy[self._path(name)]

    @property
    def _owner(self) -> NodeOwner:
        return self.hierarchy

    @property
    def _base(self) -> str:
        return self.path.rstrip("/")

    def _nodes(self) -> Iterator[AnyNode]:
        return self.children()

    def __repr__(self) -> str:
        return f"<Group {self.path}>"


class CollectionNode(Group):
    """A prefix of a collection, outside all hierarchies."""

    kind = "collection"

    @property
    def mtime_s(self) -> None:
        """None: no document makes it a node."""
        return

    def metadata_document(self) -> JsonObject:
        """Empty, since a collection has no document."""
        return {}

    def __repr__(self) -> str:
        return f"<Collection {self.path}>"


class ArrayNode(ChangeableNode, Array):
    """An array at its place in a hierarchy."""

    kind = "array"
    metadata: ArrayMetadata

    def __init__(
        self,
        hierarchy: NodeOwner,
        path: str,
        found: Found,
        metadata: ArrayMetadata,
    ) -> None:
        within, settled = hierarchy.within(path), None
        if hierarchy.format.leaves_keys_open(metadata):
            settled = partial(hierarchy.format.resolve, within, metadata, partial(is_there, hierarchy.store))
        super().__init__(
            hierarchy.store,
            hierarchy.format.chunk_prefix(within),
            metadata,
            hierarchy.chunk_cache,
            hierarchy.max_chunk_bytes,
            hierarchy.read_only,
            settled,
            hierarchy.missing,
            hierarchy.verify,
            partial(_confirm, hierarchy.store, hierarchy.format.document_keys(within)[0], path)
            if isinstance(found, dict)
            else None,
        )
        self.hierarchy = hierarchy
        self.path = path
        self._found = found

    @property
    def fill_value_is_missing(self) -> bool:
        """Whether the fill value means "missing": that of numbers in Zarr v2 whose dimensions xarray named."""
        return (
            self.hierarchy.format.name == "v2"
            and self.dtype.kind in "iuf"
            and DIMENSIONS_ATTRIBUTE in self.attributes
            and self.metadata.fill_value_is_told
        )

    def append(self, data: Any, axis: int = 0) -> tuple[int, ...]:
        """Make the array longer, and write elements to its end.

        Args:
            data: an array or array-like with the lengths of this array in all dimensions but one.
            axis: the dimension that grows.

        Returns:
            The new shape.

        Raises:
            ElementError: another number of dimensions, or other lengths; or values that cannot be converted.
            SelectionError: no such dimension.
            Else as `resize` and `write`.

        >>> import zarrcore
        >>> array = zarrcore.create("memory://append").create_array("a", data=[[1, 2]])
        >>> array.append([[3, 4]]), array[...].tolist()
        ((2, 2), [[1, 2], [3, 4]])
        """
        if not -self.ndim <= axis < self.ndim:
            raise SelectionError(f"expected one of {self.ndim} dimensions, found {axis}")
        axis %= self.ndim
        before, start, after = self.shape[:axis], self.shape[axis], self.shape[axis + 1 :]
        found = np.shape(data)
        if len(found) != self.ndim or (found[:axis], found[axis + 1 :]) != (before, after):
            raise ElementError(f"expected the shape {self.shape} except in dimension {axis}, found {found}")
        elements = as_elements(data, self.dtype, found)
        self.resize((*before, start + found[axis], *after))
        self.write((*[slice(None)] * axis, slice(start, None)), elements)
        return self.shape

    def resize(self, shape: Lengths, *, erase_chunks: bool = True) -> None:
        """Give the array another shape; its chunks stay as they are.

        Args:
            shape: length of each dimension, or of the only one; their number stays.
            erase_chunks: erase elements outside a smaller shape; otherwise they stay, and growing shows them again.

        Raises:
            MetadataError: another number of dimensions, or a length below 0.
            ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
            StoreError: the store failed; elements outside may remain. The same call again erases them.

        >>> import zarrcore
        >>> array = zarrcore.create("memory://resize").create_array("a", data=[1, 2, 3])
        >>> array.resize(5)
        >>> array[...].tolist()
        [1, 2, 3, 0, 0]
        """
        lengths = as_lengths(shape, "shape", minimum=0)
        if len(lengths) != self.ndim:
            raise MetadataError(f"expected {self.ndim} lengths, found {len(lengths)}", member="shape")
        self.update_from(self.hierarchy.writer().resize(self.path, lengths, erase_chunks=erase_chunks))

    def update_from(self, node: AnyNode) -> None:
        if isinstance(node, ArrayNode):
            self._found = node.documents
            self._take(node.metadata)

    def metadata_document(self) -> JsonObject:
        """The array's document in version 3 terms.

        Raises:
            StoreError: the store failed while the chunk key encoding was detected.
        """
        return replace(self.metadata, chunk_key_encoding=self.chunk_key_encoding).document()

    def __repr__(self) -> str:
        return f"<Array {self.path} {self.shape} {self.data_type.name}>"

    def __getstate__(self) -> dict[str, Any]:
        own = {"hierarchy": self.hierarchy, "path": self.path, "_found": self._found}
        return {**super().__getstate__(), **own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in ("hierarchy", "path", "_found"):
            setattr(self, name, state.pop(name))
        super().__setstate__(state)


def _confirm(store: ReadableStore, key: str, path: str) -> None:
    """Check that an array in consolidated metadata was not deleted since.

    Raises:
        BrokenReferenceError: its document does not exist. It is a StoreError, so that no caller mistakes it for a missing chunk.
        StoreError: the store failed.
    """
    if not is_there(store, key):
        raise BrokenReferenceError(
            f"no node {path} in {store.url}: the consolidated metadata include it, but {key} does not exist "
            "(consolidate again)",
            key=key,
            url=store.url,
        )


class BrokenNode(Node):
    """A node whose documents exist but cannot be used.

    Attributes:
        error: why, in one sentence.
    """

    kind = "broken"

    def __init__(self, hierarchy: NodeOwner, path: str, found: Found, error: ZarrError) -> None:
        self.hierarchy = hierarchy
        self.path = path
        self._found = found
        self.error = error

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The readable part of the user's own metadata."""
        try:
            found = self.stored_document().get("attributes")
        except ZarrError:
            return {}
        return read_only(found) if isinstance(found, dict) else {}

    def metadata_document(self) -> JsonObject:
        """The error as a document."""
        return {"error": str(self.error)}

    def stored_bytes(self) -> bytes:
        """The first metadata document as stored, JSON or not."""
        return next((document for document in self.documents if document is not None), b"")

    def stored_document(self) -> JsonObject:
        try:
            return super().stored_document()
        except MetadataError:
            text = self.stored_bytes()
            try:
                return parse_json_object(text)
            except MetadataError:
                return {"text": text[:4096].decode("utf-8", "replace")}

    def __repr__(self) -> str:
        return f"<BrokenNode {self.path}: {self.error}>"


AnyNode = Group | ArrayNode | BrokenNode
