"""Zarr version 2: ``.zarray``, ``.zgroup`` and ``.zattrs`` per node, told in version 3 terms.

Specification: zarr-specs, "Zarr storage specification version 2". ``order: "F"`` becomes a ``transpose`` codec, filters and
compressor become codecs, a dtype's byte order the parameter of the ``bytes`` codec.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any

import numpy as np

from zarrcore.codecs.interface import ArrayToArrayCodec
from zarrcore.codecs.registry import codec_class
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats.interface import Documents, Format
from zarrcore.metadata import (
    ArrayMetadata,
    ChunkKeyEncoding,
    Element,
    GroupMetadata,
    JsonObject,
    NamedConfiguration,
    NodeMetadata,
)
from zarrcore.metadata.chunk_grid import regular_chunk_grid
from zarrcore.metadata.data_type import data_type_of, item_bytes
from zarrcore.metadata.fill_value import parse_fill_value
from zarrcore.metadata.json_document import describe, parse_json_object
from zarrcore.metadata.named_configuration import integers

_SHUFFLE_NAMES = {0: "noshuffle", 1: "shuffle", 2: "bitshuffle"}
_MEMBERS = ("shape", "chunks", "dtype", "compressor", "fill_value", "order", "filters")


class V2Format(Format):
    """``foo/.zarray``; chunks ``foo/0.0`` or ``foo/0/0``."""

    name = "v2"
    title = "Zarr v2"
    specification = "https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html"
    implicit_groups = False

    def document_keys(self, path: str) -> tuple[str, ...]:
        prefix = self.prefix(path)
        return (prefix + ".zarray", prefix + ".zgroup", prefix + ".zattrs")

    def fetch(self, get: Callable[[str], bytes | None], path: str) -> Documents:
        array_key, group_key, attributes_key = self.document_keys(path)
        array = get(array_key)
        group = get(group_key) if array is None else None
        return array, group, None if array is None and group is None else get(attributes_key)

    def consolidated_documents(
        self, get: Callable[[str], bytes | None], root: Documents
    ) -> dict[str, JsonObject] | None:
        stored = get(".zmetadata")
        if stored is None:
            return None
        entries = parse_json_object(stored).get("metadata")
        if not isinstance(entries, dict):
            raise MetadataError(
                f"expected an object, found {describe(entries)}", member="metadata", key=".zmetadata"
            )
        documents: dict[str, JsonObject] = {}
        for key, document in entries.items():
            path, _, name = key.rpartition("/")
            if name in (".zarray", ".zgroup", ".zattrs"):
                documents.setdefault(f"/{path}", {})[name] = document
        return {
            path: self._comparable(found) for path, found in documents.items() if found.keys() != {".zattrs"}
        }

    def comparable(self, documents: Documents) -> JsonObject:
        return self._comparable(self.stored_documents(documents))

    def _comparable(self, documents: JsonObject) -> JsonObject:
        """Without what stands for nothing: empty attributes, a group where an array is, what zarr-python puts into ``.zgroup``."""
        found = {name: document for name, document in documents.items() if document or name != ".zattrs"}
        if ".zarray" in found:
            found.pop(".zgroup", None)
        if isinstance(group := found.get(".zgroup"), dict):
            found[".zgroup"] = {name: group[name] for name in group if name != "consolidated_metadata"}
        return found

    def claims(self, documents: Documents) -> bool:
        return documents[0] is not None or documents[1] is not None

    def parse(self, documents: Documents) -> NodeMetadata | None:
        array, group, attributes = documents
        if array is not None:
            return _parse_array(_with_format(parse_json_object(array)), _attributes(attributes))
        if group is not None:
            _with_format(parse_json_object(group))
            return GroupMetadata(_attributes(attributes))
        return None

    def stored_documents(self, documents: Documents) -> JsonObject:
        names = (".zarray", ".zgroup", ".zattrs")
        return {
            name: parse_json_object(document)
            for name, document in zip(names, documents, strict=True)
            if document is not None
        }


def _with_format(document: JsonObject) -> JsonObject:
    if document.get("zarr_format") != 2:
        raise MetadataError(
            f"expected 2, found {describe(document.get('zarr_format'))}", member="zarr_format"
        )
    return document


def _attributes(document: bytes | None) -> JsonObject:
    return {} if document is None else parse_json_object(document)


def _parse_array(document: JsonObject, attributes: JsonObject) -> ArrayMetadata:
    for member in _MEMBERS:
        if member not in document:
            raise MetadataError("the member is missing", member=member)
    shape = integers(document["shape"], "shape", minimum=0)
    chunks = integers(document["chunks"], "chunks", minimum=0)
    stored_dtype = parse_dtype(document["dtype"])
    filters = _filters(document)
    data_type = data_type_of(stored_dtype)
    return ArrayMetadata(
        shape=shape,
        data_type=data_type,
        chunk_grid=regular_chunk_grid(chunks, shape, "chunks"),
        chunk_key_encoding=ChunkKeyEncoding("v2", _separator(document)),
        fill_value=_fill_value(document["fill_value"], stored_dtype),
        codecs=_codecs(document, stored_dtype, filters),
        attributes=attributes,
        dimension_names=_dimension_names(attributes, len(shape)),
    )


def parse_dtype(value: Any) -> np.dtype[Any]:
    """The NumPy dtype that version 2's ``dtype`` spells, with its byte order.

    Raises:
        MetadataError: no dtype.
        UnsupportedError: Python objects.

    >>> parse_dtype([["a", ">i4"], ["b", "<f4", [2]]]).itemsize
    12
    """
    if not isinstance(value, str | list):
        raise MetadataError(f"expected a NumPy dtype, found {describe(value)}", member="dtype")
    try:
        dtype: np.dtype[Any] = np.dtype(_descr(value) if isinstance(value, list) else value)
    except (TypeError, ValueError, SyntaxError) as error:
        raise MetadataError(f"expected a NumPy dtype, found {describe(value)}", member="dtype") from error
    if dtype.hasobject:
        raise UnsupportedError("data type", str(value), "of Python objects is not supported")
    if dtype.subdtype is not None:
        raise MetadataError(f"expected the dtype of one element, found {describe(value)}", member="dtype")
    item_bytes(dtype.itemsize, "dtype")
    return dtype


def _descr(value: list[Any]) -> list[tuple[Any, ...]]:
    fields = []
    for item in value:
        if not isinstance(item, list) or len(item) not in (2, 3) or not isinstance(item[0], str):
            raise ValueError("a field is a name, a dtype and perhaps a shape")
        dtype = _descr(item[1]) if isinstance(item[1], list) else item[1]
        fields.append((item[0], dtype, *(integers(shape, "dtype", minimum=0) for shape in item[2:])))
    return fields


def _separator(document: JsonObject) -> Any:
    separator = document.get("dimension_separator", ".")
    if separator not in (".", "/"):
        raise MetadataError(f"expected '.' or '/', found {describe(separator)}", member="dimension_separator")
    return separator


def _filters(document: JsonObject) -> list[NamedConfiguration]:
    filters = document["filters"] or []
    if not isinstance(filters, list):
        raise MetadataError(f"expected an array or null, found {describe(filters)}", member="filters")
    return [_codec(item, f"filters[{position}]") for position, item in enumerate(filters)]


def _codec(value: Any, member: str) -> NamedConfiguration:
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        raise MetadataError(f"expected an object with an id, found {describe(value)}", member=member)
    configuration = {name: parameter for name, parameter in value.items() if name != "id"}
    name = value["id"]
    if name == "blosc" and isinstance(configuration.get("shuffle"), int):
        shuffle = configuration["shuffle"]
        configuration["shuffle"] = _SHUFFLE_NAMES.get(shuffle, "shuffle" if shuffle == -1 else str(shuffle))
    # Where version 3 has a codec of its own for the same bytes, its name is used.
    return NamedConfiguration(
        name if name in ("blosc", "gzip", "zstd") else f"numcodecs.{name}", configuration
    )


def _codecs(
    document: JsonObject, stored_dtype: np.dtype[Any], filters: list[NamedConfiguration]
) -> tuple[NamedConfiguration, ...]:
    order = document["order"]
    if order not in ("C", "F"):
        raise MetadataError(f"expected 'C' or 'F', found {describe(order)}", member="order")
    codecs: list[NamedConfiguration] = []
    ndim = len(document["shape"])
    if order == "F" and ndim > 1:
        codecs.append(NamedConfiguration("transpose", {"order": list(range(ndim))[::-1]}))
    on_arrays = [codec for codec in filters if issubclass(codec_class(codec.name), ArrayToArrayCodec)]
    views, filtered_dtype = _with_views(on_arrays, stored_dtype)
    codecs += views
    codecs.append(_array_to_bytes(filtered_dtype))
    codecs += filters[len(on_arrays) :]
    if filters[: len(on_arrays)] != on_arrays:
        raise UnsupportedError("filter", filters[0].name, "on bytes stands before a filter on elements")
    if document["compressor"] is not None:
        codecs.append(_codec(document["compressor"], "compressor"))
    return tuple(codecs)


def _with_views(
    filters: list[NamedConfiguration], dtype: np.dtype[Any]
) -> tuple[list[NamedConfiguration], np.dtype[Any]]:
    """The filters, with a view of the same bytes wherever one works on another type than it is given.

    Also the type, with byte order, in which the last one leaves the elements.
    """
    chain = []
    for codec in filters:
        configuration = codec.configuration
        given = configuration.get("decode_dtype") or configuration.get("dtype")
        if given is not None and (viewed := parse_dtype(given)) != dtype:
            chain.append(
                NamedConfiguration("v2_view", {"dtype": _spelled(dtype), "viewed_dtype": _spelled(viewed)})
            )
            dtype = viewed
        chain.append(codec)
        left = configuration.get("encode_dtype") or configuration.get("astype")
        if codec.name == "numcodecs.packbits":
            dtype = np.dtype("u1")
        elif left is not None:
            dtype = parse_dtype(left)
    return chain, dtype


def _spelled(dtype: np.dtype[Any]) -> Any:
    return dtype.descr if dtype.names else dtype.str


def _array_to_bytes(stored_dtype: np.dtype[Any]) -> NamedConfiguration:
    if stored_dtype == stored_dtype.newbyteorder("<"):
        return NamedConfiguration("bytes", {"endian": "little"} if stored_dtype.itemsize > 1 else {})
    if stored_dtype == stored_dtype.newbyteorder(">"):
        return NamedConfiguration("bytes", {"endian": "big"})
    return NamedConfiguration("v2_struct_bytes", {"dtype": _spelled(stored_dtype)})


def _fill_value(value: Any, stored_dtype: np.dtype[Any]) -> Element:
    data_type = data_type_of(stored_dtype)
    if stored_dtype.kind in "SV" and isinstance(value, str):
        try:
            raw = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError) as error:
            raise MetadataError(f"expected base64, found {describe(value)}", member="fill_value") from error
        if len(raw) > stored_dtype.itemsize:
            raise MetadataError(
                f"expected {stored_dtype.itemsize} bytes, found {len(raw)}", member="fill_value"
            )
        # A structured fill is stored in the array's own byte order.
        raw = raw.ljust(stored_dtype.itemsize, b"\0")
        element = np.frombuffer(raw, stored_dtype).reshape(()).astype(data_type.dtype)
        element.flags.writeable = False
        return element
    if stored_dtype.kind == "U" and value == 0:
        value = ""  # what zarr-python 2 wrote for "no fill value" of strings
    if stored_dtype.kind in "fc" and isinstance(value, bool):
        value = float(value)
    return parse_fill_value(value, data_type)


def _dimension_names(attributes: JsonObject, ndim: int) -> tuple[str | None, ...] | None:
    """xarray's convention for version 2."""
    names = attributes.get("_ARRAY_DIMENSIONS")
    if isinstance(names, list) and len(names) == ndim and all(isinstance(name, str) for name in names):
        return tuple(names)
    return None
