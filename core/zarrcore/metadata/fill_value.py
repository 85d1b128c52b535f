"""Fill values: the JSON spelling of one element, and the element itself, bit for bit.

Accepted specification, "fill_value". A fill value is kept as a read-only 0-d array: a NumPy scalar would lose the payload
of a signalling NaN, or a string's type. Each data type defines its own spelling.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zarrcore.metadata.data_type import DataType, Element, data_type_of, family_of
from zarrcore.metadata.data_type.struct import zeros
from zarrcore.metadata.data_type.time import not_a_time

__all__ = ["Element", "fill_value_document", "parse_fill_value", "undefined", "zero"]


def zero(dtype: np.dtype[Any]) -> Element:
    """The element whose bytes are all zero, or the empty one.

    >>> zero(np.dtype("<f4")), zero(np.dtypes.StringDType()).item()
    (array(0., dtype=float32), '')
    """
    if dtype.names is not None and dtype.hasobject:
        return _sealed(zeros((), dtype))
    element = np.zeros((), dtype)
    if dtype.kind == "O":
        element[()] = b""
    return _sealed(element)


def undefined(dtype: np.dtype[Any]) -> Element:
    """The value that an undefined fill value, ``null``, reads as: NaT for datetimes and timedeltas, else zero.

    zarr-python does the same, and does not store chunks that hold only this value.

    >>> undefined(np.dtype("<M8[s]")), undefined(np.dtype("<i2"))
    (array('NaT', dtype='datetime64[s]'), array(0, dtype=int16))
    """
    return _sealed(not_a_time(dtype)) if dtype.kind in "Mm" else zero(dtype)


def parse_fill_value(value: Any, data_type: DataType) -> Element:
    """The element that a Zarr v3 document spells.

    Raises:
        MetadataError: not a spelling of an element of this type.

    >>> from zarrcore.metadata.data_type import parse_data_type
    >>> parse_fill_value("0x7fc00001", parse_data_type("float32")).view("u4")
    array(2143289345, dtype=uint32)
    """
    if value is None:
        return undefined(data_type.dtype)
    return _sealed(family_of(data_type.name).parse(value, data_type))


def _sealed(element: Any) -> Element:
    element.flags.writeable = False
    return element  # type: ignore[no-any-return]


def fill_value_document(element: Element, data_type: DataType | None = None) -> Any:
    """The Zarr v3 spelling of an element: reading it back gives the same bits.

    Without ``data_type``, the data type follows from the dtype.

    >>> fill_value_document(np.array(-np.inf, "<f4"))
    '-Infinity'
    """
    if data_type is None:
        data_type = data_type_of(element.dtype)
    return family_of(data_type.name).spell(element, data_type)
