"""Attributes: JSON values as HDF5 attributes.

Numbers, booleans, texts, and lists of one of these kinds are attributes of their own types; lists without items are of floats.
Other values are JSON text. So are texts that HDF5 cannot hold (with a zero byte, which would end them, or with a lone surrogate)
and lists that are too long for the early file format, in which an attribute other than text has at most 64 KiB.

Readers cannot know JSON text from other text, and by NetCDF's convention a list of one is a scalar. The attribute
``_zarrscope_json`` of an object, a JSON list too, names the attributes that are JSON text or a list of one.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import numpy as np

from zarrcore.filetypes.hdf5.datatype import HEAP_ITEM_NBYTES, TEXT, datatype, fixed_text
from zarrcore.filetypes.hdf5.metadata import Metadata
from zarrcore.filetypes.hdf5.object_header import attribute_message
from zarrcore.typing import AnyArray

_MAX_NBYTES: Final = 64_000
_INT64, _UINT64 = np.iinfo(np.int64), np.iinfo(np.uint64)
_EXACT: Final = 1 << 53
_NO_TEXT: Final = re.compile("[\\0\\ud800-\\udfff]")
LEFT_OUT_ATTRIBUTE: Final = "_zarrscope_left_out"
JSON_ATTRIBUTE: Final = "_zarrscope_json"
RESERVED: Final = frozenset(
    (
        "CLASS",
        "NAME",
        "DIMENSION_LIST",
        "REFERENCE_LIST",
        "_Netcdf4Coordinates",
        "_Netcdf4Dimid",
        "_NCProperties",
        "_nc3_strict",
        LEFT_OUT_ATTRIBUTE,
        JSON_ATTRIBUTE,
    )
)
"""Names that would give readers wrong information about dimensions or the file."""


def attribute(
    name: bytes, value: Any, metadata: Metadata, *, netcdf: bool, marked: list[str] | None = None
) -> bytes:
    """The message of an attribute.

    Args:
        name: its name.
        value: JSON, or elements.
        metadata: holds texts of variable length.
        netcdf: whether text is written as characters if they fit: NetCDF's older programs do not read strings.
        marked: gets the name if `JSON_ATTRIBUTE` has to name it. NetCDF has no lists of one.

    Raises:
        UnsupportedError: HDF5 cannot hold it.
    """
    found = _value(value, netcdf)
    is_json = isinstance(found, bytes) and not (isinstance(value, str) and is_text(value))
    is_one = not netcdf and not isinstance(found, bytes) and np.shape(found) == (1,)
    if marked is not None and (is_json or is_one):
        marked.append(name.decode())
    if isinstance(found, np.ndarray):
        return attribute_message(name, datatype(found.dtype), found.shape, found.tobytes())
    if isinstance(found, list):
        texts = b"".join(metadata.keep(text, len(text)) for text in found)
        return attribute_message(name, TEXT, (len(found),), texts)
    if netcdf and len(found) <= _MAX_NBYTES:
        return attribute_message(name, fixed_text(max(1, len(found))), (), found or b"\0")
    return attribute_message(name, TEXT, (), metadata.keep(found, len(found)))


def _value(value: Any, netcdf: bool) -> bytes | list[bytes] | AnyArray:
    """Text, texts, or elements; JSON text if they do not fit."""
    if isinstance(value, str):
        return (value if is_text(value) else json.dumps(value)).encode()
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    items = value if isinstance(value, list) else [value]
    dtype = _number_type(items, netcdf)
    if dtype is not None and len(items) * np.dtype(dtype).itemsize <= _MAX_NBYTES:
        return np.array(value, dtype)
    if _are_texts(items) and len(items) * HEAP_ITEM_NBYTES <= _MAX_NBYTES:
        return [item.encode() for item in items]
    told = json.dumps(value, ensure_ascii=False)
    return (told if is_text(told) else json.dumps(value)).encode()


def _are_texts(items: list[Any]) -> bool:
    return all(isinstance(item, str) and is_text(item) for item in items)


def is_text(text: str) -> bool:
    """Whether HDF5 can hold a text unchanged: without zero bytes and lone surrogates."""
    return not _NO_TEXT.search(text)


def _number_type(items: list[Any], netcdf: bool) -> str | None:
    """The type that can hold all items, or None."""
    kinds = {type(item) for item in items}
    if kinds == {bool}:
        return "i1" if netcdf else "?"
    if kinds == {int}:
        low, high = min(items), max(items)
        if low >= _INT64.min and high <= _INT64.max:
            return "<i8"
        return "<u8" if low >= 0 and high <= _UINT64.max else None
    if not kinds <= {int, float}:
        return None
    return "<f8" if all(abs(item) <= _EXACT for item in items if isinstance(item, int)) else None
