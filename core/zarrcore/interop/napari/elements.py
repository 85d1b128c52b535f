"""Elements as napari shows them: numbers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from zarrcore.conventions.cf import Packing, packing_of
from zarrcore.conventions.nexus.scaling import scaling_of
from zarrcore.interop.napari.lazy_array import Conversion
from zarrcore.metadata.data_type import is_small_number
from zarrcore.typing import AnyArray

_NUMBERS: Final = "biufc"


def is_shown(array: Any) -> bool:
    """Whether an array is an image: of numbers, with two or more dimensions, and not empty."""
    is_number = array.dtype.kind in _NUMBERS or is_small_number(array.dtype)
    return is_number and not array.dtype.names and array.ndim >= 2 and 0 not in array.shape


def conversion_of(array: Any, *, is_labels: bool = False) -> Conversion | None:
    """What turns elements into integers or floats of up to 64 bits; None if they are.

    Numbers that are packed or have missing values become values and NaN, as CF and xarray say. Complex numbers become
    their magnitude.
    """
    dtype = array.dtype
    if dtype.kind == "b":
        return Conversion(np.dtype(np.uint8), lambda found: found.view(np.uint8))
    if is_small_number(dtype):
        wide = np.dtype(np.int8 if _is_whole(dtype) else np.float32)
        return Conversion(wide, lambda found: found.astype(wide))
    if dtype.kind == "c":
        return Conversion(np.dtype(f"f{dtype.itemsize // 2}"), np.abs)
    if dtype.kind == "f" and dtype.itemsize > 8:
        return Conversion(np.dtype(np.float64), lambda found: found.astype(np.float64))
    packing = None if is_labels else packing_of(array) or _packing_of_nexus(array)
    return None if packing is None else _unpacking(packing, dtype)


def _packing_of_nexus(array: Any) -> Packing | None:
    scaling = scaling_of(array, array.hierarchy.node) if array.dtype.kind in "iuf" else None
    return None if scaling is None else Packing(*scaling)


def _is_whole(dtype: np.dtype[Any]) -> bool:
    return "int" in dtype.name


def _unpacking(packing: Packing, dtype: np.dtype[Any]) -> Conversion:
    # As in xarray, float32 holds the numbers of 16 bits, which pictures mostly are.
    wide = np.dtype(np.float32 if dtype.itemsize <= 2 or dtype == np.float32 else np.float64)

    def unpacked(stored: AnyArray) -> AnyArray:
        return packing.unpacked(stored).astype(wide, copy=False)

    return Conversion(wide, unpacked)
