"""Zarr v1: one array, described by ``meta`` and ``attrs``; read through Zarr v2.

Specification: zarr-specs, "Zarr storage specification version 1". There are no groups and no filters. A compressor is a name
and its options, which are one object in Zarr v2. Only zarr-python before 2.0 wrote it. With ``order: "F"`` and a
compressor other than blosc, it stored the elements in C order; such arrays are read as the specification says.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from zarrcore.errors import MetadataError
from zarrcore.formats.interface import Documents, Format
from zarrcore.formats.v2.parse import parse_array
from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, JsonObject, NodeMetadata
from zarrcore.metadata.json_document import describe, parse_json_object

_NAMES = ("meta", "attrs")
_MEMBERS = ("shape", "chunks", "dtype", "compression", "compression_opts", "fill_value", "order")


class V1Format(Format):
    """``meta``; chunks ``0.0``."""

    name = "v1"
    title = "Zarr v1"
    specification = "https://zarr-specs.readthedocs.io/en/latest/v1/v1.0.html"
    implicit_groups = False

    def document_keys(self, path: str) -> tuple[str, ...]:
        prefix = self.prefix(path)
        return tuple(prefix + name for name in _NAMES)

    @property
    def deciding_keys(self) -> tuple[str, ...]:
        return _NAMES[:1]

    def default_chunk_key_encoding(self) -> ChunkKeyEncoding:
        return ChunkKeyEncoding("v2", ".")

    def fetch(self, get: Callable[[str], bytes | None], path: str) -> Documents:
        meta_key, attributes_key = self.document_keys(path)
        meta = get(meta_key)
        return meta, None if meta is None else get(attributes_key)

    def claims(self, documents: Documents) -> bool:
        if documents[0] is None:
            return False
        try:
            return parse_json_object(documents[0]).get("zarr_format") == 1
        except MetadataError:
            return False  # other programs may use this name too

    def parse(self, documents: Documents) -> NodeMetadata | None:
        meta, attributes = documents
        return None if meta is None else _parse_meta(parse_json_object(meta), _attributes(attributes))

    def stored_documents(self, documents: Documents) -> JsonObject:
        named = zip(_NAMES, documents, strict=True)
        return {name: parse_json_object(document) for name, document in named if document is not None}

    def child_name(self, name: str, is_prefix: bool) -> str | None:
        return None


def _parse_meta(document: JsonObject, attributes: JsonObject) -> ArrayMetadata:
    found = document.get("zarr_format")
    if found != 1:
        raise MetadataError(f"expected 1, found {describe(found)}", member="zarr_format")
    for member in _MEMBERS:
        if member not in document:
            raise MetadataError("the member is missing", member=member)
    told = {name: document[name] for name in ("shape", "chunks", "dtype", "order")}
    told["fill_value"] = _fill_value(document["fill_value"], document["dtype"])
    told["compressor"] = _compressor(document["compression"], document["compression_opts"])
    return parse_array({**told, "filters": None, "dimension_separator": "."}, attributes)


def _fill_value(value: Any, dtype: Any) -> Any:
    """A fill value in the spelling of Zarr v2, which has bytes in base64; Zarr v1 has them as text."""
    if isinstance(value, str) and isinstance(dtype, str) and dtype[1:2] == "S":
        try:
            return base64.standard_b64encode(value.encode()).decode("ascii")
        except UnicodeEncodeError as error:  # half a surrogate pair
            raise MetadataError(f"expected text, found {describe(value)}", member="fill_value") from error
    return value


def _compressor(name: Any, options: Any) -> JsonObject | None:
    if name in (None, "none"):
        return None
    if not isinstance(name, str):
        raise MetadataError(f"expected a name or null, found {describe(name)}", member="compression")
    match options:
        case None:
            return {"id": name}
        case Mapping():
            return {"id": name, **options}
        case int() if not isinstance(options, bool):
            return {"id": name, "level": options}
    raise MetadataError(
        f"expected an integer, an object or null, found {describe(options)}", member="compression_opts"
    )


def _attributes(document: bytes | None) -> JsonObject:
    try:
        return {} if document is None else parse_json_object(document)
    except MetadataError as error:
        raise MetadataError(str(error), member=_NAMES[1]) from error
