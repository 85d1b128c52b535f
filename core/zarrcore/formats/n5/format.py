"""N5: one ``attributes.json`` per node, blocks that state their own shape, reversed axes.

Specification: N5's README, "File-system specification" (version 4.0.0). Any directory is a group; members such as
``dimensions`` make it a dataset, unless it is a set-up of BigDataViewer. Attributes are beside them in the same object. Only
blocks of mode 0 ("default").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zarrcore.errors import MetadataError
from zarrcore.formats.attributes import document_bytes, json_attributes
from zarrcore.formats.interface import Documents, Format
from zarrcore.formats.n5.array import (
    DATASET_MEMBERS,
    RESERVED_MEMBERS,
    adapted_dataset,
    dataset_document,
    parse_dataset,
)
from zarrcore.formats.v2.parse import DIMENSIONS_ATTRIBUTE
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, GroupMetadata, JsonObject, NodeMetadata
from zarrcore.metadata.json_document import parse_json_object

_VERSION = "4.0.0"
_FACTORS = "downsamplingFactors"


class N5Format(Format):
    """``foo/attributes.json``; blocks ``foo/0/0``, the fastest dimension first."""

    name = "n5"
    title = "N5"
    specification = "https://github.com/saalfeldlab/n5#specification"
    implicit_groups = True
    writable = True

    def document_keys(self, path: str) -> tuple[str, ...]:
        return (self.prefix(path) + "attributes.json",)

    def may_name_node(self, name: str) -> bool:
        return name not in ("", ".", "..")

    def claims(self, documents: Documents) -> bool:
        if documents[0] is None:
            return False
        try:
            parse_json_object(documents[0])
        except MetadataError:
            return False  # other programs may use this name too
        return True

    def implies_parent(self, documents: Documents) -> bool:
        # A version marks a root: the folder above it is a folder of hierarchies.
        return (
            self.claims(documents)
            and _has_members(document := self.stored_documents(documents))
            and ("n5" not in document)
        )

    def parse(self, documents: Documents) -> NodeMetadata | None:
        if documents[0] is None:
            return None
        document = parse_json_object(documents[0])
        if _is_dataset(document):
            return parse_dataset(document)
        return GroupMetadata({name: value for name, value in document.items() if name != "n5"})

    def stored_documents(self, documents: Documents) -> JsonObject:
        return parse_json_object(documents[0]) if documents[0] is not None else {}

    def encode(self, metadata: NodeMetadata, *, at_root: bool = False) -> Documents:
        attributes = json_attributes(metadata.attributes)
        if isinstance(metadata, ArrayMetadata):
            _refuse_reserved(attributes, RESERVED_MEMBERS)
            document = dataset_document(metadata, attributes)
            _refuse_setup(document)
        else:
            _refuse_reserved(attributes, DATASET_MEMBERS if _is_dataset(attributes) else ("n5",))
            document = attributes
        return (document_bytes({"n5": _VERSION, **document} if at_root else document),)

    _adapted_array = staticmethod(adapted_dataset)

    def with_attributes(self, documents: Documents, attributes: Mapping[str, Any]) -> Documents:
        if documents[0] is None:
            return self.encode(GroupMetadata(attributes))
        stored, changed = parse_json_object(documents[0]), json_attributes(attributes)
        reserved = RESERVED_MEMBERS if _is_dataset(stored) else ("n5",)
        _refuse_reserved(changed, reserved)
        if not _is_dataset(stored) and _is_dataset(changed):
            _refuse_reserved(changed, DATASET_MEMBERS)
        kept = {name: value for name, value in stored.items() if name in reserved}
        if _is_dataset(stored) and DIMENSIONS_ATTRIBUTE in stored:
            changed.setdefault(DIMENSIONS_ATTRIBUTE, stored[DIMENSIONS_ATTRIBUTE])
        if _is_dataset(stored):
            _refuse_setup({**kept, **changed})
        return (document_bytes({**kept, **changed}),)

    def with_shape(self, documents: Documents, shape: tuple[int, ...]) -> Documents:
        document = self.stored_documents(documents)
        document["dimensions"] = list(shape[::-1])
        parse_dataset(document)
        return (document_bytes(document),)

    def default_chunk_key_encoding(self) -> ChunkKeyEncoding:
        return ChunkKeyEncoding("n5", "/")


def _is_dataset(document: JsonObject) -> bool:
    return _has_members(document) and not _is_setup(document)


def _has_members(document: JsonObject) -> bool:
    return all(member in document for member in DATASET_MEMBERS)


def _is_setup(document: JsonObject) -> bool:
    """Whether factors of several levels are listed: BigStitcher also writes the members of a dataset into a group of pyramids."""
    factors = document.get(_FACTORS)
    return isinstance(factors, list) and any(isinstance(one, list) for one in factors)


def _refuse_setup(document: JsonObject) -> None:
    if _is_setup(document):
        raise MetadataError("lists of factors mark a group of pyramids", member=f"attributes.{_FACTORS}")


def _refuse_reserved(attributes: JsonObject, names: tuple[str, ...]) -> None:
    for name in names:
        if name in attributes:
            raise MetadataError("N5 uses this name itself", member=f"attributes.{name}")
