"""The colour maps on offer: few, each for a purpose, by their names in the cmap catalogue."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

COLOUR_MAPS: dict[str, str] = {
    "gray": "Gray",
    "gray_r": "Gray, inverted",
    "viridis": "Viridis",
    "magma": "Magma",
    "inferno": "Inferno",
    "cividis": "Cividis",
    "turbo": "Turbo",
    "cmocean:ice": "Ice",
    "cmocean:thermal": "Thermal",
    "matplotlib:coolwarm": "Cool to warm",
    "colorbrewer:RdBu_r": "Blue to red",
    "cmocean:phase": "Cyclic",
}
"""Catalogue name → what the menu says: two grays, five that are even to the eye or familiar, two of one hue,
two that diverge from a middle, one that closes on itself."""


@lru_cache(maxsize=64)
def lookup_table(name: str) -> NDArray[np.uint8]:
    """256 colours, RGB, shape (256, 3); gray where ``name`` is not known."""
    from cmap import Colormap  # 50 ms that the window need not wait for

    colours = Colormap(name if name in COLOUR_MAPS else "gray").lut(256)
    return np.ascontiguousarray((colours[:, :3] * 255).round().astype(np.uint8))
