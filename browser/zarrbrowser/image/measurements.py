"""Numbers along a line and within a rectangle of a plane, from the finest level that may be read without asking."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zarrbrowser.image.levels import Image
from zarrbrowser.image.tiles.frames import View, window_of
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.nodes.protocols import AnyArray
from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES
from zarrbrowser.values.quantities import count, format_level

Point = tuple[float, float]
"""Down and to the right, in elements of the base."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Numbers along a line."""

    distances: AnyArray
    """Distances from the start, in units of the axes if they have any, else in elements."""
    numbers: AnyArray
    """NaN for missing elements."""
    units: str
    level: int
    channel: str = ""
    """The name of the first blended channel; empty without blending."""


@dataclass(frozen=True, slots=True)
class RegionFacts:
    """Statistics of the numbers in a rectangle; NaN if it has none."""

    rows: tuple[int, int]
    """First and one past the last, in elements of the level."""
    columns: tuple[int, int]
    size: int
    known: int
    """Elements that have a value."""
    minimum: float
    maximum: float
    mean: float
    deviation: float
    """Population standard deviation."""
    median: float
    total: float
    level: int
    channel: str = ""
    """The name of the first blended channel; empty without blending."""

    def text(self) -> str:
        """The statistics as one line of text."""
        height, width = self.rows[1] - self.rows[0], self.columns[1] - self.columns[0]
        of_channel = f"{self.channel}, " if self.channel else ""
        size = f"{of_channel}{height:,} × {width:,} = {count(self.size, 'element')}"
        without = f", {self.size - self.known:,} of them without a value" if self.known < self.size else ""
        coarse = f" of level {self.level}" if self.level else ""
        if not self.known:
            return f"{size}{coarse}{without}"
        facts = {
            "mean": f"{format_level(self.mean)} ± {format_level(self.deviation)}",
            "median": format_level(self.median),
            "min": format_level(self.minimum),
            "max": format_level(self.maximum),
            "sum": format_level(self.total),
        }
        return f"{size}{coarse}{without}:   " + "   ".join(f"{name} {value}" for name, value in facts.items())


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
    numbers, raster, window, level = _read(image, settings, box, cancelled)
    ends = [[raster.to_sample(side, point[side]) for side in (0, 1)] for point in (start, end)]
    steps = math.ceil(math.dist(*ends))
    share = np.linspace(0.0, 1.0, steps + 1)
    places = []
    for side in (0, 1):
        along = ends[0][side] + share * (ends[1][side] - ends[0][side])
        nearest = np.floor(along + 0.5).astype(np.int64) - window[side].start
        places.append(np.clip(nearest, 0, max(0, numbers.shape[side] - 1)))
    distance, units = _distance(image, settings, start, end)
    found = numbers[places[0], places[1]].astype(np.float64) if numbers.size else np.empty(0)
    return Profile(share[: found.size] * distance, found, units, level, _channel(settings))


def read_region(
    image: Image,
    settings: ViewSettings,
    rows: Point,
    columns: Point,
    cancelled: Callable[[], bool] | None = None,
) -> RegionFacts:
    """Statistics of the numbers within a rectangle.

    Args:
        rows: first and last position, down.
        columns: the same to the right.

    Raises:
        ReadCancelledError: ``cancelled`` became true.
        ZarrError: a chunk cannot be read or decoded.
    """
    # Half an element less on each side: elements that the rectangle only touches do not count.
    box = [(low + 0.499, high - 0.499) if high - low > 1 else (low, high) for low, high in (rows, columns)]
    numbers, _raster, window, level = _read(image, settings, box, cancelled)
    known = numbers[np.isfinite(numbers)] if numbers.dtype.kind == "f" else numbers.reshape(-1)
    wide = known.astype(np.float64)
    nothing = math.nan
    return RegionFacts(
        (window[0].start, window[0].stop),
        (window[1].start, window[1].stop),
        numbers.size,
        known.size,
        float(np.min(wide)) if wide.size else nothing,
        float(np.max(wide)) if wide.size else nothing,
        float(wide.mean()) if wide.size else nothing,
        float(wide.std()) if wide.size else nothing,
        float(np.median(wide)) if wide.size else nothing,
        float(wide.sum()) if wide.size else nothing,
        level,
        _channel(settings),
    )


def _channel(settings: ViewSettings) -> str:
    return settings.channels[settings.channels_on[0]].channel.name if settings.is_blended else ""


def _read(
    image: Image, settings: ViewSettings, box: list[Point], cancelled: Callable[[], bool] | None
) -> tuple[AnyArray, Raster, tuple[slice, slice], int]:
    """Numbers of a box, NaN for fill and missing values, and the array that they come from."""
    axes, image = settings.planes(image)[0], settings.drawn_image(image)
    for number, level in enumerate(image.levels):
        raster = Raster.of(level, axes)
        window = window_of(raster, View(box[0], box[1], 1, 1))
        cost = raster.cost(raster.tiles(window))
        if cost.nbytes <= ASK_ABOVE_BYTES or number == len(image.levels) - 1:
            break
    values = raster.read(window, cancelled)
    if raster.channel is not None:
        values = values[..., :3].mean(axis=2)
    return settings.drawn_elements(raster).known(values), raster, window, number


def _distance(image: Image, settings: ViewSettings, start: Point, end: Point) -> tuple[float, str]:
    """The length of a line, in units if both axes have the same one."""
    axes = (settings.axes.rows, settings.axes.columns)
    lengths = [b - a for a, b in zip(start, end, strict=True)]
    if image.has_scale and image.units and image.units[axes[0]] == image.units[axes[1]]:
        spaced = (length * image.spacing[axis] for length, axis in zip(lengths, axes, strict=True))
        return math.hypot(*spaced), image.units[axes[0]]
    return math.hypot(*lengths), ""
