"""Colour maps, by their names in the cmap catalogue: a short list for the menu, and all others."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

LABELS = "labels"
"""Not in the catalogue: one colour per integer, very different from those of its neighbours."""

CYCLIC = "cmocean:phase"
DIVERGING = "colorbrewer:RdBu_r"

COLOUR_MAPS: dict[str, str] = {
    "gray": "Grey",
    "gray_r": "Grey, inverted",
    "viridis": "Viridis",
    "magma": "Magma",
    "inferno": "Inferno",
    "cividis": "Cividis",
    "turbo": "Turbo",
    "cmocean:ice": "Ice",
    "cmocean:thermal": "Thermal",
    "matplotlib:coolwarm": "Cool to warm",
    DIVERGING: "Blue to red",
    CYCLIC: "Cyclic",
    LABELS: "Labels",
}
"""Catalogue name → title in the menu: two greys, five perceptually uniform or common ones, two of cmocean,
two diverging, one cyclic, one for labels."""


@lru_cache(maxsize=64)
def lookup_table(name: str) -> NDArray[np.uint8]:
    """256 colours, RGB, shape (256, 3); grey where ``name`` is not known."""
    if name == LABELS:
        return _label_colours()
    from cmap import Colormap  # late: saves 50 ms before the window shows

    try:
        colours = Colormap(name).lut(256)
    except ValueError:
        colours = Colormap("gray").lut(256)
    return np.ascontiguousarray((colours[:, :3] * 255).round().astype(np.uint8))


@lru_cache(maxsize=1)
def catalogue() -> dict[str, str]:
    """The category of every colour map by name: ``sequential``, ``diverging`` and so on."""
    from cmap import Catalog

    every = Catalog()
    found = {name: str(every[name].category) for name in every.unique_keys()}
    return dict(sorted(found.items(), key=lambda item: (item[1], item[0].lower())))


def title_of(name: str) -> str:
    """The title of a colour map."""
    return COLOUR_MAPS.get(name) or name.rpartition(":")[2]


def is_known(name: str) -> bool:
    """Whether the colour map exists."""
    return name in COLOUR_MAPS or name in catalogue()


def _label_colours() -> NDArray[np.uint8]:
    """256 colours in order of hue, with four alternating intensities: bright on a dark background, never grey."""
    turn = np.arange(256)
    hue, strong, light = (
        turn / 256 * 6,
        np.array([0.95, 0.6, 0.8, 0.45])[turn % 4],
        np.array([1.0, 0.8])[turn % 2],
    )
    channels = [np.clip(np.abs((hue + shift) % 6 - 3) - 1, 0, 1) for shift in (0.0, 4.0, 2.0)]
    colours = np.stack([(1 - strong * (1 - channel)) * light for channel in channels], axis=1)
    return np.ascontiguousarray((colours * 255).round().astype(np.uint8))
