"""Curves of a plot at the resolution of the screen: lines, or points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.values.numbers import DRAWABLE, drawable, finite
from zarrcore.typing import AnyArray

LINE_COLOURS = ("#e8590c", "#1c7ed6", "#2f9e44", "#ae3ec9", "#f08c00", "#0c8599", "#e03131", "#868e96")
"""One for each line of a plot; no plot has more lines."""
MOST_SEGMENTS = 10_000
"""The most straight lines of a curve that runs to and fro: drawing more makes the window wait."""
FEW_POINTS = 200
"""Up to this number, the points of a line are marked, too."""
_LEAST_OPACITY = 150
"""Of a pixel that one point of a dense plot covers, of 255."""
_SLAB = 1_000_000
"""Points that are handled at a time, to bound the memory."""

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class View:
    """The part of a plot on the screen, and its size in pixels."""

    x: Range
    y: Range
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Polyline:
    """A line that looks as if all its points had been drawn; NaN is a gap."""

    x: AnyArray
    y: AnyArray
    marked: AnyArray
    """The indices of points to mark: all if there are few, and those that no line shows."""
    per_pixel: int = 1
    """The number of points per pair of points; 1 if every point in view is drawn."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of two columns."""

    name: str
    colour: str
    """As ``#rrggbb``."""
    x: AnyArray
    """Float64 without NaN."""
    y: AnyArray
    """Float64; NaN is a gap."""
    rows: AnyArray
    """The row of each point in the table."""
    is_ascending: bool
    """Whether ``x`` never falls."""

    @classmethod
    def of(cls, name: str, colour: str, x: AnyArray, y: AnyArray, rows: AnyArray) -> Curve:
        """A curve of the points that have a place; a number beyond `DRAWABLE` is none. The line has gaps at the others."""
        y = np.where((np.abs(x) <= DRAWABLE) & (np.abs(y) <= DRAWABLE), y, np.nan)
        # A point without a number across is a gap at the last place before it.
        places = np.where(np.abs(x) <= DRAWABLE, np.arange(x.size), -1)
        last = np.maximum.accumulate(places) if x.size else places
        kept = last >= 0
        x, y, rows = x[last[kept]], y[kept], rows[last[kept]]
        steps = np.diff(x)
        if steps.size and (steps <= 0).all():
            x, y, rows, steps = x[::-1], y[::-1], rows[::-1], -steps
        return cls(name, colour, x, y, rows, bool((steps >= 0).all()))

    @property
    def extremes(self) -> tuple[Range, Range] | None:
        """The smallest and the largest number across, and up, of the points; None without points."""
        known = np.isfinite(self.y)
        if not known.any():
            return None
        x, y = self.x[known], finite(self.y)
        return (float(x.min()), float(x.max())), (float(y.min()), float(y.max()))

    def line(self, view: View) -> Polyline | None:
        """The line within a view; None if it runs to and fro more often than can be drawn."""
        return self._outline(view) if self.is_ascending else self._path(view)

    def _outline(self, view: View) -> Polyline:
        """Minimum and maximum per pixel, in the order a pen would draw them: unlike every n-th point, it keeps extremes."""
        low, high = view.x
        start = max(0, int(np.searchsorted(self.x, low)) - 1)  # a line goes on beyond the view
        stop = min(self.x.size, int(np.searchsorted(self.x, high, "right")) + 1)
        x, y = self.x[start:stop], self.y[start:stop]
        if x.size <= 4 * view.width:
            return Polyline(x, y, _marked(x, y))
        step = (high - low) / view.width
        edges = (np.floor(low / step) + np.arange(view.width + 2)) * step  # the same ones while panning
        first = np.unique(np.concatenate(([0], np.searchsorted(x, edges))))
        first = first[first < x.size]
        last = np.append(first[1:], x.size) - 1
        # fmin and fmax ignore NaN unless all points are NaN.
        least, most = np.fmin.reduceat(y, first), np.fmax.reduceat(y, first)
        ends = np.stack((y[first], least, most, y[last]), axis=1)
        places = np.stack((x[first], x[first], x[first], x[last]), axis=1)
        # A line across pixels without points leads from the last point before them to the first one after them; a gap
        # between two pixels stays one.
        is_apart = (x[first[1:]] - x[last[:-1]] > step) | np.isnan(y[last[:-1]]) | np.isnan(y[first[1:]])
        kept = np.ones(ends.shape, bool)
        kept[:, 0], kept[:, 3] = np.append(False, is_apart), np.append(is_apart, False)
        across, up = places[kept], ends[kept]
        return Polyline(across, up, _alone(across, up), -(-x.size // first.size))

    def _path(self, view: View) -> Polyline | None:
        """All points, but for those on the pixel of the one before and those between others beyond the view."""
        across, up = _pixels(self.x, view.x, view.width), _pixels(self.y, view.y, view.height)
        is_gap = np.isnan(up)
        # A segment between two points beyond the same side of the view does not cross it.
        is_hidden = is_gap & _of_previous(is_gap)
        for beyond in (across < 0, across >= view.width, up < 0, up >= view.height):
            beyond |= is_gap
            is_hidden |= beyond & _of_previous(beyond) & _of_next(beyond) & ~is_gap
        is_inside = (across >= 0) & (across < view.width) & (up >= 0) & (up < view.height)
        is_same = np.zeros(self.x.size, bool)
        is_same[1:] = (across[1:] == across[:-1]) & (up[1:] == up[:-1])
        kept = np.flatnonzero(~is_hidden & ~(is_same & is_inside))
        if kept.size > MOST_SEGMENTS:
            return None
        return Polyline(self.x[kept], self.y[kept], _marked(self.x[kept], self.y[kept]))

    def thinned(self, view: View) -> tuple[AnyArray, AnyArray]:
        """One point for each pixel of a view that has some."""
        across, up = _pixels(self.x, view.x, view.width), _pixels(self.y, view.y, view.height)
        here = np.flatnonzero((across >= 0) & (across < view.width) & (up >= 0) & (up < view.height))
        _, first = np.unique(up[here] * view.width + across[here], return_index=True)
        chosen = here[np.sort(first)]
        return self.x[chosen], self.y[chosen]

    def nearest(self, place: tuple[float, float], view: View, *, is_across: bool) -> tuple[float, int] | None:
        """The distance of the nearest point in pixels, and its row in the table; None without points.

        Args:
            is_across: whether only the distance across counts.
        """
        if not self.x.size:
            return None
        distance = np.abs(self.x - place[0]) * (view.width / (view.x[1] - view.x[0]))
        if not is_across:
            up = (self.y - place[1]) * (view.height / (view.y[1] - view.y[0]))
            distance = np.where(np.isnan(up), np.inf, np.hypot(distance, up))
        found = int(np.argmin(distance))
        return float(distance[found]), int(self.rows[found])


def coverage(x: AnyArray, y: AnyArray, view: View, diameter: int) -> NDArray[np.float32]:
    """How many points cover each pixel of a view, as discs; shape (height, width), the lowest row first."""
    radius = diameter // 2
    height, width = view.height + 2 * radius, view.width + 2 * radius
    counts = np.zeros(height * width, np.int64)
    for start in range(0, x.size, _SLAB):
        across = _pixels(x[start : start + _SLAB], view.x, view.width) + radius
        up = _pixels(y[start : start + _SLAB], view.y, view.height) + radius
        inside = (across >= 0) & (across < width) & (up >= 0) & (up < height)  # not for NaN
        places = (up[inside] * width + across[inside]).astype(np.int64)
        counts += np.bincount(places, minlength=counts.size)
    # Each row of a disc is a run of pixels, and the sum of a run is a difference of running sums.
    sums = np.zeros((height, width + 1), np.float64)
    np.cumsum(counts.reshape(height, width), axis=1, out=sums[:, 1:])
    found = np.zeros((view.height, view.width))
    for down in range(-radius, radius + 1):
        half = math.isqrt(radius * radius - down * down + radius)
        rows = sums[radius + down : radius + down + view.height]
        left, right = radius - half, radius + half + 1
        found += rows[:, right : right + view.width] - rows[:, left : left + view.width]
    return found.astype(np.float32)


def dots(parts: Sequence[tuple[AnyArray, AnyArray, str]], view: View, diameter: int) -> NDArray[np.uint8]:
    """Points as a picture; pixels that more points cover are more opaque.

    Args:
        parts: ``x``, ``y`` and the colour (``#rrggbb``) of each curve; the last one is on top.
        view: what the picture shows.
        diameter: of a point, in pixels.

    Returns:
        Red, green, blue and opacity, shape (height, width, 4), the lowest row first.
    """
    picture = np.zeros((view.height, view.width, 4), np.uint8)
    for x, y, colour in parts:
        covered = coverage(x, y, view, diameter)
        is_covered = covered > 0
        if not is_covered.any():
            continue
        most = np.log1p(np.max(covered))
        opacity = _LEAST_OPACITY + (255 - _LEAST_OPACITY) * np.log1p(covered[is_covered]) / most
        below = picture[is_covered]
        share = (opacity / 255)[:, None]
        ground = below[:, 3:] / 255 * (1 - share)
        whole = share + ground
        mixed = (np.array(rgb(colour)) * share + below[:, :3] * ground) / whole
        picture[is_covered] = np.concatenate((mixed, 255 * whole), axis=1).round()
    return picture


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour.

    >>> rgb("#0b6e80")
    (11, 110, 128)
    """
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def fitting_range(curves: Sequence[Curve]) -> tuple[Range, Range]:
    """The ranges across and up that show all points, with a margin."""
    found = [one.extremes for one in curves]
    known = [one for one in found if one is not None]
    if not known:
        return (0.0, 1.0), (0.0, 1.0)
    ranges = []
    for side in (0, 1):
        low, high = min(one[side][0] for one in known), max(one[side][1] for one in known)
        least = 1e-11 * max(abs(low), abs(high))  # a narrower range has no distinct tick values
        if high - low <= least:
            half = max(0.5, 1e-3 * abs(low))
            low, high = low - half, high + half
        margin = 0.03 * (high - low)
        ranges.append((drawable(low - margin), drawable(high + margin)))
    return ranges[0], ranges[1]


def _marked(x: AnyArray, y: AnyArray) -> AnyArray:
    """The indices of points of a line to mark: all if there are few, otherwise those that no line shows."""
    return np.flatnonzero(np.isfinite(y)) if y.size <= FEW_POINTS else _alone(x, y)


def _alone(x: AnyArray, y: AnyArray) -> AnyArray:
    """The indices of points that no line shows: between gaps, where all others have the same place."""
    known = np.isfinite(y)
    run = np.cumsum(~known)  # the same number for points without a gap between them
    is_moved = known[1:] & known[:-1] & ((x[1:] != x[:-1]) | (y[1:] != y[:-1]))
    return np.flatnonzero(known & _of_previous(~known) & ~np.isin(run, run[1:][is_moved]))


def _of_previous(flags: AnyArray) -> AnyArray:
    """The flag of the point before each one; True for the first point."""
    return np.append(True, flags[:-1])


def _of_next(flags: AnyArray) -> AnyArray:
    """The flag of the point after each one; True for the last point."""
    return np.append(flags[1:], True)


def _pixels(numbers: AnyArray, ends: Range, pixels: int) -> AnyArray:
    """The pixels of numbers as floats, clipped not far beyond the ends; NaN stays."""
    with np.errstate(over="ignore", invalid="ignore"):
        places = np.floor((numbers - ends[0]) * (pixels / (ends[1] - ends[0])))
    return np.clip(places, -4.0 * pixels, 5.0 * pixels)
