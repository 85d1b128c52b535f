"""Conversion of assigned values to elements of the array's type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from zarrcore.errors import ElementError
from zarrcore.typing import AnyArray


def refuse_mapping(value: Any) -> None:
    """Refuse a group, a dictionary and the like, which NumPy would take for an array of their names, or for one object.

    Raises:
        ElementError: it is one.
    """
    if isinstance(value, Mapping):
        raise ElementError(f"expected an array, found {value!r}")


def as_elements(value: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> AnyArray:
    """``value`` in the array's dtype, broadcast to ``shape``: read-only, possibly a view of ``value``.

    Arrays are converted as in a NumPy assignment. Python numbers must be in the range of the dtype.

    Raises:
        ElementError: values that cannot be converted or broadcast.

    >>> as_elements([1, 2], np.dtype("f4"), (2, 2))
    array([[1., 2.],
           [1., 2.]], dtype=float32)
    """
    refuse_mapping(value)
    try:
        if hasattr(value, "__array__"):
            with np.errstate(invalid="ignore"):
                elements = np.asarray(value).astype(dtype, copy=False)
            if elements.dtype.kind in "mM" and elements.dtype.byteorder == ">":
                elements = elements.astype("<i8").view(dtype)  # NumPy keeps the order of times without a unit
        else:
            elements = np.asarray(value, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise ElementError(f"expected elements of {dtype}: {error}") from error
    if dtype.kind == "O" and not all(isinstance(element, bytes) for element in elements.flat):
        raise ElementError("expected only bytes")
    # NumPy's assignment also drops leading dimensions of length 1.
    while elements.ndim > len(shape) and elements.shape[0] == 1:
        elements = elements[0]
    try:
        return np.broadcast_to(elements, shape)
    except ValueError as error:
        raise ElementError(f"expected values of shape {shape}, found {elements.shape}") from error
