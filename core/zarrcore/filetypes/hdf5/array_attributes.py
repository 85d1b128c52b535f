"""The attributes of an array: its own, those that tell of its type, and the missing value as CF conventions have it."""

from __future__ import annotations

import base64
import binascii
import struct
from typing import Any

import numpy as np

from zarrcore.filetypes.hdf5.elements import Stored, converted
from zarrcore.formats.v2_parse import DIMENSIONS_ATTRIBUTE
from zarrcore.hierarchy import ArrayNode

_MISSING = ("_FillValue", "missing_value")


def array_attributes(array: ArrayNode, how: Stored) -> dict[str, Any]:
    """What stands at an array's dataset.

    A missing value has to be of the dataset's type. xarray has it in an attribute, and in version 2 in the fill value.
    """
    told = {name: value for name, value in array.attributes.items() if name != DIMENSIONS_ATTRIBUTE}
    if how.file_dtype.kind in "iuf" and how.parts is None:
        for name in _MISSING:
            if (value := _of_type(told.get(name), how.file_dtype)) is not None:
                told[name] = value
        if (
            DIMENSIONS_ATTRIBUTE in array.attributes
            and array.metadata.fill_value_is_told
            and array.dtype.kind in "iuf"
        ):
            told.setdefault("_FillValue", converted(array.metadata.fill_value, how))
    return {**told, **how.attributes}


def _of_type(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any] | None:
    """A missing value in the type of the elements; None where it is none of them."""
    if isinstance(value, str) and dtype.kind == "f":
        try:  # xarray's spelling in version 3
            (value,) = struct.unpack("<d", base64.b64decode(value, validate=True))
        except (binascii.Error, ValueError, struct.error):
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(value).astype(dtype)
    except (OverflowError, TypeError, ValueError):
        return None
    return found if dtype.kind == "f" or found == value else None
