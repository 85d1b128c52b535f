"""Statistics of the numbers along an axis, computed block by block, so that memory holds only a few of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from zarrcore.typing import AnyArray


class Statistic(Enum):
    """What a plane shows of the numbers along an axis."""

    MEAN = "mean"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    SUM = "sum"
    DEVIATION = "standard deviation"


@dataclass(frozen=True, slots=True)
class Reduction:
    """A statistic along an axis of an array."""

    axis: int
    statistic: Statistic


class Accumulator:
    """Takes blocks of numbers, and gives the statistic over all of them.

    Missing numbers (NaN) do not count. Numbers become 64-bit floats first, so that integers do not overflow; the standard
    deviation is that of the population.
    """

    def __init__(self, statistic: Statistic, shape: tuple[int, ...]) -> None:
        self._statistic = statistic
        self._count = np.zeros(shape, np.int64)
        self._value: NDArray[np.float64] = np.zeros(shape)
        """The sum, the mean, or the extreme of what was added."""
        self._squares = np.zeros(shape)
        """The sum of squared distances from the mean."""
        if statistic in (Statistic.MINIMUM, Statistic.MAXIMUM):
            self._value.fill(np.nan)

    def add(self, numbers: AnyArray) -> None:
        """Add numbers, whose first axis is the one to reduce."""
        values = numbers.astype(np.float64, copy=False)
        with np.errstate(invalid="ignore", over="ignore"):
            if self._statistic in (Statistic.MINIMUM, Statistic.MAXIMUM):
                nearer = np.fmin if self._statistic is Statistic.MINIMUM else np.fmax
                for layer in values:
                    self._value = nearer(self._value, layer)
            else:
                self._sum(values)

    def _sum(self, values: NDArray[np.float64]) -> None:
        is_known = ~np.isnan(values)
        count = is_known.sum(axis=0)
        total = np.sum(values, axis=0, where=is_known)
        if self._statistic is not Statistic.DEVIATION:
            self._value += total
            self._count += count
            return
        # Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance": join two sets by their means and squares.
        mean = np.divide(total, count, out=np.zeros_like(total), where=count > 0)
        squares = np.sum((values - mean) ** 2, axis=0, where=is_known)
        both = self._count + count
        share = np.divide(count, both, out=np.zeros_like(total), where=both > 0)
        apart = np.where(self._count > 0, mean - self._value, 0.0)
        first = self._count == 0
        self._squares += squares + np.where((count > 0) & ~first, apart**2 * self._count * share, 0.0)
        self._value = np.where(first, mean, np.where(count > 0, self._value + apart * share, self._value))
        self._count = both

    def result(self) -> NDArray[np.float64]:
        """The statistic; NaN where all numbers are missing."""
        if self._statistic in (Statistic.MINIMUM, Statistic.MAXIMUM):
            return self._value
        nothing = np.full(self._count.shape, np.nan)
        if self._statistic is Statistic.SUM:
            return np.where(self._count > 0, self._value, nothing)
        total = self._value if self._statistic is Statistic.MEAN else self._squares
        found: NDArray[np.float64] = np.divide(total, self._count, out=nothing, where=self._count > 0)
        return np.sqrt(found, out=found) if self._statistic is Statistic.DEVIATION else found


def reduced(statistic: Statistic, blocks: Iterable[AnyArray], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The statistic of blocks of numbers along their first axis.

    Args:
        shape: that of the other axes.
    """
    accumulator = Accumulator(statistic, shape)
    for block in blocks:
        accumulator.add(block)
    return accumulator.result()
