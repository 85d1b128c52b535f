"""Zarr v2: ``.zarray``, ``.zgroup`` and ``.zattrs`` per node, in Zarr v3 terms.

Specification: zarr-specs, "Zarr storage specification version 2". Consolidated metadata in ``.zmetadata`` are a convention of
zarr-python's that others follow.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from zarrcore.errors import MetadataError
from zarrcore.formats.attributes import document_bytes, json_attributes
from zarrcore.formats.chunk_terms import refuse_lost
from zarrcore.formats.interface import Documents, Format
from zarrcore.formats.v2.encode import adapted_array, array_document
from zarrcore.formats.v2.parse import DIMENSIONS_ATTRIBUTE, parse_array
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, GroupMetadata, JsonObject, NodeMetadata
from zarrcore.metadata.json_document import describe, parse_json_object

_NAMES = (".zarray", ".zgroup", ".zattrs")


class V2Format(Format):
    """``foo/.zarray``; chunks ``foo/0.0`` or ``foo/0/0``."""

    name = "v2"
    title = "Zarr v2"
    specification = "https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html"
    implicit_groups = (
        True  # writers of images leave out .zgroup; other readers then find the nodes below only by path
    )
    empty_groups = False
    implicit_root = False
    consolidated_key = ".zmetadata"
    writable = True

    def document_keys(self, path: str) -> tuple[str, ...]:
        prefix = self.prefix(path)
        return tuple(prefix + name for name in _NAMES)

    def may_name_node(self, name: str) -> bool:
        return name not in ("", ".", "..")

    def fetch(self, get: Callable[[str], bytes | None], path: str) -> Documents:
        array_key, group_key, attributes_key = self.document_keys(path)
        array = get(array_key)
        group = get(group_key) if array is None else None
        return array, group, None if array is None and group is None else get(attributes_key)

    def usual_keys(self, path: str) -> tuple[str, ...]:
        array_key, _, attributes_key = self.document_keys(path)
        return array_key, attributes_key

    def claims(self, documents: Documents) -> bool:
        return documents[0] is not None or documents[1] is not None

    def parse(self, documents: Documents) -> NodeMetadata | None:
        array, group, attributes = documents
        if array is not None:
            return parse_array(_with_format(parse_json_object(array)), _attributes(attributes))
        if group is not None:
            _with_format(parse_json_object(group))
            return GroupMetadata(_attributes(attributes))
        return None

    def implied_group(self, get: Callable[[str], bytes | None], path: str) -> GroupMetadata:
        return GroupMetadata(_attributes(get(self.document_keys(path)[2])))

    def parse_consolidated(self, told: JsonObject) -> NodeMetadata | None:
        if not all(isinstance(document, dict) for document in told.values()):
            return super().parse_consolidated(told)  # parsing says what is wrong with it
        attributes = told.get(".zattrs", {})
        if ".zarray" in told:
            return parse_array(_with_format(told[".zarray"]), attributes)
        _with_format(told[".zgroup"])
        return GroupMetadata(attributes)

    def leaves_keys_open(self, metadata: ArrayMetadata) -> bool:
        return not metadata.chunk_key_encoding.is_told and len(metadata.shape) > 1

    def resolve(self, path: str, metadata: ArrayMetadata, is_there: Callable[[str], bool]) -> ArrayMetadata:
        if not self.leaves_keys_open(metadata):
            return metadata
        keys, prefix, first = metadata.chunk_key_encoding, self.prefix(path), (0,) * len(metadata.shape)
        nested = replace(keys, separator="/")
        if not is_there(prefix + nested.encode(first)) and not is_there(prefix + "0/"):
            return metadata
        if is_there(prefix + keys.encode(first)):
            return metadata
        return replace(metadata, chunk_key_encoding=nested)

    def stored_documents(self, documents: Documents) -> JsonObject:
        return {
            name: parse_json_object(document)
            for name, document in zip(_NAMES, documents, strict=True)
            if document is not None
        }

    def encode(self, metadata: NodeMetadata, *, at_root: bool = False) -> Documents:
        attributes = json_attributes(metadata.attributes)
        if not isinstance(metadata, ArrayMetadata):
            return None, document_bytes({"zarr_format": 2}), _attributes_document(attributes)
        if metadata.dimension_names is not None:
            attributes[DIMENSIONS_ATTRIBUTE] = list(metadata.dimension_names)
        array = document_bytes(array_document(metadata))
        documents = array, None, _attributes_document(attributes)
        refuse_lost(metadata, self.parse(documents), "version 2")
        return documents

    _adapted_array = staticmethod(adapted_array)

    def with_attributes(self, documents: Documents, attributes: Mapping[str, Any]) -> Documents:
        array, group, stored = documents
        if array is None and group is None:
            return self.encode(GroupMetadata(attributes))
        changed = json_attributes(attributes)
        names = _attributes(stored).get(DIMENSIONS_ATTRIBUTE)
        if array is not None and names is not None:
            changed.setdefault(DIMENSIONS_ATTRIBUTE, names)  # dimension names are not attributes of the user
        document = _attributes_document(changed)
        return array, group, b"{}" if document is None and stored is not None else document

    def with_shape(self, documents: Documents, shape: tuple[int, ...]) -> Documents:
        array, group, attributes = documents
        document = {} if array is None else parse_json_object(array)
        document["shape"] = list(shape)
        changed = document_bytes(document), group, attributes
        self.parse(changed)
        return changed

    def default_chunk_key_encoding(self) -> ChunkKeyEncoding:
        return ChunkKeyEncoding("v2", ".")

    def consolidate(self, nodes: Mapping[str, Documents]) -> dict[str, bytes]:
        entries: JsonObject = {}
        for path in sorted(nodes):
            for key, data in zip(self.document_keys(path), nodes[path], strict=True):
                if data is not None:
                    try:
                        entries[key] = parse_json_object(data)
                    except MetadataError as error:
                        raise error.at(key) from error
        return {self.consolidated_key: document_bytes({"zarr_consolidated_format": 1, "metadata": entries})}

    def unconsolidate(self, root: Documents) -> dict[str, bytes | None]:
        return {self.consolidated_key: None}

    def consolidated_documents(
        self, get: Callable[[str], bytes | None], root: Documents
    ) -> dict[str, JsonObject] | None:
        stored = get(self.consolidated_key)
        if stored is None:
            return None
        entries = parse_json_object(stored).get("metadata")
        if not isinstance(entries, dict):
            raise MetadataError(
                f"expected an object, found {describe(entries)}", member="metadata", key=self.consolidated_key
            )
        documents: dict[str, JsonObject] = {}
        for key, document in entries.items():
            path, _, name = key.rpartition("/")
            if name in _NAMES:
                documents.setdefault(f"/{path}", {})[name] = document
        return {path: _normalized(found) for path, found in documents.items() if found.keys() != {".zattrs"}}

    def split_documents(self, told: JsonObject) -> Documents:
        return tuple(json.dumps(told[name]).encode() if name in told else None for name in _NAMES)

    def normalize(self, documents: Documents) -> JsonObject:
        return _normalized(self.stored_documents(documents))


def _normalized(documents: JsonObject) -> JsonObject:
    """The documents without meaningless parts.

    These are empty attributes, a group at the path of an array, and zarr-python's additions to ``.zgroup``.
    """
    found = {name: document for name, document in documents.items() if document or name != ".zattrs"}
    if ".zarray" in found:
        found.pop(".zgroup", None)
    if isinstance(group := found.get(".zgroup"), dict):
        found[".zgroup"] = {name: group[name] for name in group if name != "consolidated_metadata"}
    return found


def _with_format(document: JsonObject) -> JsonObject:
    if document.get("zarr_format") != 2:
        raise MetadataError(
            f"expected 2, found {describe(document.get('zarr_format'))}", member="zarr_format"
        )
    return document


def _attributes(document: bytes | None) -> JsonObject:
    try:
        return {} if document is None else parse_json_object(document)
    except MetadataError as error:
        raise MetadataError(str(error), member=_NAMES[2]) from error


def _attributes_document(attributes: JsonObject) -> bytes | None:
    return document_bytes(attributes) if attributes else None
