"""NumPy's own spelling of its types, as in Zarr v2 and numcodecs: ``<f4``, ``|S5``, ``<M8[ns]``, or a list of fields.

Specification: Zarr v2, "Data type encoding". NumPy itself accepts far more than that as a dtype, and divides by the zero of
``M8[s/0]`` and ``M8[0s]``, which ends the process. A string is therefore checked before NumPy sees it. NumPy also accepts the
names of ml_dtypes once that package was imported, but spells these types ``|V1``, so they are refused.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type.interface import is_small_number
from zarrcore.metadata.json_document import describe
from zarrcore.metadata.named_configuration import integers

_SPELLING = re.compile(r"[<>|=]?[?\w]+(\[([1-9][0-9]*)?[^\W\d]\w*\])?")


def numpy_dtype(value: Any, member: str) -> np.dtype[Any]:
    """The dtype, with its byte order.

    Raises:
        MetadataError: ``value``, at ``member`` of the document, is not a dtype.

    >>> numpy_dtype([["a", ">i4"], ["b", "<f4", [2]]], "dtype").itemsize
    12
    """
    try:
        dtype: np.dtype[Any] = np.dtype(_checked(value))
    except (TypeError, ValueError, SyntaxError, DeprecationWarning) as error:
        raise MetadataError(f"expected a NumPy dtype, found {describe(value)}", member=member) from error
    return dtype


def _checked(value: Any) -> Any:
    if isinstance(value, list):
        return [_field(item) for item in value]
    if isinstance(value, np.dtype):
        return value
    if not isinstance(value, str) or not _SPELLING.fullmatch(value):
        raise ValueError("a dtype is a string or an array of fields")
    dtype = np.dtype(value)
    if is_small_number(dtype):
        raise ValueError("ml_dtypes")
    return dtype


def _field(item: Any) -> tuple[Any, ...]:
    if not isinstance(item, list | tuple) or len(item) not in (2, 3) or not isinstance(item[0], str):
        raise ValueError("a field is a name, a dtype and optionally a shape")
    shapes = (integers(list(shape), "dtype", minimum=0) for shape in item[2:])
    return (item[0], _checked(item[1]), *shapes)
