"""The graticule: lines of longitude and latitude at round degrees, with labels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from zarrbrowser.maps.drawing import drawn
from zarrbrowser.maps.geography import PlaneMap
from zarrbrowser.maps.lines import EarthLines, PlaneLines, joined
from zarrcore.typing import AnyArray

_STEPS = (10.0, 20.0, 30.0, 60.0, 90.0)
"""Degrees between lines; smaller ones are 1, 2 and 5 times a power of ten."""
_SMALLEST = 1e-6
_APART_PX = 110.0
"""The distance between lines, as a rule."""
_MOST_LINES = 60
_POINTS = 121
"""Points of a line: curves look smooth."""
_SAMPLES = 25
"""Places per side of the part in view, whose longitudes and latitudes are looked at."""
_WHOLE_GAP = 90.0
"""Longitudes without a larger gap go all around a pole."""


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a line, at a place on it."""

    row: float
    column: float
    text: str
    is_meridian: bool


@dataclass(frozen=True, slots=True, eq=False)
class Graticule:
    """Lines, and their labels."""

    lines: PlaneLines
    labels: tuple[Label, ...]


Rect = tuple[float, float, float, float]
"""Top, left, bottom, right, in elements."""


def graticule(
    plane: PlaneMap, rect: Rect, pixels: tuple[float, float], flips: tuple[bool, bool] = (False, False)
) -> Graticule:
    """The lines in a part of a plane.

    Args:
        rect: the part, inside the plane.
        pixels: its height and width on the screen.
        flips: whether rows run up, and columns to the left: labels of meridians are at the lower edge, others at the left one.
    """
    nothing = Graticule(joined(()), ())
    extent = _extent(plane, rect)
    if extent is None:
        return nothing
    (west, east), (south, north) = extent
    height, width = (max(1.0, side) for side in pixels)
    lines_right, lines_down = max(2.0, width / _APART_PX), max(2.0, height / _APART_PX)
    meridian_step, parallel_step = _step((east - west) / lines_right), _step((north - south) / lines_down)
    if plane.is_plain:  # the same step for both where they have the same scale
        meridian_step = parallel_step = max(meridian_step, parallel_step)
    meridians = _round(west, east, meridian_step)
    parallels = [value for value in _round(south, north, parallel_step) if abs(value) < 90]
    found, labels = [], []
    for is_meridian, values in ((True, meridians), (False, parallels)):
        for value in values:
            line = _line(value, (south, north) if is_meridian else (west, east), is_meridian=is_meridian)
            on_plane = drawn(line, plane)
            found.append(on_plane)
            text = (
                longitude_text(value, meridian_step) if is_meridian else latitude_text(value, parallel_step)
            )
            labels += _labels(on_plane, rect, flips, text, is_meridian=is_meridian)
    return Graticule(joined(found), tuple(labels))


def longitude_text(value: float, step: float = 1.0) -> str:
    """A longitude with the digits that a step needs.

    >>> longitude_text(200, 10), longitude_text(-180, 10), longitude_text(0.5, 0.5)
    ('160°W', '180°', '0.5°E')
    """
    value = (value + 180.0) % 360.0 - 180.0
    if abs(abs(value) - 180.0) < _SMALLEST or abs(value) < _SMALLEST:
        return f"{abs(value):.0f}°"
    return f"{abs(value):.{_digits(step)}f}°{'E' if value > 0 else 'W'}"


def latitude_text(value: float, step: float = 1.0) -> str:
    """A latitude with the digits that a step needs."""
    if abs(value) < _SMALLEST:
        return "0°"
    return f"{abs(value):.{_digits(step)}f}°{'N' if value > 0 else 'S'}"


def _digits(step: float) -> int:
    return max(0, -math.floor(math.log10(step) + 1e-9))


def _step(wanted: float) -> float:
    """The round step nearest to a wanted one, by their ratio."""
    wanted = max(wanted, _SMALLEST)
    power = 10.0 ** math.floor(math.log10(wanted))
    small = [factor * power for factor in (1, 2, 5, 10) if factor * power <= _STEPS[0]]
    return min((*small, *_STEPS), key=lambda step: abs(math.log(step / wanted)))


def _round(low: float, high: float, step: float) -> list[float]:
    """The multiples of a step between two numbers."""
    numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [number * step for number in numbers[:_MOST_LINES]]


def _line(value: float, ends: tuple[float, float], *, is_meridian: bool) -> EarthLines:
    along, fixed = np.linspace(*ends, _POINTS), np.full(_POINTS, value)
    connected = np.ones(_POINTS, bool)
    connected[-1] = False
    longitudes, latitudes = (fixed, along) if is_meridian else (along, fixed)
    return EarthLines(longitudes, latitudes, connected)


def _extent(plane: PlaneMap, rect: Rect) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The longitudes and the latitudes of a part of a plane."""
    top, left, bottom, right = rect
    if not (bottom > top and right > left):
        return None
    rows, columns = np.meshgrid(np.linspace(top, bottom, _SAMPLES), np.linspace(left, right, _SAMPLES))
    longitudes, latitudes = (one.ravel() for one in plane.to_earth(rows.ravel(), columns.ravel()))
    known = np.isfinite(longitudes) & np.isfinite(latitudes) & (np.abs(latitudes) < 1e6)
    if not known.any():
        return None
    longitudes, latitudes = longitudes[known], latitudes[known]
    south, north = max(-90.0, float(latitudes.min())), min(90.0, float(latitudes.max()))
    if south >= north:
        return None
    if plane.is_plain:
        return (float(longitudes.min()), float(longitudes.max())), (south, north)
    west, east = _arc(longitudes)
    if east - west >= 360.0:  # a pole is in view
        south, north = (south, 90.0) if south + north > 0 else (-90.0, north)
    return (west, east), (south, north)


def _arc(longitudes: AnyArray) -> tuple[float, float]:
    """The shortest interval with all longitudes, which may go beyond 180; all of them if no large gap is left."""
    ordered = np.sort(longitudes % 360.0)
    gaps = np.diff(np.append(ordered, ordered[0] + 360.0))
    widest = int(np.argmax(gaps))
    if gaps[widest] < _WHOLE_GAP:
        return -180.0, 180.0
    west = float(ordered[(widest + 1) % ordered.size])
    return west, west + 360.0 - float(gaps[widest])


def _labels(
    line: PlaneLines, rect: Rect, flips: tuple[bool, bool], text: str, *, is_meridian: bool
) -> list[Label]:
    """The label of a line, where it is nearest to the lower edge (a meridian) or to the left one."""
    top, left, bottom, right = rect
    with np.errstate(invalid="ignore"):
        inside = (line.rows >= top) & (line.rows <= bottom) & (line.columns >= left) & (line.columns <= right)
    at = np.flatnonzero(inside)
    if not at.size:
        return []
    values, is_flipped = (line.rows[at], flips[0]) if is_meridian else (-line.columns[at], flips[1])
    best = at[int(np.argmax(-values if is_flipped else values))]
    return [Label(float(line.rows[best]), float(line.columns[best]), text, is_meridian)]
