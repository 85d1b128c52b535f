"""An axis whose numbers are written in full as long as they can be read."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg

_IN_FULL_BELOW = 1e9


class NumberAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """Writes ``1,500,000`` where pyqtgraph writes ``1.5e+06``."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802 - pyqtgraph's
        largest = max((abs(value) for value in values), default=0.0)
        if spacing * scale >= 1 and largest * scale < _IN_FULL_BELOW:
            return [f"{value * scale:,.0f}" for value in values]
        strings: Any = super().tickStrings(values, scale, spacing)
        return list(strings)
