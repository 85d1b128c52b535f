"""Which elements of a plane the screen can show: drawing more than the screen holds only costs time."""

from __future__ import annotations

import math
from dataclasses import dataclass

_TILE = 64
"""Bounds are widened to multiples of this many steps, so that a small pan needs no new picture."""


@dataclass(frozen=True, slots=True)
class Window:
    """Part of one axis of a plane: ``[start, stop)`` by ``step``."""

    start: int
    stop: int
    step: int

    @property
    def slice(self) -> slice:
        """For indexing the plane."""
        return slice(self.start, self.stop, self.step)

    @property
    def extent(self) -> float:
        """How many elements of the plane the drawn ones stand for."""
        return math.ceil((self.stop - self.start) / self.step) * self.step


def window(length: int, low: float, high: float, pixels: float) -> Window:
    """The elements to draw where ``[low, high]`` of an axis of ``length`` covers ``pixels`` of the screen.

    >>> window(512, 0, 512, 800), window(4096, -100, 4196, 800), window(4096, 1000, 1200, 800)
    (Window(start=0, stop=512, step=1), Window(start=0, stop=4096, step=5), Window(start=960, stop=1216, step=1))
    """
    visible = max(high - low, 1.0)
    step = max(1, int(visible / max(pixels, 1.0)))
    tile = _TILE * step
    start = int(max(0, math.floor(low / tile) * tile))
    stop = int(min(length, math.ceil(high / tile) * tile))
    if start >= stop:
        return Window(0, length, max(step, 1))
    return Window(start, stop, step)
