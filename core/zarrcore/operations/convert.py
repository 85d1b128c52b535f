"""Converting a Zarr v2 hierarchy to Zarr v3 where it is: documents of v3 beside those of v2; chunks stay untouched.

Accepted specification, "chunk_key_encoding", name ``v2``: the documents of v3 can name chunks as v2 does. The document of the
topmost node is written last, so that the hierarchy is read as v2 until all others are there. Running it again finishes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from zarrcore.conventions.cf import attributes_in_zarr_v3
from zarrcore.errors import (
    HierarchyNotFoundError,
    NodeExistsError,
    UnsupportedError,
    WrongFormatError,
    ZarrError,
)
from zarrcore.formats import Format
from zarrcore.formats.detect import fetch_document
from zarrcore.formats.interface import Documents
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Hierarchy, open_hierarchy
from zarrcore.metadata import ArrayMetadata, GroupMetadata, NodeMetadata
from zarrcore.operations.copy.layout import keeps_chunks
from zarrcore.operations.parallel import in_parallel
from zarrcore.stores.wrapper.interface import writable

Progress = Callable[[str, int, int], None]
"""Called with what is done, the number of documents done, and of all."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a conversion writes and may erase."""

    path: str
    """The topmost node."""
    documents: dict[str, bytes]
    """The documents to write by key, those of the topmost node last."""
    present: int
    """How many documents an earlier conversion wrote."""
    v2_keys: tuple[str, ...]
    """The keys of the documents of Zarr v2, which are no longer needed afterwards."""
    is_consolidated: bool
    """Whether the hierarchy has consolidated metadata, and gets those of Zarr v3."""


def plan_conversion(hierarchy: Hierarchy, path: str = "/") -> Conversion:
    """Plan the conversion of the node at ``path`` and all below it. Nothing is changed.

    Args:
        hierarchy: a hierarchy, opened as Zarr v2.
        path: the node.

    Raises:
        WrongFormatError: the hierarchy was opened as another format.
        HierarchyNotFoundError: there is no document of Zarr v2 at or below ``path``.
        NodeExistsError: a node has another document of Zarr v3 already.
        MetadataError, UnsupportedError: a node is broken, or Zarr v3 cannot express it so that its chunks stay as they are.
        StoreError: the store failed.
    """
    if hierarchy.format.name != Format.V2.name:
        wanted, found = ((kind.name, kind.title) for kind in (Format.V2, hierarchy.format))
        raise WrongFormatError(hierarchy.url, Format.V2.document_keys(path), wanted, found)
    get = partial(fetch_document, hierarchy.store)
    told = _with_documents([*hierarchy.walk(path)])
    if not told:
        raise HierarchyNotFoundError(hierarchy.url, Format.V2.document_keys(path))
    documents: dict[str, bytes] = {}
    v2_keys: list[str] = []
    present = 0
    for node in reversed(told):
        (key,), (document,) = Format.V3.document_keys(node.path), _v3_documents(node)
        stored = get(key)
        if stored is not None and not _is_same(stored, document):
            raise NodeExistsError(
                node.path, hierarchy.url, f"has a document of Zarr v3 already, which differs: {key}"
            )
        if stored is None and document is not None:
            documents[key] = document
        present += stored is not None
        pairs = zip(Format.V2.document_keys(node.path), node.documents, strict=True)
        v2_keys += [key for key, found in pairs if found is not None]
    is_consolidated = path == "/" and get(Format.V2.consolidated_key) is not None
    if get(Format.V2.consolidated_key) is not None:
        v2_keys.append(Format.V2.consolidated_key)
    return Conversion(path, documents, present, tuple(v2_keys), is_consolidated)


def convert(
    hierarchy: Hierarchy, plan: Conversion, *, remove_v2: bool = False, progress: Progress | None = None
) -> None:
    """Write the documents of ``plan``; with ``remove_v2``, erase those of Zarr v2 afterwards.

    Raises:
        ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
        NodeExistsError: another writer stored a document of Zarr v3 meanwhile.
        StoreError: the store failed.
    """
    hierarchy.writer()  # for its error
    store = writable(hierarchy.store)
    store.check_writable()
    items = [*plan.documents.items()]

    def write(item: tuple[str, bytes]) -> str:
        if not store.set(*item, if_absent=True):
            raise NodeExistsError(
                plan.path, hierarchy.url, f"got a document from another writer meanwhile: {item[0]}"
            )
        return item[0]

    # The topmost one comes last, and alone.
    for done, key in enumerate(in_parallel(write, items[:-1], store.requests_in_flight), 1):
        if progress is not None:
            progress(key, done, len(items))
    for item in items[-1:]:
        write(item)
    if plan.is_consolidated:
        _consolidate(hierarchy)
    if remove_v2:
        store.erase_values(plan.v2_keys)


def _with_documents(nodes: list[AnyNode]) -> list[AnyNode]:
    """The nodes that have documents, and the groups above them: a folder with anything else is a group only in Zarr v2."""
    wanted: set[str] = set()
    for node in nodes:
        path = node.path
        is_told = any(node.documents) or isinstance(
            node, BrokenNode
        )  # which may be a group that cannot be listed
        while is_told and path not in wanted:
            wanted.add(path)
            path = path.rpartition("/")[0] or "/"
    return [node for node in nodes if node.path in wanted]


def _v3_documents(node: AnyNode) -> Documents:
    if isinstance(node, BrokenNode):
        raise node.error.with_traceback(None)
    if node.path != "/" and not Format.V3.may_name_new_node(node.name):
        raise UnsupportedError("node", node.path, "has a name that Zarr v3 reserves")
    if isinstance(node, ArrayNode):
        return Format.V3.encode(_array(node))
    return Format.V3.encode(GroupMetadata(dict(node.attributes)))


def _array(node: ArrayNode) -> ArrayMetadata:
    """The metadata of an array in terms of Zarr v3, with the chunks and keys of Zarr v2."""
    attributes = attributes_in_zarr_v3(node)
    found = replace(node.metadata, chunk_key_encoding=node.chunk_key_encoding, attributes=attributes)
    try:
        adapted = Format.V3.adapted(found)
    except ZarrError as error:
        raise UnsupportedError("array", node.path, f"cannot be expressed in Zarr v3: {error}") from error
    if not isinstance(adapted, ArrayMetadata) or not _reads_the_same(found, adapted):
        raise UnsupportedError(
            "array", node.path, "has codecs that Zarr v3 does not have for the same chunks: copy it"
        )
    return adapted


def _reads_the_same(v2: ArrayMetadata, v3: ArrayMetadata) -> bool:
    return keeps_chunks(v2, v3) and v2.chunk_key_encoding == v3.chunk_key_encoding and v2.shape == v3.shape


def _is_same(stored: bytes, document: bytes | None) -> bool:
    """Whether a stored document describes the same node; consolidated metadata do not count."""
    try:
        one, other = Format.V3.parse((stored,)), Format.V3.parse((document,))
    except ZarrError:
        return False
    return one == other and _fill(one) == _fill(other)


def _fill(metadata: NodeMetadata | None) -> Any:
    return metadata.document().get("fill_value") if metadata is not None else None


def _consolidate(hierarchy: Hierarchy) -> None:
    open_hierarchy(hierarchy.store, "r+", Format.V3).consolidate()
