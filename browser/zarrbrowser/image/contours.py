"""Contour lines of the numbers of a plane, by marching squares: in each square of four samples, straight lines between its sides.

All squares of a level are looked up at once. Lines would hide a picture that is nearly noise, so those of means of
2 × 2 samples, or of more, are drawn there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zarrbrowser.image.colours.colour_maps import LABELS
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.colours.render import Style
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.tiles.frames import Mosaic
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.maps.drawing import drawn
from zarrbrowser.maps.geography import PlaneMap
from zarrbrowser.maps.lines import EarthLines, PlaneLines
from zarrbrowser.values.ticks import Tick, log_ticks, number_text, signed_log_ticks
from zarrcore.typing import AnyArray

_ABOUT = 8
"""Levels between the first and the last colour."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_LOG_DECADES = 6
"""The decades below an upper bound that are looked at if no number is positive."""
_MOST_SAMPLES = 2**20
_MOST_SEGMENTS = 100_000
"""More straight lines would hide the picture, and take seconds to draw."""
_MOST_LABELS = 60
_LONG = 0.12
"""Lines that are shorter than this share of the view have no label."""
_ROUND_WITHIN = 0.1
"""Longitudes that span 360° with this error go around the Earth once."""

Rect = tuple[float, float, float, float]
"""Top, left, bottom, right, in elements."""


@dataclass(frozen=True, slots=True)
class ContourLabel:
    """The number of a line, at a place on it."""

    row: float
    column: float
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Contours:
    """The lines of each level, in elements of a plane."""

    levels: tuple[tuple[str, PlaneLines], ...] = ()
    """The number of each level, and its lines."""

    def on_map(self, plane: PlaneMap, chart: PlaneMap) -> Contours:
        """The lines of a plane on its map in a projection."""
        return Contours(tuple((text, _projected(lines, plane, chart)) for text, lines in self.levels))

    def labels(self, rect: Rect) -> tuple[ContourLabel, ...]:
        """A label for each line that is long in a part of the plane, the longest first."""
        top, left, bottom, right = rect
        found = []
        for text, lines in self.levels:
            inside = (lines.rows > top) & (lines.rows < bottom)
            inside &= (lines.columns > left) & (lines.columns < right)
            ends = np.flatnonzero(~lines.connected) + 1
            starts = np.append(0, ends[:-1])
            for number in np.argsort(starts - ends, kind="stable")[:_MOST_LABELS].tolist():
                at = starts[number] + np.flatnonzero(inside[starts[number] : ends[number]])
                if at.size < 2:
                    continue
                down, along = (
                    np.ptp(lines.rows[at]) / (bottom - top),
                    np.ptp(lines.columns[at]) / (right - left),
                )
                middle = at[at.size // 2]
                label = ContourLabel(float(lines.rows[middle]), float(lines.columns[middle]), text)
                found.append((max(float(down), float(along)), label))
        longest = sorted(found, key=lambda one: -one[0])[:_MOST_LABELS]
        return tuple(label for length, label in longest if length >= _LONG)


NOTHING = Contours()


def may_contour(state: ImageState) -> bool:
    """Whether a picture can have contours: its colours are those of one number that has an order."""
    settings = state.settings
    is_labels = (settings.colour_map or state.colour_map) == LABELS
    is_labels = is_labels or ("flag_meanings" in state.image.base.attributes and not settings.is_derived)
    return not is_labels and not settings.is_blended and settings.axes.channel is None


def contours_of(
    settings: ViewSettings, mosaic: Mosaic, style: Style, plane: PlaneMap | None = None
) -> Contours:
    """The contours of what is drawn, at round numbers between the first and the last colour; takes up to half a second.

    They end at samples that are missing or not loaded.

    Args:
        plane: where the plane is on Earth, if that is known: around all of it, lines go on from the last column to the first.
    """
    raster, window = mosaic.raster, mosaic.window
    numbers = settings.drawn_elements(raster).known(mosaic.values).astype(np.float64)
    if mosaic.is_there is not None:
        numbers[~mosaic.is_there] = np.nan
    firsts, around = [part.start for part in window], None if plane is None else _around(plane)
    if around is not None and window[around] == slice(0, raster.shape[around]):
        numbers = np.pad(numbers, [(1, 1) if side == around else (0, 0) for side in (0, 1)], mode="wrap")
        firsts[around] -= 1
    ticks = contour_levels(style.norm, *style.levels)
    found = []
    for (_, text), lines in zip(ticks, contour_lines(numbers, [level for level, _ in ticks]), strict=True):
        places = []
        for side, values in enumerate((lines.rows, lines.columns)):
            first, second = (raster.to_base(side, firsts[side] + step) for step in (0, 1))
            places.append(first + (second - first) * values)
        found.append((text, PlaneLines(places[0], places[1], lines.connected)))
    return Contours(tuple(found))


def _around(plane: PlaneMap) -> int | None:
    """The side of a plane, rows (0) or columns (1), that goes around the Earth once; None if none does."""
    is_whole = plane.is_plain and abs(plane.far[1] - plane.far[0] - 360.0) <= _ROUND_WITHIN
    return (0 if plane.is_transposed else 1) if is_whole else None


def contour_levels(norm: Norm, low: float, high: float) -> list[Tick]:
    """About eight round numbers between two others, and their texts: powers of ten on a logarithmic scale.

    >>> [text for _, text in contour_levels(Norm.LINEAR, 240, 300)]
    ['250', '260', '270', '280', '290']
    >>> [text for _, text in contour_levels(Norm.LOG, 0.5, 2000)]
    ['1', '10', '100', '1,000']
    """
    low, high = float(low), float(high)
    if not math.isfinite(high - low) or not high - low > 1e-12 * max(abs(low), abs(high)):
        return []
    if norm is Norm.LOG and high > 0:
        least = low if low > 0 else high * 10.0**-_LOG_DECADES
        found = [(10.0**at, text) for at, text in log_ticks(math.log10(least), math.log10(high), _ABOUT)]
    elif norm is Norm.SYMLOG:
        found = signed_log_ticks(low, high)
    else:
        wanted = (high - low) / _ABOUT
        power = 10.0 ** math.floor(math.log10(wanted))
        step = min((one * power for one in _STEPS), key=lambda one: abs(math.log(one / wanted)))
        found = [
            (number * step, number_text(number * step, step))
            for number in range(math.ceil(low / step), math.floor(high / step) + 1)
        ]
    return sorted(tick for tick in found if low < tick[0] < high)


def contour_lines(numbers: AnyArray, levels: Sequence[float]) -> list[PlaneLines]:
    """The lines of each level through samples, in samples.

    Args:
        numbers: floats, shape (h, w); no line touches a square with one that is not finite.
    """
    size = 1  # of the blocks of samples whose means are looked at
    while True:
        is_least = min(numbers.shape) < 4
        if numbers.size <= _MOST_SAMPLES or is_least:
            crossed = [_crossed(numbers, level) for level in levels]
            if is_least or sum(squares.size for squares, _ in crossed) <= _MOST_SEGMENTS:
                break
        numbers, size = _halved(numbers), 2 * size
    found = []
    for level, (squares, codes) in zip(levels, crossed, strict=True):
        rows, columns, connected = _lines(numbers, level, squares, codes)
        middle = (size - 1) / 2
        found.append(PlaneLines(rows * size + middle, columns * size + middle, connected))
    return found


def _halved(numbers: AnyArray) -> AnyArray:
    """Means of 2 × 2 samples, of those that are known."""
    height, width = numbers.shape
    padded = np.pad(numbers, ((0, height % 2), (0, width % 2)), constant_values=np.nan)
    blocks = padded.reshape(padded.shape[0] // 2, 2, padded.shape[1] // 2, 2)
    is_known = np.isfinite(blocks)
    count = is_known.sum(axis=(1, 3))
    with np.errstate(over="ignore"):
        total = np.sum(blocks, axis=(1, 3), where=is_known)
    means: AnyArray = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
    return means


def _crossed(numbers: AnyArray, level: float) -> tuple[AnyArray, AnyArray]:
    """The squares that a level crosses, by the place of their upper left sample, and which of their corners are above it."""
    above = (numbers >= level).astype(np.uint8)
    unknown = ~np.isfinite(numbers)
    codes = above[:-1, :-1] | above[:-1, 1:] << 1 | above[1:, 1:] << 2 | above[1:, :-1] << 3
    codes[unknown[:-1, :-1] | unknown[:-1, 1:] | unknown[1:, 1:] | unknown[1:, :-1]] = 0
    rows, columns = np.nonzero((codes != 0) & (codes != 15))
    return rows * numbers.shape[1] + columns, codes[rows, columns]


def _ways() -> AnyArray:
    """The sides where lines enter and leave a square, shape (2, 16, 2, 2): by whether its middle is above, its code, line, end.

    Corner ``i`` and side ``i``, from that corner to the next, are counted clockwise from the upper left and the top.
    −1 stands for no line. Higher numbers are always on the same hand of a line, so that lines of neighbours follow each other.
    """
    ways = np.full((2, 16, 2, 2), -1)
    for middle, code in np.ndindex(2, 16):
        corners = [code >> corner & 1 for corner in range(4)]
        falls = [side for side in range(4) if corners[side] and not corners[(side + 1) % 4]]
        rises = [side for side in range(4) if not corners[side] and corners[(side + 1) % 4]]
        # Of two high and two low corners across from each other, the middle joins those on its side.
        turn = 1 if middle else -1
        for number, side in enumerate(falls):
            end = rises[0] if len(falls) == 1 else (side + turn) % 4
            ways[middle, code, number] = side, end
    return ways


_WAYS = _ways()


def _lines(
    numbers: AnyArray, level: float, squares: AnyArray, codes: AnyArray
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Rows, columns and connections of the points where lines cross the sides of squares."""
    width, flat = numbers.shape[1], numbers.ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        middles = sum(flat[squares + step] / 4 for step in (0, 1, width, width + 1))
        ways = _WAYS[(middles >= level).astype(np.int64), codes]
    # A side is twice the place of its first sample, and one more if it runs down.
    sides = np.stack([2 * squares, 2 * squares + 3, 2 * (squares + width), 2 * squares + 1], axis=-1)
    ends = np.concatenate(
        [np.take_along_axis(sides, ways[:, line], axis=1)[ways[:, line, 0] >= 0] for line in (0, 1)]
    )
    crossings, connected = _followed(ends[:, 0], ends[:, 1])
    places, is_down = crossings // 2, crossings % 2 == 1
    first, second = flat[places], flat[places + np.where(is_down, width, 1)]
    with np.errstate(over="ignore", invalid="ignore"):
        share = np.nan_to_num((level - first) / (second - first), nan=0.5)
    rows, columns = places // width, places % width
    return np.where(is_down, rows + share, rows), np.where(is_down, columns, columns + share), connected


def _followed(starts: AnyArray, ends: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The sides along each line, one line after another, and whether the line goes on after each."""
    order = np.argsort(starts)
    at = np.minimum(np.searchsorted(starts[order], ends), max(0, starts.size - 1))
    following = np.where(starts[order][at] == ends, order[at], -1) if starts.size else order
    is_first = np.ones(starts.size, bool)
    is_first[following[following >= 0]] = False
    after, begin, end = following.tolist(), starts.tolist(), ends.tolist()
    seen, found, connected = bytearray(starts.size), list[int](), list[bool]()
    for number in [*np.flatnonzero(is_first).tolist(), *range(starts.size)]:  # rings have no first one
        if seen[number]:
            continue
        one = last = number
        while one >= 0 and not seen[one]:
            seen[one] = 1
            found.append(begin[one])
            one, last = after[one], one
        connected += [True] * (len(found) - len(connected)) + [False]
        found.append(end[last])
    return np.array(found, np.int64), np.array(connected, bool)


def _projected(lines: PlaneLines, plane: PlaneMap, chart: PlaneMap) -> PlaneLines:
    if not lines.rows.size:
        return lines
    found = drawn(EarthLines(*plane.to_earth(lines.rows, lines.columns), lines.connected), chart)
    # A label is at a point of its line: points that the map does not show have no place.
    rows, columns = (np.where(np.isfinite(one), one, -math.inf) for one in (found.rows, found.columns))
    return PlaneLines(rows, columns, found.connected)
