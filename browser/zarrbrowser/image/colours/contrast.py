"""Contrast: the values with the darkest and the brightest colour of a picture."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.values.numbers import DRAWABLE, EXACT, drawable, finite, from_offset, is_long
from zarrcore.typing import AnyArray

SAMPLE_SIZE = 65_536
"""The number of elements sampled for percentiles and histogram: 0.4 % precision in a few milliseconds."""
PERCENTILES = (1.0, 99.0)
WIDE_PERCENTILES = (0.1, 99.9)
BINS = 128
_RESOLUTION = 1e-11
"""The smallest difference of two bounds, relative to them: a float has 16 digits, and each bin needs some."""
_LEAST = 1e-300
"""The smallest difference of two bounds near zero: a hundredth of it still has full precision."""


class ContrastMode(Enum):
    """How the bounds are chosen."""

    PERCENTILES = "percentiles"
    WIDE_PERCENTILES = "wide percentiles"
    FULL_RANGE = "full range"
    SYMMETRIC = "symmetric"
    """As far below the middle of the bounds as above it."""
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Contrast:
    """The setting: a mode, and the bounds of a fixed one."""

    mode: ContrastMode = ContrastMode.PERCENTILES
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of a picture's values; bounds are those of the finite values, or 0 and 1 if there are none.

    Those that are pooled with earlier ones have the distribution of both, and the counts of the newer picture.
    """

    minimum: float
    maximum: float
    percentiles: tuple[float, float]
    wide_percentiles: tuple[float, float]
    nan_count: int
    size: int
    histogram: AnyArray
    """Sampled counts, one per bin."""
    bin_edges: AnyArray
    """The edges of the bins: one more than there are bins."""
    fill_count: int = 0
    """The number of elements equal to the fill value, if it is shown apart; they are excluded from all other counts."""
    offset: int = 0
    """The origin of ``bin_edges``: not 0 if floats cannot represent the numbers exactly; bounds are integers then."""
    sample: AnyArray = field(default_factory=lambda: np.empty(0))
    """Some of the finite values, relative to ``offset``."""
    sampled_from: int = 0
    """The number of values that ``sample`` stands for."""

    @property
    def least_positive(self) -> float | None:
        """The smallest sampled value above 0; None without one."""
        above = self.sample[self.sample > -self.offset]
        return self.offset + above.min().item() if above.size else None

    def levels(self, contrast: Contrast, norm: Norm = Norm.LINEAR) -> tuple[float, float]:
        """The bounds to draw with: always low < high, as colours need; above 0 for logarithms, if any value is."""
        low, high = self._levels(contrast)
        if norm is not Norm.LOG or low > 0:
            return low, high
        least = self.least_positive
        if least is None:
            return low, high
        return _apart(least, high if high > least else self.maximum)

    def log_histogram(self) -> tuple[AnyArray, AnyArray]:
        """Counts of the positive values, and the decimal exponents at the edges of their bins."""
        positive = np.log10(self.sample[self.sample > -self.offset] + self.offset)
        ends = (float(positive.min()), float(positive.max())) if positive.size else (0.0, 0.0)
        return np.histogram(positive, bins=BINS, range=_apart(*ends))

    def pooled(self, earlier: Statistics) -> Statistics:
        """The statistics of these values and of earlier ones, each with its share."""
        if not earlier.sampled_from:
            return self
        if not self.sampled_from:
            return earlier.with_counts(self)
        low, high = min(self.minimum, earlier.minimum), max(self.maximum, earlier.maximum)
        is_exact = all(isinstance(end, int) for end in (low, high, self.minimum, earlier.minimum))
        offset = int(low) if is_exact and high - low < EXACT else 0
        total = self.sampled_from + earlier.sampled_from
        parts = [
            _thinned(one.sample, SAMPLE_SIZE * one.sampled_from // total) + (one.offset - offset)
            for one in (self, earlier)
        ]
        if not offset:
            low, high = float(low), float(high)
        counts = self.nan_count, self.size, self.fill_count
        return _distribution(low, high, np.concatenate(parts), offset, total, counts)

    def with_counts(self, newer: Statistics) -> Statistics:
        """The same distribution with the counts of another picture."""
        return replace(self, nan_count=newer.nan_count, size=newer.size, fill_count=newer.fill_count)

    def _levels(self, contrast: Contrast) -> tuple[float, float]:
        if contrast.mode is ContrastMode.FIXED:
            return _apart(contrast.low, contrast.high)
        if contrast.mode is ContrastMode.SYMMETRIC:
            return self._around((contrast.low + contrast.high) / 2)
        everything = (self.minimum, self.maximum)
        found = {
            ContrastMode.PERCENTILES: self.percentiles,
            ContrastMode.WIDE_PERCENTILES: self.wide_percentiles,
        }
        low, high = found.get(contrast.mode, everything)
        # A mostly empty picture has equal percentiles, although its values differ.
        return _apart(low, high) if low < high else _apart(*everything)

    def _around(self, centre: float) -> tuple[float, float]:
        """Bounds at the same distance from a number, around the percentiles, or around all numbers if these are equal."""
        reach = max(abs(one - centre) for one in self.percentiles)
        reach = reach or max(abs(self.minimum - centre), abs(self.maximum - centre)) or 1.0
        return _apart(float(centre - reach), float(centre + reach))


def statistics(picture: AnyArray, is_fill: AnyArray | None = None) -> Statistics:
    """Measure ``picture``: extremes exactly, percentiles and histogram from a sample.

    Args:
        is_fill: where elements have the fill value; these count as missing.
    """
    size, fill_count = picture.size, 0 if is_fill is None else int(is_fill.sum())
    if is_fill is not None:
        picture = picture[~is_fill]
    nan_count = int(np.isnan(picture).sum()) if picture.dtype.kind == "f" else 0
    known = finite(picture)
    if known.size == 0:
        counts, edges = np.zeros(BINS, np.int64), np.linspace(0.0, 1.0, BINS + 1)
        return Statistics(0.0, 1.0, (0.0, 1.0), (0.0, 1.0), nan_count, size, counts, edges, fill_count)
    sample = _thinned(known.reshape(-1), SAMPLE_SIZE)
    low, high, offset = float(known.min()), float(known.max()), 0
    if is_long(known) and int(known.max()) - int(known.min()) < EXACT:
        low, high, offset = int(known.min()), int(known.max()), int(known.min())
        sample = from_offset(sample, offset)
    sample = np.clip(sample.astype(np.float64), -DRAWABLE, DRAWABLE)
    return _distribution(low, high, sample, offset, known.size, (nan_count, size, fill_count))


def _thinned(values: AnyArray, most: int) -> AnyArray:
    """About ``most`` of the values, evenly from all; at least one."""
    return values[:: max(1, values.size // max(1, most))]


def _distribution(
    low: float, high: float, sample: AnyArray, offset: int, number: int, counts: tuple[int, int, int]
) -> Statistics:
    """Statistics of a sample.

    Args:
        low, high: the exact extremes; integers if ``offset`` is not 0.
        number: of how many values it is a sample.
        counts: the numbers of NaN, of all elements and of those with the fill value.
    """
    found = np.percentile(sample, [*PERCENTILES, *WIDE_PERCENTILES]).tolist()
    if offset:
        found = [offset + round(one) for one in found]
    bins, edges = np.histogram(sample, bins=BINS, range=_apart(float(low - offset), float(high - offset)))
    nan_count, size, fill_count = counts
    percentiles, wide = (found[0], found[1]), (found[2], found[3])
    return Statistics(
        low, high, percentiles, wide, nan_count, size, bins, edges, fill_count, offset, sample, number
    )


def _apart(low: float, high: float) -> tuple[float, float]:
    """Bounds that can be drawn, with many floats between them; closer bounds are taken as equal, and moved apart."""
    if isinstance(low, int) and isinstance(high, int):  # integers: every digit counts
        return (low, high) if low < high else (low - 1, low + 1)
    low, high = drawable(low), drawable(high)
    if high - low > max(abs(low) * _RESOLUTION, abs(high) * _RESOLUTION, _LEAST):
        return low, high
    margin = max(abs(low) * 1e-3, 0.5)
    return low - margin, low + margin
