"""A one-dimensional array, and its outline at the width of the screen."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zarrbrowser.session.nodes import AnyArray, ArrayLike
from zarrbrowser.session.picture import DRAWABLE, drawable, finite, numbers_of
from zarrbrowser.session.plane import Cost


@dataclass(frozen=True, slots=True)
class SeriesRequest:
    """All elements of an array with one axis, and the field of them where they are structures."""

    array: ArrayLike
    field: str | None = None

    def cost(self) -> Cost:
        """Chunks to decode, and their bytes."""
        length = max(1, self.array.inner_chunk_shape[0])
        chunks = math.ceil(self.array.shape[0] / length)
        return Cost(chunks, chunks * length * self.array.dtype.itemsize)


@dataclass(frozen=True, slots=True)
class Series:
    """Elements that were read, and the numbers drawn for them."""

    request: SeriesRequest
    values: AnyArray
    numbers: AnyArray
    extremes: tuple[float, float]
    """Of the finite numbers; 0 and 1 where there are none."""
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Outline:
    """A line that looks as if every element had been drawn."""

    x: AnyArray
    y: AnyArray
    per_pixel: int
    """How many elements each pair of points stands for; 1 where every element is drawn."""


def read_series(request: SeriesRequest, cancelled: Callable[[], bool] = lambda: False) -> Series:
    """Read the array.

    Raises:
        ReadCancelledError: ``cancelled`` became true.
        ZarrError: a chunk cannot be read or decoded.
    """
    started = time.perf_counter()
    values = request.array.read(..., cancelled=cancelled)
    if request.field is not None:
        values = values[request.field]
    numbers = numbers_of(values)
    known = finite(numbers)
    extremes = (drawable(float(known.min())), drawable(float(known.max()))) if known.size else (0.0, 1.0)
    return Series(request, values, numbers, extremes, time.perf_counter() - started)


def outline(numbers: AnyArray, low: float, high: float, pixels: int) -> Outline:
    """Minimum and maximum per pixel of ``[low, high]``, in the order a pen would draw them.

    No extreme is lost, as it would be by taking every n-th element; a pixel whose elements are all NaN is a gap.
    """
    start = min(max(0, math.floor(low)), numbers.size)
    stop = max(start, min(numbers.size, math.ceil(high) + 1))
    per_pixel = max(1, (stop - start) // max(1, pixels))
    if per_pixel == 1:
        return Outline(np.arange(start, stop), _within(numbers[start:stop].astype(np.float64)), 1)
    start -= start % per_pixel  # buckets stay put while panning, or the line would shimmer
    whole = (stop - start) // per_pixel
    buckets = numbers[start : start + whole * per_pixel].reshape(whole, per_pixel)
    x = np.repeat(start + np.arange(whole) * float(per_pixel) + (per_pixel - 1) / 2, 2)
    y = np.empty(2 * whole)
    # fmin and fmax pass over NaN, and give NaN only where there is nothing else.
    y[0::2] = np.fmin.reduce(buckets, axis=1)
    y[1::2] = np.fmax.reduce(buckets, axis=1)
    tail = numbers[start + whole * per_pixel : stop].astype(np.float64)
    return Outline(
        np.concatenate([x, np.arange(stop - tail.size, stop)]), _within(np.concatenate([y, tail])), per_pixel
    )


def _within(y: AnyArray) -> AnyArray:
    """Infinite numbers stay, and are gaps in the line; others are held where they can be drawn."""
    return np.where(np.isinf(y), y, np.clip(y, -DRAWABLE, DRAWABLE))
