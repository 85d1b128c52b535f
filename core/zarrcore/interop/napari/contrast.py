"""Limits of contrast for images whose metadata state none.

napari would take those of position 0 along all sliders, which is often dark, and then shows the middle.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from zarrcore.errors import ZarrError
from zarrcore.interop.napari.layer_data import LayerData
from zarrcore.interop.napari.lazy_array import LazyArray

_MOST: Final = 2048
"""Rows and columns that are read at most."""


def with_contrast(layer: LayerData) -> LayerData:
    """A layer with limits of contrast, if it is a visible image without."""
    data, told, kind = layer
    if kind != "image" or told["rgb"] or "contrast_limits" in told or not told.get("visible", True):
        return layer
    limits = contrast_limits(data[-1] if told["multiscale"] else data)
    return (data, {**told, "contrast_limits": limits}, kind) if limits is not None else layer


def contrast_limits(coarsest: LazyArray) -> tuple[float, float] | None:
    """The extremes of the plane that napari shows first, or of the middle of a large one.

    None for bytes, which napari shows from 0 to 255, and for planes without two different numbers. Also for planes that cannot
    be read: napari reads them again and reports the error.
    """
    if coarsest.dtype == np.uint8:
        return None
    further, plane = coarsest.shape[:-2], coarsest.shape[-2:]
    key = (*((length - 1) // 2 for length in further), *map(_middle, plane))
    try:
        values = np.asarray(coarsest[key])
    except ZarrError:
        return None
    if values.dtype.kind == "f":
        values = values[np.isfinite(values)]
    if not values.size:
        return None
    low, high = float(values.min()), float(values.max())
    return (low, high) if low < high else None


def _middle(length: int) -> slice:
    most = min(length, _MOST)
    start = (length - most) // 2
    return slice(start, start + most)
