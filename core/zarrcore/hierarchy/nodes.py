"""Nodes of a hierarchy: groups, arrays, and what cannot be opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from zarrcore.array import Array, ChunkCache
from zarrcore.errors import MetadataError, ZarrError
from zarrcore.formats import Format
from zarrcore.formats.detect import is_there
from zarrcore.formats.interface import Documents
from zarrcore.formats.v2.parse import DIMENSIONS_ATTRIBUTE
from zarrcore.hierarchy.missing_values import missing_values
from zarrcore.hierarchy.new_array import as_lengths
from zarrcore.metadata import ArrayMetadata, GroupMetadata, JsonObject
from zarrcore.metadata.json_document import parse_json_object
from zarrcore.stores.interface import ReadableStore

Kind = Literal["group", "array", "broken", "collection"]

Found = Documents | JsonObject
"""A node's documents, or what consolidated metadata tell of it: `Format.normalize` of documents."""


class NodeChanges(Protocol):
    """Changes nodes in the store, and gives each as it is then."""

    def set_attributes(
        self, path: str, attributes: Mapping[str, Any], *, implicit: bool = False
    ) -> AnyNode: ...
    def resize(self, path: str, shape: tuple[int, ...], *, erase_chunks: bool) -> AnyNode: ...


class NodeOwner(Protocol):
    """What a node knows of the `Hierarchy` that it belongs to."""

    store: ReadableStore
    format: Format
    chunk_cache: ChunkCache | None
    max_chunk_bytes: int
    read_only: bool
    at: str

    @property
    def url(self) -> str: ...
    def within(self, path: str) -> str: ...
    def node(self, path: str) -> AnyNode: ...
    def __getitem__(self, path: str) -> Group | ArrayNode: ...
    def child_names(self, path: str) -> Iterator[str]: ...
    def children(self, path: str) -> Iterator[AnyNode]: ...
    def walk(self, path: str = "/") -> Iterator[AnyNode]: ...
    def writer(self) -> NodeChanges: ...


class Node:
    """What groups, arrays and broken nodes have in common.

    Attributes:
        kind: "group", "array", "broken" or "collection".
        path: the node's path, ``/foo/bar``; ``/`` is the root.
        hierarchy: where the node belongs.
    """

    kind: ClassVar[Kind]
    hierarchy: NodeOwner
    path: str
    _found: Found

    @property
    def documents(self) -> Documents:
        """The metadata documents as found, in the order of the format's `document_keys`."""
        # Few ask for the text of what was told of thousands of nodes, parsed already.
        if isinstance(self._found, dict):
            self._found = self.hierarchy.format.split_documents(self._found)
        return self._found

    @property
    def name(self) -> str:
        """The last part of the path; empty for the root."""
        return self.path.rpartition("/")[2]

    @property
    def metadata_key(self) -> str:
        """The key of the document that makes this a node; where there is none (an implicit group), where it would be."""
        keys = self.hierarchy.format.document_keys(self.hierarchy.within(self.path))
        present = (key for key, document in zip(keys, self.documents, strict=True) if document is not None)
        return next(present, keys[0])

    @property
    def mtime_s(self) -> float | None:
        """When the metadata document was last modified, seconds since the epoch; None where the store does not tell."""
        stat = self.hierarchy.store.stat(self.metadata_key)
        return None if stat is None else stat.mtime_s

    @property
    def uri(self) -> str:
        """The canonical URI of the node: the store's URL, ``#``, the path."""
        return f"{self.hierarchy.url}#{self.hierarchy.within(self.path)}"

    def stored_document(self) -> JsonObject:
        """The metadata documents as found in the store.

        Raises:
            MetadataError: they are no JSON objects.
        """
        return self.hierarchy.format.stored_documents(self.documents)


class Group(Node):
    """A node that may have children."""

    kind: ClassVar[Kind] = "group"

    def __init__(self, hierarchy: NodeOwner, path: str, found: Found, metadata: GroupMetadata) -> None:
        self.hierarchy = hierarchy
        self.path = path
        self._found = found
        self.metadata = metadata

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The user's own metadata; assigning to it stores them."""
        return self.metadata.attributes

    @attributes.setter
    def attributes(self, attributes: Mapping[str, Any]) -> None:
        node = self.hierarchy.writer().set_attributes(self.path, attributes, implicit=True)
        if isinstance(node, Group):
            self._found, self.metadata = node.documents, node.metadata

    def metadata_document(self) -> JsonObject:
        """The group's document in version 3 terms."""
        return self.metadata.document()

    def child_names(self) -> Iterator[str]:
        """The names under which nodes may stand, in the store's order; no document is fetched.

        Raises:
            ListingUnsupportedError: the store cannot list.
        """
        return self.hierarchy.child_names(self.path)

    def children(self) -> Iterator[AnyNode]:
        """The nodes directly below, in the store's order, as their documents arrive.

        Raises:
            ListingUnsupportedError: the store cannot list.
        """
        return self.hierarchy.children(self.path)

    def __getitem__(self, name: str) -> Group | ArrayNode:
        """The node at a path relative to this one.

        Raises:
            NodeNotFoundError: there is none.
        """
        return self.hierarchy[f"{self.path}/{name}"]

    def __iter__(self) -> Iterator[str]:
        return self.child_names()

    def __repr__(self) -> str:
        return f"<Group {self.path}>"


class CollectionNode(Group):
    """A prefix that is no node of a hierarchy, and below which hierarchies may stand."""

    kind = "collection"

    @property
    def mtime_s(self) -> None:
        """Not known: no document makes it what it is."""
        return

    def metadata_document(self) -> JsonObject:
        """Nothing: there is no document."""
        return {}

    def __repr__(self) -> str:
        return f"<Collection {self.path}>"


class ArrayNode(Array, Node):
    """An array at its place in a hierarchy."""

    kind = "array"

    def __init__(
        self,
        hierarchy: NodeOwner,
        path: str,
        found: Found,
        metadata: ArrayMetadata,
    ) -> None:
        within = hierarchy.within(path)
        super().__init__(
            hierarchy.store,
            hierarchy.format.chunk_prefix(within),
            metadata,
            hierarchy.chunk_cache,
            hierarchy.max_chunk_bytes,
            hierarchy.read_only,
            partial(hierarchy.format.resolve, within, metadata, partial(is_there, hierarchy.store)),
        )
        self.hierarchy = hierarchy
        self.path = path
        self._found = found

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The user's own metadata; assigning to it stores them."""
        return self.metadata.attributes

    @attributes.setter
    def attributes(self, attributes: Mapping[str, Any]) -> None:
        self._become(self.hierarchy.writer().set_attributes(self.path, attributes))

    @property
    def fill_value_is_missing(self) -> bool:
        """Whether the fill value stands for no value: that of numbers in version 2 whose dimensions xarray named."""
        return (
            self.hierarchy.format.name == "v2"
            and self.dtype.kind in "iuf"
            and DIMENSIONS_ATTRIBUTE in self.attributes
            and self.metadata.fill_value_is_told
        )

    @property
    def missing_values(self) -> Mapping[str, np.ndarray[Any, Any]]:
        """Stored elements that stand for no value, by the attribute that tells them: see `missing_values`."""
        fill = self.metadata.fill_value if self.fill_value_is_missing else None
        return missing_values(self.attributes, self.dtype, fill)

    def resize(self, shape: Sequence[int], *, erase_chunks: bool = True) -> None:
        """Give the array another shape; its chunks stay as they are.

        Args:
            shape: length of each dimension, of which there are as many as before.
            erase_chunks: erase what lies outside a smaller shape; else it is kept, and growing shows it again.

        Raises:
            MetadataError: another number of dimensions, or a length below 0.
            ReadOnlyError: the hierarchy was opened for reading only, or its store can only be read.
            StoreError: the store did not answer as it should; chunks outside may be left.
        """
        lengths = as_lengths(shape, "shape", minimum=0)
        if len(lengths) != self.ndim:
            raise MetadataError(f"expected {self.ndim} lengths, found {len(lengths)}", member="shape")
        self._become(self.hierarchy.writer().resize(self.path, lengths, erase_chunks=erase_chunks))

    def _become(self, node: AnyNode) -> None:
        """Be what the node's documents say now; who holds the array sees it changed."""
        if isinstance(node, ArrayNode):
            self._found = node.documents
            self._take(node.metadata)

    def metadata_document(self) -> JsonObject:
        """The array's document in version 3 terms.

        Raises:
            StoreError: how chunk keys are built was to be found out, and the store did not answer as it should.
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


class BrokenNode(Node):
    """A node whose documents are there and cannot be used.

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
        """The user's own metadata, as far as it can be read."""
        try:
            found = self.stored_document().get("attributes")
        except ZarrError:
            return {}
        return found if isinstance(found, dict) else {}

    def metadata_document(self) -> JsonObject:
        """What is known of it: the error."""
        return {"error": str(self.error)}

    def stored_bytes(self) -> bytes:
        """The first metadata document as found, be it JSON or not."""
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
