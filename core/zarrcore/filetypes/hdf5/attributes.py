"""Attributes: JSON as HDF5 has it.

Numbers, truth values, texts, and lists of one kind of these are attributes of their own types; all else is JSON text, and so are
lists that are too long for the early file format, in which an attribute that is no text takes at most 64 KiB.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Final

import h5py
import numpy as np

from zarrcore.errors import UnsupportedError

_MAX_NBYTES: Final = 64_000
_HEAP_ITEM_NBYTES: Final = 16
_INT64, _UINT64 = np.iinfo(np.int64), np.iinfo(np.uint64)
_EXACT: Final = 1 << 53
_MAX_NETCDF_NAME_NBYTES: Final = 256
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
    )
)
"""What would tell readers something wrong about dimensions."""


def file_name(name: str, *, netcdf: bool) -> bytes:
    """The name of a node or an attribute, in the file.

    Raises:
        UnsupportedError: it can be no name there.
    """
    try:
        encoded = name.encode()
    except UnicodeEncodeError as error:
        raise UnsupportedError("name", ascii(name), "is no text") from error
    if not encoded or b"\0" in encoded:
        raise UnsupportedError("name", ascii(name), "can be no name in HDF5")
    if netcdf and len(encoded) > _MAX_NETCDF_NAME_NBYTES:
        raise UnsupportedError("name", f"{name[:20]}…", "is too long for NetCDF")
    return encoded


def put_attribute(place: Any, name: bytes, value: Any, *, netcdf: bool) -> None:
    """Give a group or a dataset, an `h5py.h5g.GroupID` or `h5py.h5d.DatasetID`, an attribute.

    Raises:
        UnsupportedError: HDF5 does not take it.
    """
    found = _value(value, netcdf)
    try:
        if isinstance(found, str):
            _put_text(place, name, found, netcdf)
        elif found.dtype.kind == "O":
            h5py.h5a.create(place, name, text_type(None), space(found.shape)).write(found)
        else:
            kind = number_type(found.dtype)
            h5py.h5a.create(place, name, kind, space(found.shape)).write(found, mtype=kind)
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        raise UnsupportedError("attribute", name.decode(), f"does not fit ({error})") from error


def _put_text(place: Any, name: bytes, text: str, netcdf: bool) -> None:
    """As h5py writes text; for NetCDF characters, where they fit, since its older programs read no strings."""
    encoded = text.encode()
    if netcdf and len(encoded) <= _MAX_NBYTES:
        kind = text_type(max(1, len(encoded)))
        h5py.h5a.create(place, name, kind, space(())).write(np.array(encoded), mtype=kind)
    else:
        h5py.h5a.create(place, name, text_type(None), space(())).write(np.array(text, h5py.string_dtype()))


@lru_cache
def number_type(dtype: np.dtype[Any]) -> Any:
    """The `h5py.h5t.TypeID` of elements that are no texts in UTF-8."""
    return h5py.h5t.py_create(dtype, logical=True)


@lru_cache
def text_type(nbytes: int | None) -> Any:
    """The `h5py.h5t.TypeID` of texts of so many bytes, or of any length."""
    return h5py.h5t.py_create(h5py.string_dtype("utf-8", nbytes), logical=True)


@lru_cache
def space(shape: tuple[int, ...]) -> Any:
    """The `h5py.h5s.SpaceID` of a shape; nobody may select in it."""
    return h5py.h5s.create_simple(shape) if shape else h5py.h5s.create(h5py.h5s.SCALAR)


def _value(value: Any, netcdf: bool) -> str | np.ndarray[Any, Any]:
    """Text, or elements that fit."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    items = value if isinstance(value, list) else [value]
    dtype = _number_type(items, netcdf)
    if dtype is not None and len(items) * np.dtype(dtype).itemsize <= _MAX_NBYTES:
        return np.array(value, dtype)
    if _are_texts(items) and len(items) * _HEAP_ITEM_NBYTES <= _MAX_NBYTES:
        return np.array([_text(item) for item in items], h5py.string_dtype())
    return _text(json.dumps(value, ensure_ascii=False))


def _are_texts(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, str) for item in items)


def _text(text: str) -> str:
    """Text without what ends it, and without halves of characters."""
    if "\0" in text:
        return json.dumps(text)
    return text.encode("utf-8", "replace").decode()


def _number_type(items: list[Any], netcdf: bool) -> str | None:
    """The type that holds all items, or None."""
    kinds = {type(item) for item in items}
    if kinds == {bool}:
        return "i1" if netcdf else "?"
    if kinds == {int}:
        low, high = min(items), max(items)
        if low >= _INT64.min and high <= _INT64.max:
            return "<i8"
        return "<u8" if low >= 0 and high <= _UINT64.max else None
    if not kinds or not kinds <= {int, float}:
        return None
    return "<f8" if all(abs(item) <= _EXACT for item in items if isinstance(item, int)) else None
