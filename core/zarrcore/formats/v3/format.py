"""Accepted Zarr v3: one ``zarr.json`` per node.

Accepted specification, "Metadata"; version 3.1 adds short names and ``must_understand``. Documents written before
July 2023 may lack ``codecs`` or the array → bytes codec; they mean ``bytes``, little-endian. Arrays of February 2023 have
other terms; below a group they are read too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from zarrcore.codecs.interface import ArrayToBytesCodec, BytesToBytesCodec
from zarrcore.codecs.registry import codec_class
from zarrcore.errors import MetadataError, UnreadableNodeError, UnsupportedError
from zarrcore.formats.attributes import document_attributes, document_bytes, json_attributes
from zarrcore.formats.drafts.accepted_terms import in_accepted_terms, is_of_february_2023
from zarrcore.formats.drafts.entry_point import ignored_extensions
from zarrcore.formats.drafts.terms import sharded
from zarrcore.formats.interface import Documents, Format
from zarrcore.formats.parsed_once import parsed_once
from zarrcore.formats.v3.encode import adapted_array, consolidated_document, encode_node
from zarrcore.metadata import ArrayMetadata, GroupMetadata, JsonObject, NamedConfiguration, NodeMetadata
from zarrcore.metadata.chunk_grid import parse_chunk_grid
from zarrcore.metadata.chunk_key_encoding import ChunkKeyEncoding, parse_chunk_key_encoding
from zarrcore.metadata.data_type import DataType, Element, has_byte_order, parse_data_type, with_byte_order
from zarrcore.metadata.fill_value import parse_fill_value
from zarrcore.metadata.json_document import describe, parse_json_object
from zarrcore.metadata.named_configuration import integers, parse_named_configuration
from zarrcore.stores.virtual.unreadable_node import reason_of

_ARRAY_MEMBERS = {
    "zarr_format",
    "node_type",
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "attributes",
    "storage_transformers",
    "dimension_names",
}
# Consolidated metadata is not in the accepted text, but in many stored groups, also as null.
_GROUP_MEMBERS = {"zarr_format", "node_type", "attributes", "consolidated_metadata"}


_KEPT_NBYTES = 1 << 22
"""The largest document whose parsed form is kept for a while."""


class V3Format(Format):
    """``foo/zarr.json``; chunks ``foo/c/0/0``."""

    name = "v3"
    title = "Zarr v3"
    specification = "https://zarr-specs.readthedocs.io/en/latest/v3/core/v3.0.html"
    implicit_groups = True
    writable = True

    def document_keys(self, path: str) -> tuple[str, ...]:
        return (self.prefix(path) + "zarr.json",)

    def may_name_new_node(self, name: str) -> bool:
        return super().may_name_new_node(name) and not name.startswith("__")  # other readers show such nodes

    def claims(self, documents: Documents) -> bool:
        if documents[0] is None:
            return False
        try:
            document = _document(documents[0])
            return document.get("zarr_format") == 3 and not is_of_february_2023(document)
        except MetadataError:
            return True  # nothing else is called zarr.json; opening the node reports the error

    def parse(self, documents: Documents) -> NodeMetadata | None:
        if documents[0] is None:
            return None
        return parse_node(_document(documents[0]))

    def parse_consolidated(self, told: JsonObject) -> NodeMetadata | None:
        return parse_node(told)

    def leaves_keys_open(self, metadata: ArrayMetadata) -> bool:
        # In March 2023, when a codec was still called "endian", zarrita used the chunk keys of earlier drafts.
        return metadata.chunk_key_encoding.name == "default" and _has_endian(metadata.codecs)

    def resolve(self, path: str, metadata: ArrayMetadata, is_there: Callable[[str], bool]) -> ArrayMetadata:
        if not self.leaves_keys_open(metadata):
            return metadata
        keys, prefix, first = metadata.chunk_key_encoding, self.chunk_prefix(path), (0,) * len(metadata.shape)
        older = ChunkKeyEncoding("draft", keys.separator)
        if is_there(prefix + keys.encode(first)) or not is_there(prefix + older.encode(first)):
            return metadata
        return replace(metadata, chunk_key_encoding=older)

    def stored_documents(self, documents: Documents) -> JsonObject:
        return parse_json_object(documents[0]) if documents[0] is not None else {}

    def encode(self, metadata: NodeMetadata, *, at_root: bool = False) -> Documents:
        return (encode_node(metadata),)

    _adapted_array = staticmethod(adapted_array)

    def with_attributes(self, documents: Documents, attributes: Mapping[str, Any]) -> Documents:
        if documents[0] is None:
            return self.encode(GroupMetadata(attributes))
        document = parse_json_object(documents[0])
        document["attributes"] = json_attributes(attributes)
        return (document_bytes(document),)

    def with_shape(self, documents: Documents, shape: tuple[int, ...]) -> Documents:
        document = self.stored_documents(documents)
        document["shape"] = list(shape)
        parse_node(document)
        return (document_bytes(document),)

    def consolidate(self, nodes: Mapping[str, Documents]) -> dict[str, bytes]:
        return {"zarr.json": consolidated_document(self, nodes)}

    def unconsolidate(self, root: Documents) -> dict[str, bytes | None]:
        document = self.stored_documents(root)
        if document.pop("consolidated_metadata", None) is None:
            return {}
        return {"zarr.json": document_bytes(document)}

    def consolidated_documents(
        self, get: Callable[[str], bytes | None], root: Documents
    ) -> dict[str, JsonObject] | None:
        consolidated = None if root[0] is None else _document(root[0]).get("consolidated_metadata")
        if not isinstance(consolidated, dict):
            return None  # absent, or null as some writers write it
        nodes = consolidated.get("metadata")
        if not isinstance(nodes, dict):
            raise MetadataError(
                f"expected an object, found {describe(nodes)}", member="consolidated_metadata.metadata"
            )
        return {f"/{path.strip('/')}": _without_consolidated(document) for path, document in nodes.items()}

    def split_documents(self, told: JsonObject) -> Documents:
        return (json.dumps(told).encode(),)

    def normalize(self, documents: Documents) -> JsonObject:
        return _without_consolidated(self.stored_documents(documents))


def _has_endian(codecs: Sequence[NamedConfiguration]) -> bool:
    """Whether "bytes" has its old name, also within shards."""
    inner = (codec.configuration.get("codecs") for codec in codecs)
    return any(codec.name == "endian" for codec in codecs) or any(
        isinstance(item, dict) and item.get("name") == "endian"
        for items in inner
        if isinstance(items, list)
        for item in items
    )


def _without_consolidated(document: Any) -> JsonObject:
    """The document without its consolidated metadata; {} if it is not a document."""
    if not isinstance(document, dict):
        return {}
    return {name: value for name, value in document.items() if name != "consolidated_metadata"}


def _document(data: bytes) -> JsonObject:
    """A parsed document that callers must not change.

    The root's document is needed several times in a row: to detect the format, for the root, and for consolidated metadata.
    """
    return _recent_document(data) if len(data) < _KEPT_NBYTES else parse_json_object(data)


_recent_document = lru_cache(maxsize=1)(parse_json_object)


def parse_node(document: JsonObject) -> NodeMetadata:
    """The node that a ``zarr.json`` describes.

    Raises:
        MetadataError: a member is missing, unknown or broken.
        UnsupportedError: an unknown extension.
        UnreadableNodeError: the document is that of a node of another format's file, and says why it cannot be read.
    """
    reason = reason_of(document)
    if reason is not None:
        raise UnreadableNodeError(reason)
    if document.get("zarr_format") != 3:
        raise MetadataError(
            f"expected 3, found {describe(document.get('zarr_format'))}", member="zarr_format"
        )
    match document.get("node_type"):
        case "array" if is_of_february_2023(document):
            _refuse_unknown(document, {*_ARRAY_MEMBERS, "extensions"})
            ignored_extensions(document)
            return sharded(parse_array(in_accepted_terms(document)), document.get("storage_transformers"))
        case "array":
            return parse_array(document)
        case "group":
            _refuse_unknown(document, _GROUP_MEMBERS)
            return GroupMetadata(document_attributes(document))
        case other:
            raise MetadataError(f"expected 'array' or 'group', found {describe(other)}", member="node_type")


def parse_array(document: JsonObject) -> ArrayMetadata:
    """The array that a ``zarr.json`` describes.

    Raises:
        As `parse_node`.
    """
    attributes = document_attributes(document)
    told = {name: value for name, value in document.items() if name != "attributes"}
    return replace(_array(told), attributes=attributes)


@parsed_once
def _array(document: JsonObject) -> ArrayMetadata:
    """The array, without attributes."""
    _refuse_unknown(document, _ARRAY_MEMBERS)
    shape = integers(_required(document, "shape"), "shape", minimum=0)
    data_type = parse_data_type(_required(document, "data_type"))
    _refuse_storage_transformers(document.get("storage_transformers", []))
    encoding = ChunkKeyEncoding()
    if "chunk_key_encoding" in document:
        encoding = parse_chunk_key_encoding(
            parse_named_configuration(document["chunk_key_encoding"], "chunk_key_encoding")
        )
    codecs = _codecs(document.get("codecs", []), data_type)
    return ArrayMetadata(
        shape=shape,
        data_type=data_type,
        chunk_grid=parse_chunk_grid(
            parse_named_configuration(_required(document, "chunk_grid"), "chunk_grid"), shape
        ),
        chunk_key_encoding=encoding,
        fill_value=_fill_value(document.get("fill_value"), data_type, codecs),
        codecs=codecs,
        dimension_names=_dimension_names(document.get("dimension_names"), len(shape)),
    )


def _required(document: JsonObject, member: str) -> Any:
    try:
        return document[member]
    except KeyError as error:
        raise MetadataError("the member is missing", member=member) from error


def _refuse_unknown(document: JsonObject, known: set[str]) -> None:
    for name in document.keys() - known:
        value = document[name]
        if not (isinstance(value, dict) and value.get("must_understand") is False):
            raise UnsupportedError("member", name, "is unknown and may not be ignored")


def _refuse_storage_transformers(value: Any) -> None:
    if not isinstance(value, list):
        raise MetadataError(f"expected an array, found {describe(value)}", member="storage_transformers")
    for position, item in enumerate(value):
        named = parse_named_configuration(item, f"storage_transformers[{position}]")
        if named.must_understand:
            raise UnsupportedError("storage transformer", named.name)


def _codecs(value: Any, data_type: DataType) -> tuple[NamedConfiguration, ...]:
    if not isinstance(value, list):
        raise MetadataError(f"expected an array, found {describe(value)}", member="codecs")
    codecs = [parse_named_configuration(item, f"codecs[{position}]") for position, item in enumerate(value)]
    kinds = [_kind(codec) for codec in codecs]
    if not any(issubclass(kind, ArrayToBytesCodec) for kind in kinds):
        first = next((i for i, kind in enumerate(kinds) if issubclass(kind, BytesToBytesCodec)), len(kinds))
        configuration = {"endian": "little"} if has_byte_order(data_type.dtype) else {}
        codecs.insert(first, NamedConfiguration("bytes", configuration))
    return tuple(codecs)


def _fill_value(value: Any, data_type: DataType, codecs: Sequence[NamedConfiguration]) -> Element:
    """The fill value; the bytes of a whole record have the byte order of the chunks."""
    if data_type.name not in ("struct", "structured") or isinstance(value, dict | None) or not _big(codecs):
        return parse_fill_value(value, data_type)
    stored = replace(data_type, dtype=with_byte_order(data_type.dtype, ">"))
    element = parse_fill_value(value, stored).astype(data_type.dtype)
    element.flags.writeable = False
    return element


def _big(codecs: Sequence[NamedConfiguration]) -> bool:
    """Whether elements are stored big-endian, also within shards."""
    for codec in codecs:
        if codec.name in ("bytes", "endian"):
            return codec.configuration.get("endian") == "big"
        inner = codec.configuration.get("codecs")
        if isinstance(inner, list) and _big([parse_named_configuration(item, "codecs") for item in inner]):
            return True
    return False


def _kind(codec: NamedConfiguration) -> type:
    try:
        return codec_class(codec.name)
    except UnsupportedError:
        if codec.must_understand:
            raise
        return type(None)


def _dimension_names(value: Any, ndim: int) -> tuple[str | None, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != ndim:
        raise MetadataError(
            f"expected an array of {ndim}, one per dimension, found {describe(value)}",
            member="dimension_names",
        )
    for position, name in enumerate(value):
        if name is not None and not isinstance(name, str):
            raise MetadataError(
                f"expected a string or null, found {describe(name)}", member=f"dimension_names[{position}]"
            )
    return tuple(value)
