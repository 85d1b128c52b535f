"""Error bars: the standard deviations that NeXus stores beside a signal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.values.numbers import DRAWABLE
from zarrcore.errors import ZarrError
from zarrcore.typing import AnyArray

MOST_BARS = 1000
"""More in one view would cover the line."""
_MOST_READ = 1_000_000
"""Of a longer array, no standard deviations are read: they would double what is read, and few are ever seen."""


@dataclass(frozen=True, slots=True)
class Uncertainties:
    """The standard deviations of the elements of an array."""

    deviations: AnyArray | None = None
    """Float64, not negative; None if there are none."""
    problem: ZarrError | None = None
    """Why they could not be read."""


@dataclass(frozen=True, slots=True)
class Bars:
    """The lower and the upper ends of error bars; NaN where there is none."""

    low: AnyArray
    high: AnyArray

    @classmethod
    def of(cls, numbers: AnyArray, deviations: AnyArray, *, is_log: bool) -> Bars:
        """The bars of numbers, or of their logarithms: there, a bar that begins at 0 or below comes from far below."""
        has_bar = np.isfinite(numbers) & np.isfinite(deviations)
        # The sum of two finite numbers may be beyond the largest float.
        with np.errstate(over="ignore", invalid="ignore"):
            low, high = np.nan_to_num(numbers - deviations), np.nan_to_num(numbers + deviations)
        if is_log:
            has_bar &= numbers > 0
            low, high = np.where(low > 0, logarithms(low), -DRAWABLE), logarithms(high)
        return cls(np.where(has_bar, low, np.nan), np.where(has_bar, high, np.nan))

    @property
    def ends_in_view(self) -> tuple[AnyArray, AnyArray]:
        """The ends that a view of everything shows."""
        return self.low[self.low > -DRAWABLE], self.high

    def lines(self, x: AnyArray, elements: AnyArray) -> tuple[AnyArray, AnyArray]:
        """The bars of some elements, at ``x``, as one line with gaps."""
        ends = np.stack([self.low[elements], self.high[elements], np.full(elements.size, np.nan)], axis=1)
        return np.repeat(x.astype(np.float64), 3), ends.reshape(-1)


def read_uncertainties(
    array: ArrayLike, find: Callable[[str], Any], cancelled: Callable[[], bool]
) -> Uncertainties:
    """The standard deviations of an array. If they cannot be read, the array can be drawn without them.

    Raises:
        ReadCancelledError: ``cancelled`` became true.
    """
    from zarrcore.conventions import uncertainties  # late: for a fast start

    if array.shape[0] > _MOST_READ:
        return Uncertainties()
    try:
        found = uncertainties(array, find)
        if found is None:
            return Uncertainties()
        return Uncertainties(np.abs(found.read(..., cancelled=cancelled).astype(np.float64)))
    except Cancelled:
        raise
    except ZarrError as error:
        return Uncertainties(problem=error)


def logarithms(numbers: AnyArray) -> AnyArray:
    """Logarithms to base 10; NaN for numbers without one."""
    positive = numbers > 0
    result = np.full(numbers.shape, np.nan)
    np.log10(numbers, where=positive, out=result, casting="unsafe")
    return result
