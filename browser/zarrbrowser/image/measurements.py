"""Numbers along a line of a plane, from the finest level that may be read without asking."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zarrbrowser.image.levels import Colour, Image
from zarrbrowser.image.tiles.frames import View, window_of
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES
from zarrcore.typing import AnyArray

Point = tuple[float, float]
"""Down and to the right, in elements of the base."""

_PRIMARIES: tuple[tuple[str, Colour | None], ...] = (
    ("red", (224, 49, 49)),
    ("green", (47, 158, 68)),
    ("blue", (28, 126, 214)),
)


@dataclass(frozen=True, slots=True)
class ProfileCurve:
    """Numbers of one channel along a line, or an axis."""

    numbers: AnyArray
    """NaN for missing elements."""
    channel: str = ""
    """Its name; empty without blending."""
    colour: Colour | None = None
    """None without blending."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Numbers along a line."""

    distances: AnyArray
    """Distances from the start, in units of the axes if they have any, else in elements."""
    curves: tuple[ProfileCurve, ...]
    """One for each channel that is shown, and at least one."""
    units: str
    level: int

    @property
    def numbers(self) -> AnyArray:
        """The numbers of the first channel."""
        return self.curves[0].numbers


def read_profile(
    image: Image,
    settings: ViewSettings,
    start: Point,
    end: Point,
    cancelled: Callable[[], bool] | None = None,
) -> Profile:
    """Numbers along a line: one per element of its length, each from the nearest element.

    Raises:
        ReadCancelledError: ``cancelled`` became true.
        ZarrError: a chunk cannot be read or decoded.
    """
    pairs = [[math.floor(one + 0.5) for one in pair] for pair in zip(start, end, strict=True)]
    box = [(min(pair) - 0.25, max(pair) + 0.25) for pair in pairs]
    parts, raster, window, level = _read(image, settings, box, cancelled)
    ends = [[raster.to_sample(side, point[side]) for side in (0, 1)] for point in (start, end)]
    # The ends come from the screen, whose rounding must not add a step to a whole length.
    steps = math.ceil(math.dist(*ends) - 1e-6)
    share = np.linspace(0.0, 1.0, steps + 1)
    places = []
    for side in (0, 1):
        along = ends[0][side] + share * (ends[1][side] - ends[0][side])
        nearest = np.floor(along + 0.5).astype(np.int64) - window[side].start
        places.append(np.clip(nearest, 0, max(0, window[side].stop - window[side].start - 1)))
    distance, units = _distance(image, settings, start, end)
    curves = []
    for numbers, name, colour in parts:
        found = numbers[places[0], places[1]].astype(np.float64) if numbers.size else np.empty(0)
        curves.append(ProfileCurve(found, name, colour))
    return Profile(share[: curves[0].numbers.size] * distance, tuple(curves), units, level)


def _read(
    image: Image, settings: ViewSettings, box: list[Point], cancelled: Callable[[], bool] | None
) -> tuple[list[tuple[AnyArray, str, Colour | None]], Raster, tuple[slice, slice], int]:
    """Numbers of a box for each channel, NaN for fill and missing values, and the array that they come from."""
    planes, image = settings.planes(image), settings.drawn_image(image)
    for number, level in enumerate(image.levels):
        rasters = [Raster.of(level, axes) for axes in planes]
        window = window_of(rasters[0], View(box[0], box[1], 1, 1))
        nbytes = sum(raster.cost(raster.tiles(window)).nbytes for raster in rasters)
        if nbytes <= ASK_ABOVE_BYTES or number == len(image.levels) - 1:
            break
    names = channels_shown(settings)
    if rasters[0].channel is not None:
        values = rasters[0].read(window, cancelled)
        parts = [
            (settings.drawn_elements(rasters[0]).known(values[..., position]), *name)
            for position, name in enumerate(names)
        ]
        return parts, rasters[0], window, number
    found = [
        (settings.drawn_elements(raster).known(raster.read(window, cancelled)), *name)
        for raster, name in zip(rasters, names, strict=True)
    ]
    return found, rasters[0], window, number


def channels_shown(settings: ViewSettings) -> list[tuple[str, Colour | None]]:
    """The name and the colour of each channel of a picture; one without either if it has no channels."""
    if settings.axes.channel is not None:
        return list(_PRIMARIES)
    shown = [settings.channels[position] for position in settings.channels_on] if settings.is_blended else []
    return [(one.channel.name, one.colour) for one in shown] or [("", None)]


def _distance(image: Image, settings: ViewSettings, start: Point, end: Point) -> tuple[float, str]:
    """The length of a line, in units if both axes have the same one."""
    axes = (settings.axes.rows, settings.axes.columns)
    lengths = [b - a for a, b in zip(start, end, strict=True)]
    if image.has_scale and image.units and image.units[axes[0]] == image.units[axes[1]]:
        spaced = (length * image.spacing[axis] for length, axis in zip(lengths, axes, strict=True))
        return math.hypot(*spaced), image.units[axes[0]]
    return math.hypot(*lengths), ""
