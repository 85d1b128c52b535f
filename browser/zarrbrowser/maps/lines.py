"""Lines as points: those on Earth, and those on a plane of an image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zarrcore.typing import AnyArray


@dataclass(frozen=True, slots=True, eq=False)
class EarthLines:
    """Lines on Earth."""

    longitudes: AnyArray
    """In degrees, shape (n,)."""
    latitudes: AnyArray
    connected: AnyArray
    """Whether a line goes from each point to the next one."""


@dataclass(frozen=True, slots=True, eq=False)
class PlaneLines:
    """Lines on a plane of an image."""

    rows: AnyArray
    """In elements, shape (n,); finite where a line is."""
    columns: AnyArray
    connected: AnyArray
    """Whether a line goes from each point to the next one."""

    def within(self, top: float, left: float, bottom: float, right: float) -> PlaneLines:
        """The parts of the lines that may cross a rectangle."""
        if self.rows.size < 2:
            return self
        with np.errstate(invalid="ignore"):  # no line leads to points that are not finite
            crosses = self.connected[:-1].copy()
            for values, low, high in ((self.rows, top, bottom), (self.columns, left, right)):
                crosses &= np.maximum(values[:-1], values[1:]) >= low
                crosses &= np.minimum(values[:-1], values[1:]) <= high
        begins, ends = np.append(crosses, False), np.append(False, crosses)
        kept = begins | ends
        return PlaneLines(self.rows[kept], self.columns[kept], begins[kept])


def joined(lines: Sequence[PlaneLines]) -> PlaneLines:
    """All lines of several sets."""
    if not lines:
        return PlaneLines(np.empty(0), np.empty(0), np.empty(0, bool))
    rows, columns, connected = (
        np.concatenate([getattr(one, name) for one in lines]) for name in ("rows", "columns", "connected")
    )
    return PlaneLines(rows, columns, connected)
