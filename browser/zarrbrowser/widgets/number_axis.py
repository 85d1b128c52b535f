"""An axis whose numbers are written in full as long as they can be read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg

from zarrbrowser.session.dates import format_date

_IN_FULL_BELOW = 1e9


class NumberAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """Writes ``1,500,000`` where pyqtgraph writes ``1.5e+06`` or scales the axis by a prefix.

    Attributes:
        whole: whether the axis counts elements, between which there is nothing to write.
        dates: the type of the dates that the numbers stand for, or None.
    """

    def __init__(self, side: str, *, whole: bool = False) -> None:
        super().__init__(side)
        self.whole = whole
        self.dates: np.dtype[Any] | None = None
        self.enableAutoSIPrefix(False)

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:  # noqa: N802 - pyqtgraph's
        found = super().tickSpacing(low, high, size)
        if not self.whole and self.dates is None:
            return list(found)
        steps = {max(1.0, float(math.ceil(spacing))): offset for spacing, offset in found}
        return sorted(steps.items(), reverse=True)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802 - pyqtgraph's
        if self.dates is not None:
            return [format_date(value, self.dates, spacing) for value in values]
        largest = max((abs(value) for value in values), default=0.0)
        if spacing * scale >= 1 and largest * scale < _IN_FULL_BELOW:
            return [f"{value * scale:,.0f}" for value in values]
        strings: Any = super().tickStrings(values, scale, spacing)
        return list(strings)
