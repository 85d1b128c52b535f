"""A one-dimensional array, and its outline at the resolution of the screen."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.plot.error_bars import MOST_BARS, Bars, Uncertainties, logarithms, read_uncertainties
from zarrbrowser.plot.places import Places
from zarrbrowser.values.elements import Elements
from zarrbrowser.values.numbers import DRAWABLE, MOST_DATES, drawable, finite, from_offset, is_long, origin_of
from zarrbrowser.values.quantities import count
from zarrcore.typing import AnyArray


@dataclass(frozen=True, slots=True)
class SeriesRequest:
    """All elements of a one-dimensional array, and how they become numbers."""

    array: ArrayLike
    elements: Elements = field(default_factory=Elements)
    find: Callable[[str], Any] | None = None
    """Opens the node at a path, for the uncertainties of the elements; None to look for none."""

    def cost(self) -> ReadCost:
        """The number of chunks to decode, and their bytes."""
        length = max(1, self.array.inner_chunk_shape[0])
        chunks = math.ceil(self.array.shape[0] / length)
        return ReadCost(chunks, chunks * length * self.array.dtype.itemsize)


@dataclass(frozen=True, slots=True)
class Series:
    """Elements that were read, and the numbers drawn for them, or the logarithms of these."""

    request: SeriesRequest
    values: AnyArray
    numbers: AnyArray
    extremes: tuple[float, float]
    """Extremes of the finite numbers; 0 and 1 if there are none."""
    elapsed_s: float
    is_log: bool = False
    """Whether the numbers are logarithms."""
    offset: int = 0
    """The integer or the count of dates that the numbers are relative to: not 0 if floats cannot represent them exactly."""
    not_positive: int = 0
    """How many numbers are 0 or negative and have no logarithm; 0 unless the numbers are logarithms."""
    uncertainties: Uncertainties = field(default_factory=Uncertainties)
    bars: Bars | None = None
    """The ends of the error bars of the numbers."""
    missing: int = 0
    """How many elements are missing: the line has gaps there."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A line that looks as if every element had been drawn."""

    x: AnyArray
    y: AnyArray
    per_pixel: int
    """The number of elements per pair of points; 1 if every element is drawn."""
    elements: AnyArray | None = None
    """The positions of the elements, if every element is drawn."""


def read_series(
    request: SeriesRequest, cancelled: Callable[[], bool] = lambda: False, *, is_log: bool = False
) -> Series:
    """Read the array.

    Args:
        is_log: whether logarithms are drawn.

    Raises:
        ReadCancelledError: ``cancelled`` became true.
        ZarrError: a chunk cannot be read or decoded.
    """
    started = time.perf_counter()
    values = request.array.read(..., cancelled=cancelled)
    uncertainties = Uncertainties()
    if request.find is not None:
        uncertainties = read_uncertainties(request.array, request.find, cancelled)
    return _series(request, values, time.perf_counter() - started, is_log, uncertainties)


def other_numbers(series: Series, elements: Elements, *, is_log: bool = False) -> Series:
    """Other numbers of the same elements; slow for many elements."""
    request = replace(series.request, elements=elements)
    return _series(request, series.values, series.elapsed_s, is_log, series.uncertainties)


def _series(
    request: SeriesRequest, values: AnyArray, elapsed_s: float, is_log: bool, uncertainties: Uncertainties
) -> Series:
    numbers = request.elements.known(values)
    missing = int(np.count_nonzero(np.isnan(numbers)))
    bars = None
    if uncertainties.deviations is not None and _are_stored(request.elements, values):
        bars = Bars.of(numbers, uncertainties.deviations, is_log=is_log)
    offset = not_positive = 0
    if is_log:
        not_positive = int(np.count_nonzero(numbers <= 0))
        numbers = logarithms(numbers)
    elif (dates := request.elements.of(values)).dtype.kind == "M":
        offset = origin_of([dates[~np.isnat(dates)].view(np.int64)], MOST_DATES)
        if offset:
            numbers = np.where(np.isnat(dates), np.nan, from_offset(dates.view(np.int64), offset))
    elif is_long(numbers) and (offset := origin_of([numbers])):
        numbers = from_offset(numbers, offset)
    if offset:
        bars = None
    extremes = extremes_of(numbers if bars is None else np.concatenate([numbers, *bars.ends_in_view]))
    return Series(
        request,
        values,
        numbers,
        extremes,
        elapsed_s,
        is_log,
        offset,
        not_positive,
        uncertainties,
        bars,
        missing,
    )


def _are_stored(elements: Elements, values: AnyArray) -> bool:
    """Whether real numbers are drawn as they are stored: of numbers with a factor, nothing says whether their errors have it."""
    packing = elements.packing
    is_plain = values.dtype.kind in "iuf" and elements.field is None
    return is_plain and (packing is None or not packing.is_packed)


def left_out_text(series: Series, *, is_log_x: bool, places: Places | None = None) -> str:
    """What the plot does not show, to be added to the number of elements; empty if it shows everything."""
    parts = []
    if series.missing:
        parts.append(f"without {count(series.missing, 'missing value')}")
    if series.not_positive:
        parts.append(f"the logarithmic axis leaves out {count(series.not_positive, 'value')} ≤ 0")
    if places is not None and places.left_out:
        parts.append(f"the logarithmic axis leaves out {count(places.left_out, 'coordinate')} ≤ 0")
    if is_log_x and series.numbers.size and places is None:
        parts.append("the logarithmic axis leaves out position 0")
    return "".join(f" · {part}" for part in parts)


def extremes_of(numbers: AnyArray) -> tuple[float, float]:
    """The smallest and the largest finite number; 0 and 1 if there is none."""
    known = finite(numbers)
    return (drawable(float(known.min())), drawable(float(known.max()))) if known.size else (0.0, 1.0)


def outline(numbers: AnyArray, low: float, high: float, pixels: int) -> Outline:
    """Minimum and maximum per pixel of ``[low, high]``, in the order a pen would draw them.

    Unlike every n-th element, this keeps all extremes; a pixel whose elements are all NaN is a gap.
    """
    start = min(max(0, math.floor(low)), numbers.size)
    stop = max(start, min(numbers.size, math.ceil(high) + 1))
    per_pixel = max(1, (stop - start) // max(1, pixels))
    if per_pixel == 1:
        x = np.arange(start, stop)
        return Outline(x, _within(numbers[start:stop].astype(np.float64)), 1, x)
    start -= start % per_pixel  # buckets are fixed while panning, or the line would flicker
    whole = (stop - start) // per_pixel
    buckets = numbers[start : start + whole * per_pixel].reshape(whole, per_pixel)
    x = np.repeat(start + np.arange(whole) * float(per_pixel) + (per_pixel - 1) / 2, 2)
    y = np.empty(2 * whole)
    # fmin and fmax ignore NaN unless all elements are NaN.
    y[0::2] = np.fmin.reduce(buckets, axis=1, keepdims=True)[:, 0]
    y[1::2] = np.fmax.reduce(buckets, axis=1, keepdims=True)[:, 0]
    tail = numbers[start + whole * per_pixel : stop].astype(np.float64)
    return Outline(
        np.concatenate([x, np.arange(stop - tail.size, stop)]), _within(np.concatenate([y, tail])), per_pixel
    )


def log_outline(numbers: AnyArray, low: float, high: float, pixels: int) -> Outline:
    """Like `outline`, along a logarithmic axis: ``x``, ``low`` and ``high`` are exponents of ten.

    Element 0 is left out: it has no logarithm.
    """
    start = min(max(1, math.floor(10.0 ** min(max(low, 0.0), 18.0))), numbers.size)
    stop = max(start, min(numbers.size, math.ceil(10.0 ** min(max(high, 0.0), 18.0)) + 1))
    if stop - start <= 2 * pixels:
        x = np.arange(start, stop)
        return Outline(np.log10(x), _within(numbers[start:stop].astype(np.float64)), 1, x)
    edges = np.unique(np.geomspace(start, stop, pixels + 1).astype(np.int64))[:-1]
    y = np.empty(2 * edges.size)
    part = numbers[start:stop]
    y[0::2] = np.fmin.reduceat(part, edges - start)
    y[1::2] = np.fmax.reduceat(part, edges - start)
    return Outline(np.repeat(np.log10(edges), 2), _within(y), max(1, (stop - int(edges[-1]))))


def outline_at(places: Places, numbers: AnyArray, low: float, high: float, pixels: int) -> Outline:
    """Like `outline`, where elements have places, or the logarithms of these."""
    start, stop = places.between(low, high)
    elements = places.elements[start:stop]
    at, part = places.at[start:stop], numbers[elements].astype(np.float64)
    if part.size <= 2 * pixels:
        return Outline(at, _within(part), 1, elements)
    edges = np.unique([0, *np.searchsorted(at, np.linspace(low, high, pixels + 1)[:-1])])
    edges = edges[edges < part.size]
    y = np.empty(2 * edges.size)
    y[0::2] = np.fmin.reduceat(part, edges)
    y[1::2] = np.fmax.reduceat(part, edges)
    return Outline(np.repeat(at[edges], 2), _within(y), max(2, int(np.diff(edges, append=part.size).max())))


def bars_along(bars: Bars | None, line: Outline) -> tuple[AnyArray, AnyArray] | None:
    """The error bars along a line, as one line with gaps; None if there are none, or if they would cover it."""
    if bars is None or line.elements is None or not 0 < line.x.size <= MOST_BARS:
        return None
    x, y = bars.lines(line.x, line.elements)
    return (
        (x, _within(y)) if np.isfinite(y).any() else None
    )  # Qt aborts when it draws points without coordinates


def _within(y: AnyArray) -> AnyArray:
    """Numbers clipped to the range that can be drawn, except infinite ones, which are gaps in the line."""
    return np.where(np.isinf(y), y, np.clip(y, -DRAWABLE, DRAWABLE))
