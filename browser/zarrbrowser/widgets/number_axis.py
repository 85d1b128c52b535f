"""An axis with numbers written in full while they are readable, or with coordinates."""

from __future__ import annotations

import math
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QFontMetricsF

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.coordinates.dates import date_ticks
from zarrbrowser.plot.places import Places
from zarrbrowser.values.ticks import log_ticks, number_text

_ROOM = {"left": 44.0, "bottom": 92.0}
"""Pixels from one coordinate to the next."""
_TEXT_WIDTH = 30
"""The width of the numbers before the first ones are drawn, in pixels: pyqtgraph's."""
_GAP = 12.0
"""The minimum distance of two labels in pixels."""


class NumberAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """Writes ``1,500,000`` instead of pyqtgraph's ``1.5e+06`` or an axis scaled by a prefix.

    Attributes:
        whole: whether the axis counts elements, so that only integers are labelled.
        dates: the datetime64 type of the numbers, or None.
        offset: an integer, or a count of dates, that the numbers are relative to.
    """

    labelText: str  # noqa: N815 - pyqtgraph's

    def __init__(self, side: str, *, whole: bool = False) -> None:
        super().__init__(side)
        self.whole = whole
        self.dates: np.dtype[Any] | None = None
        self.offset = 0
        self._side = side
        self._coordinate: Coordinate | Places | None = None
        self._texts: dict[float, str] = {}
        self.enableAutoSIPrefix(False)
        # A plane that fits its view has other numbers in a wider one: an axis that also became narrower could do so without end.
        self.setStyle(autoReduceTextSpace=False)

    def show_coordinate(self, name: str, coordinate: Coordinate | Places | None) -> None:
        """Set the axis's name, unless its coordinates have one, and the coordinates; numbers if these are None."""
        units = coordinate.units if coordinate is not None else ""
        name = (coordinate.name if coordinate is not None else "") or name
        text = f"{name} ({units})" if units else name
        if coordinate is self._coordinate and text == self.labelText:
            return  # redrawing an axis takes 3 ms
        self._coordinate = coordinate
        self.textWidth = _TEXT_WIDTH  # not that of the numbers before
        self.setLabel(text)
        self.picture = None
        self.update()

    def labelString(self) -> str:  # noqa: N802 - pyqtgraph's
        """The label as HTML; markup in a stored name is shown as it is."""
        plain, self.labelText = self.labelText, escape(self.labelText)
        try:
            return str(super().labelString())
        finally:
            self.labelText = plain

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N802 - pyqtgraph's
        if not self._has_texts:
            try:
                return list(super().tickValues(low, high, size))
            except (
                ArithmeticError,
                ValueError,
            ):  # a tick is too large for a float, or two ticks are too close
                return []
        low, high = min(low, high), max(low, high)
        self._texts = dict(self._ticks(low, high, size))
        return [((high - low) / max(1, len(self._texts)), list(self._texts))]

    @property
    def _has_texts(self) -> bool:
        """Whether labels are coordinates, dates or powers of ten instead of numbers."""
        return self.logMode or self._coordinate is not None or self.dates is not None

    def _ticks(self, low: float, high: float, size: float) -> list[tuple[float, str]]:
        """Positions and texts of labels; fewer if they would touch each other."""
        most = max(2.0, size / _ROOM[self._side])
        metrics = QFontMetricsF(self.style["tickFont"] or self.font())
        while True:
            if self.logMode:
                ticks = log_ticks(low, high, most)
            elif self._coordinate is not None:
                ticks = self._coordinate.ticks(low, high, most)
            else:
                ticks = date_ticks(low, high, self.dates or np.dtype("M8[s]"), most, self.offset)
            pixels = [(place - low) / (high - low) * size for place, _ in ticks] if high > low else []
            apart = min((after - before for before, after in pairwise(sorted(pixels))), default=size)
            if self._side == "left":
                needed = metrics.height()
            else:
                needed = max((metrics.horizontalAdvance(text) for _, text in ticks), default=0.0) + _GAP
            if apart >= needed or most <= 1:
                return ticks if apart >= needed else ticks[:1]
            most = max(1.0, most / 1.5)

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:  # noqa: N802 - pyqtgraph's
        found = super().tickSpacing(low, high, size)
        if not self.whole:
            return list(found)
        steps = {max(1.0, float(math.ceil(spacing))): offset for spacing, offset in found}
        return sorted(steps.items(), reverse=True)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802 - pyqtgraph's
        if self._has_texts:
            return [self._texts.get(value, "") for value in values]
        return [number_text(value * scale, spacing * scale, self.offset) for value in values]
