"""Reading ``.zarray`` of Zarr v2, translated to Zarr v3 terms.

Specification: zarr-specs, "Zarr storage specification version 2", "Arrays". ``order: "F"`` becomes a ``transpose`` codec,
filters and compressor become codecs, and a dtype's byte order becomes the parameter of the ``bytes`` codec. Python objects
become the data type that their first filter encodes: ``string`` or ``bytes``.
"""

from __future__ import annotations

import base64
import binascii
import math
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from zarrcore.codecs.imagecodecs_package import IMAGECODECS, OF_BYTES_IN_V2
from zarrcore.codecs.interface import ArrayToArrayCodec, ArrayToBytesCodec, BytesToBytesCodec
from zarrcore.codecs.registry import codec_class
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats.parsed_once import parsed_once
from zarrcore.metadata import (
    ArrayMetadata,
    ChunkKeyEncoding,
    DataType,
    Element,
    JsonObject,
    NamedConfiguration,
)
from zarrcore.metadata.chunk_grid import regular_chunk_grid
from zarrcore.metadata.data_type import (
    data_type_of,
    has_byte_order,
    is_small_number,
    item_bytes,
    numpy_dtype,
    parse_data_type,
    with_byte_order,
)
from zarrcore.metadata.fill_value import parse_fill_value
from zarrcore.metadata.json_document import describe
from zarrcore.metadata.named_configuration import integers

_SHUFFLE_NAMES = {0: "noshuffle", 1: "shuffle", 2: "bitshuffle"}
_MEMBERS = ("shape", "chunks", "dtype", "compressor", "fill_value", "order", "filters")
DIMENSIONS_ATTRIBUTE = "_ARRAY_DIMENSIONS"
_OBJECT_TYPES = {
    "vlen-utf8": "string",
    "vlen-bytes": "bytes",
    "numcodecs.categorize": "string",
    "numcodecs.json2": "string",
    "numcodecs.msgpack2": "string",
}
"""The data type of Python objects, by their first filter."""

OBJECT_CODECS = frozenset(name for name in _OBJECT_TYPES if name.startswith("numcodecs."))
"""The codecs of objects that no other format has, and that are not written."""

NATIVE_CODECS = ("blosc", "gzip", "zstd")
"""Codecs with their own name in Zarr v3. So have most of imagecodecs; all others are ``numcodecs.*``."""


def parse_array(document: JsonObject, attributes: JsonObject) -> ArrayMetadata:
    """The array that a ``.zarray`` and its attributes describe.

    Raises:
        MetadataError: a member is missing or broken.
        UnsupportedError: an unknown dtype or filter.
    """
    array = _array(document)
    names = dimension_names_of(attributes, len(array.shape), document)
    return replace(array, attributes=attributes, dimension_names=names)


@parsed_once
def _array(document: JsonObject) -> ArrayMetadata:
    """The array, without attributes."""
    for member in _MEMBERS:
        if member not in document:
            raise MetadataError("the member is missing", member=member)
    shape = integers(document["shape"], "shape", minimum=0)
    chunks = integers(document["chunks"], "chunks", minimum=0)
    filters, compressor = _filters(document), _compressor(document)
    if document["dtype"] in ("|O", "O"):
        data_type, codecs = _objects(document["dtype"], filters)
        codecs += compressor
        stored_dtype = data_type.dtype
    else:
        told_dtype = parse_dtype(document["dtype"])
        stored_dtype, rounded = _without_long_doubles(told_dtype)
        data_type = data_type_of(stored_dtype)
        codecs = _elements(stored_dtype, [*rounded, *filters, *compressor])
    return ArrayMetadata(
        shape=shape,
        data_type=data_type,
        chunk_grid=regular_chunk_grid(chunks, shape, "chunks"),
        chunk_key_encoding=ChunkKeyEncoding(
            "v2", _separator(document), is_told="dimension_separator" in document
        ),
        fill_value=_fill_value(document["fill_value"], data_type, stored_dtype),
        codecs=(*_transposed(document), *codecs),
        fill_value_is_told=document["fill_value"] is not None,
    )


def parse_dtype(value: Any) -> np.dtype[Any]:
    """The NumPy dtype, with its byte order, that ``dtype`` of Zarr v2 spells.

    Raises:
        MetadataError: not a dtype.
        UnsupportedError: Python objects.

    >>> parse_dtype([["a", ">i4"], ["b", "<f4", [2]]]).itemsize
    12
    """
    try:
        dtype = numpy_dtype(value, "dtype")
    except MetadataError:
        dtype = numpy_dtype(_with_small_numbers(value), "dtype")
    if dtype.hasobject:
        raise UnsupportedError("data type", str(value), "of Python objects is not supported")
    if dtype.subdtype is not None:
        raise MetadataError(f"expected the dtype of one element, found {describe(value)}", member="dtype")
    _check_items(dtype)
    return np.dtype("S1") if dtype.char == "c" else dtype  # "c" would split bytes into single ones


def _without_long_doubles(dtype: np.dtype[Any]) -> tuple[np.dtype[Any], list[NamedConfiguration]]:
    """The type of elements, and the filter that rounds those of x86's ``long double``, which no format of ours has."""
    if dtype.kind not in "fc" or dtype.itemsize < {"f": 16, "c": 32}[dtype.kind]:
        return dtype, []
    rounded = np.dtype(f"{dtype.kind}{8 if dtype.kind == 'f' else 16}")
    configuration = {"encode_dtype": dtype.str, "decode_dtype": rounded.str}
    return rounded, [NamedConfiguration("numcodecs.astype", configuration)]


def _check_items(dtype: np.dtype[Any]) -> None:
    """Check that elements, and all fields of them, have bytes: a data type of Zarr v3 has some."""
    item_bytes(dtype.itemsize, "dtype")
    if dtype.subdtype is not None:
        _check_items(dtype.base)
    for name in dtype.names or ():
        _check_items(dtype[name])


def _with_small_numbers(value: Any) -> Any:
    """Names that tensorstore writes in Zarr v2 for ``bfloat16``, ``int4`` and similar types, those of Zarr v3, become dtypes."""
    if isinstance(value, list):
        return [
            [item[0], _with_small_numbers(item[1]), *item[2:]]
            if isinstance(item, list) and len(item) > 1
            else item
            for item in value
        ]
    if not isinstance(value, str):
        return value
    try:
        dtype = parse_data_type(value).dtype
    except (MetadataError, UnsupportedError):
        return value
    return dtype if is_small_number(dtype) else value


def _separator(document: JsonObject) -> Any:
    separator = document.get("dimension_separator", ".")
    if separator not in (".", "/"):
        raise MetadataError(f"expected '.' or '/', found {describe(separator)}", member="dimension_separator")
    return separator


def _filters(document: JsonObject) -> list[NamedConfiguration]:
    filters = document["filters"] or []
    if not isinstance(filters, list):
        raise MetadataError(f"expected an array or null, found {describe(filters)}", member="filters")
    return [parse_codec(item, f"filters[{position}]") for position, item in enumerate(filters)]


def parse_codec(value: Any, member: str) -> NamedConfiguration:
    """A codec as Zarr v2 and numcodecs name it: an object with an ``id``.

    Raises:
        MetadataError: it is none.
    """
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        raise MetadataError(f"expected an object with an id, found {describe(value)}", member=member)
    configuration = {name: parameter for name, parameter in value.items() if name != "id"}
    name = value["id"]
    if name == "blosc" and type(shuffle := configuration.get("shuffle")) is int:
        configuration["shuffle"] = _SHUFFLE_NAMES.get(shuffle, shuffle)
    native = name in NATIVE_CODECS or (name.startswith(IMAGECODECS) and name not in OF_BYTES_IN_V2)
    return NamedConfiguration(name if native else f"numcodecs.{name}", configuration)


def _transposed(document: JsonObject) -> list[NamedConfiguration]:
    order = document["order"]
    if order not in ("C", "F"):
        raise MetadataError(f"expected 'C' or 'F', found {describe(order)}", member="order")
    ndim = len(document["shape"])
    if order == "C" or ndim < 2:
        return []
    return [NamedConfiguration("transpose", {"order": list(range(ndim))[::-1]})]


def _compressor(document: JsonObject) -> list[NamedConfiguration]:
    return [] if document["compressor"] is None else [parse_codec(document["compressor"], "compressor")]


def _objects(dtype: str, filters: list[NamedConfiguration]) -> tuple[DataType, list[NamedConfiguration]]:
    """The data type of Python objects, by their first filter, and the codecs of the filters."""
    if not filters:
        raise UnsupportedError("data type", dtype, "of Python objects is not supported")
    first = filters[0]
    name = first.name.removeprefix("numcodecs.") if "vlen" in first.name else first.name
    if name not in _OBJECT_TYPES:
        for codec in filters:
            codec_class(codec.name)  # reports what is wrong with it, if anything is
        raise UnsupportedError(
            "data type",
            dtype,
            f"of Python objects, with the filter {name.removeprefix('numcodecs.')!r}, is not supported",
        )
    data_type = parse_data_type(_OBJECT_TYPES[name])
    if issubclass(codec_class(name), ArrayToArrayCodec):
        numbers = parse_dtype(first.configuration.get("astype", "|u1"))
        return data_type, [first, *_elements(numbers, filters[1:])]
    for other in filters[1:]:
        if not issubclass(codec_class(other.name), BytesToBytesCodec):
            raise UnsupportedError(
                "filter", other.name, f"on elements comes after {name}, which returns bytes"
            )
    codec = first if name == first.name else NamedConfiguration(name)
    return data_type, [codec, *filters[1:]]


def _elements(stored_dtype: np.dtype[Any], filters: list[NamedConfiguration]) -> list[NamedConfiguration]:
    """The codecs of the filters and the compressor for elements of fixed size; Zarr v2 only distinguishes them by their place."""
    on_arrays = [codec for codec in filters if issubclass(codec_class(codec.name), ArrayToArrayCodec)]
    if filters[: len(on_arrays)] != on_arrays:
        raise UnsupportedError("filter", filters[0].name, "on bytes comes before a filter on elements")
    chain, filtered_dtype = _with_views(on_arrays, stored_dtype)
    rest = filters[len(on_arrays) :]
    if not rest or not issubclass(codec_class(rest[0].name), ArrayToBytesCodec):
        return [*chain, _array_to_bytes(filtered_dtype), *rest]
    if filtered_dtype.kind in "Mm" and filtered_dtype.byteorder == ">":
        # numcodecs reads the bytes of times as integers in native byte order, whatever their own order is.
        chain.append(_view(filtered_dtype, np.dtype("<i8")))
    return [*chain, *rest]


def _with_views(
    filters: list[NamedConfiguration], dtype: np.dtype[Any]
) -> tuple[list[NamedConfiguration], np.dtype[Any]]:
    """The filters, with a view of the same bytes before each one that works on another type than it gets.

    Also the type, with byte order, of the last one's output.
    """
    chain = []
    for codec in filters:
        configuration = codec.configuration
        given = configuration.get("decode_dtype") or configuration.get("dtype")
        if given is not None and (viewed := parse_dtype(given)) != dtype:
            chain.append(_view(dtype, viewed))
            dtype = viewed
        chain.append(codec)
        left = configuration.get("encode_dtype") or configuration.get("astype")
        if codec.name == "numcodecs.packbits":
            dtype = np.dtype("u1")
        elif left is not None:
            dtype = parse_dtype(left)
    return chain, dtype


def _view(dtype: np.dtype[Any], viewed: np.dtype[Any]) -> NamedConfiguration:
    configuration = {"dtype": spelled_dtype(dtype), "viewed_dtype": spelled_dtype(viewed)}
    return NamedConfiguration("v2_view", configuration)


def spelled_dtype(dtype: np.dtype[Any]) -> Any:
    return dtype.descr if dtype.names else dtype.str


def _array_to_bytes(stored_dtype: np.dtype[Any]) -> NamedConfiguration:
    if not has_byte_order(stored_dtype):
        return NamedConfiguration("bytes")
    for name, order in (("little", "<"), ("big", ">")):
        if stored_dtype == with_byte_order(stored_dtype, order):
            return NamedConfiguration("bytes", {"endian": name})
    return NamedConfiguration("v2_struct_bytes", {"dtype": spelled_dtype(stored_dtype)})


def _fill_value(value: Any, data_type: DataType, stored_dtype: np.dtype[Any]) -> Element:
    if stored_dtype.kind in "SV" and isinstance(value, str) and not is_small_number(stored_dtype):
        try:
            raw = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError) as error:
            raise MetadataError(f"expected base64, found {describe(value)}", member="fill_value") from error
        # zarr-python fills up texts, but a record that is cut has no values for its last fields.
        if len(raw) > stored_dtype.itemsize or (stored_dtype.names and len(raw) < stored_dtype.itemsize):
            raise MetadataError(
                f"expected {stored_dtype.itemsize} bytes, found {len(raw)}", member="fill_value"
            )
        # A structured fill value is stored in the array's own byte order.
        raw = raw.ljust(stored_dtype.itemsize, b"\0")
        element = np.frombuffer(raw, stored_dtype).reshape(()).astype(data_type.dtype)
        element.flags.writeable = False
        return element
    if stored_dtype.kind in "TU" and value == 0:
        value = ""  # what zarr-python 2 wrote for "no fill value" of strings
    return parse_fill_value(_as_number(value, stored_dtype.kind), data_type)


def _as_number(value: Any, kind: str) -> Any:
    """A number that programs wrote as a text, a truth value or a float, as zarr-python reads it; other values as they are."""
    if kind in "fc" and isinstance(value, bool):
        return float(value)
    if kind in "iu" and isinstance(value, bool):
        return int(value)
    if kind == "b" and isinstance(value, float) and value in (0, 1):
        return bool(value)
    if kind in "iuf" and isinstance(value, str):
        with suppress(ValueError):
            return int(value) if kind in "iu" else _json_float(float(value))
    return value


def _json_float(number: float) -> float | str:
    """A float as documents spell it."""
    return (
        number if math.isfinite(number) else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(number), "NaN")
    )


def dimension_names_of(
    attributes: JsonObject, ndim: int, document: JsonObject | None = None
) -> tuple[str | None, ...] | None:
    """The dimension names of Zarr v2, which are attributes.

    xarray's convention is ``_ARRAY_DIMENSIONS``, with null for unnamed dimensions. netCDF writes it, too, if it can;
    otherwise NCZarr's own metadata have the paths of the dimensions: an attribute, or since netCDF 4.8.1 and before 4.9.3
    a member of the ``.zarray``.
    """
    names = attributes.get(DIMENSIONS_ATTRIBUTE)
    if not isinstance(names, list):
        names = _nczarr_names(attributes) or _nczarr_names(document or {})
    if not isinstance(names, list) or len(names) != ndim:
        return None
    return tuple(names) if all(name is None or isinstance(name, str) for name in names) else None


def _nczarr_names(attributes: JsonObject) -> list[Any] | None:
    """The names of dimensions in NCZarr's metadata, in the spellings of its versions; ``_Anonymous…`` is none."""
    for member in ("_nczarr_array", "_NCZARR_ARRAY"):
        told = attributes.get(member)
        paths = told.get("dimension_references", told.get("dimrefs")) if isinstance(told, dict) else None
        if isinstance(paths, list):
            names = [path.rpartition("/")[2] if isinstance(path, str) else path for path in paths]
            return [
                None if isinstance(name, str) and name.startswith("_Anonymous") else name for name in names
            ]
    return None
