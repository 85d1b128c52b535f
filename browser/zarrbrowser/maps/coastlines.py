"""The coastlines of the world, at two scales. coastlines.txt beside this module says where they come from."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from importlib.resources import files

import numpy as np

from zarrbrowser.maps.lines import EarthLines

_FINE_BELOW = 0.09
"""Degrees per pixel below which the coarse lines look angular."""


class Scale(Enum):
    """How fine the lines are."""

    COARSE = "110m"
    FINE = "50m"


def scale_for(degrees_per_pixel: float) -> Scale:
    """The scale to draw at this zoom."""
    return Scale.FINE if degrees_per_pixel < _FINE_BELOW else Scale.COARSE


@lru_cache(maxsize=2)
def coastlines(scale: Scale) -> EarthLines:
    """The coastlines at a scale; lines that cross the antimeridian go on beyond 180 or −180 degrees."""
    with (
        (files("zarrbrowser.maps") / "coastlines.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as stored,
    ):
        starts, lengths, steps = (stored[f"{scale.value}_{name}"] for name in ("starts", "lengths", "steps"))
        per_degree = float(stored["per_degree"])
    parts = np.split(steps, np.cumsum(lengths - 1)[:-1])
    lines = [np.cumsum([start, *part], axis=0) for start, part in zip(starts, parts, strict=True)]
    degrees = np.concatenate(lines) / per_degree
    connected = np.ones(len(degrees), bool)
    connected[np.cumsum(lengths) - 1] = False
    return EarthLines(degrees[:, 0], degrees[:, 1], connected)
