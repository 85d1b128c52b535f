"""The histogram beside the picture, with draggable bounds of the contrast."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QLinearGradient,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from zarrbrowser.image.colours.colour_maps import lookup_table
from zarrbrowser.image.colours.contrast import Statistics
from zarrbrowser.theme.colours import Colours
from zarrbrowser.values.numbers import drawing_factor
from zarrbrowser.values.ticks import number_text

_LEAST_HEIGHT = 96
_AXIS_WIDTH, _TICK = 52, 16
_STOPS = 17
"""Colours of a colour map that are given to Qt, which mixes those between them."""


class Histogram(pg.GraphicsLayoutWidget):  # type: ignore[misc] # pyqtgraph has no types
    """pyqtgraph's histogram, fed with `Statistics`.

    It is not linked to the image item, which holds only the part on the screen and would be counted at every pan.

    Signals:
        dragged: lowest and highest value shown.
    """

    dragged = Signal(object, object)  # integers may have more digits than a float

    def __init__(self, parent: QWidget | None = None) -> None:
        self._is_resized = self._is_new = False
        super().__init__(parent)
        self._colours = ""
        self.setAccessibleName("histogram of the plane")
        self.setMinimumHeight(_LEAST_HEIGHT)  # Qt cannot paint an item without height
        self.ci.layout.setContentsMargins(0, 0, 0, 0)
        self.item = pg.HistogramLUTItem(gradientPosition="right")
        self.addItem(self.item)
        self.item.vb.setMenuEnabled(False)
        self.item.vb.setMouseEnabled(x=False, y=False)
        self.item.axis.setWidth(_AXIS_WIDTH)
        self.item.axis.tickStrings = self._tick_strings
        self.item.gradient.setMaxDim(16)
        self.item.gradient.showTicks(False)
        # Of a colour map, pyqtgraph would make a graphics item for each colour, which is slow.
        self.item.gradient.getGradient = self._gradient
        self.item.gradient.menu = None
        # The gradient would open an editor of its own on a right click.
        self.item.gradient.setAcceptedMouseButtons(self.item.gradient.acceptedMouseButtons().NoButton)
        self.item.gradient.mouseClickEvent = lambda event: event.ignore()
        self.item.sigLevelsChanged.connect(lambda _item: self._dragged())
        self._silent = False
        self._width = _AXIS_WIDTH
        self._widening = QTimer(self, singleShot=True, interval=0)  # not while the axis is drawn
        self._widening.timeout.connect(lambda: self.item.axis.setWidth(self._width))
        self._offset, self._factor = 0, 1.0

    def show_statistics(self, found: Statistics, levels: tuple[float, float]) -> None:
        """Draw the logarithm of the counts, because one value often fills most of a picture."""
        self._silent = True
        self._offset, self._factor = found.offset, drawing_factor(float(np.abs(found.bin_edges).max()))
        self.item.axis.setScale(1 / self._factor)
        self.item.axis.setWidth(_AXIS_WIDTH)
        edges = found.bin_edges * self._factor
        low, high = ((one - self._offset) * self._factor for one in levels)
        self.item.plot.setData((edges[:-1] + edges[1:]) / 2, np.log1p(found.histogram))
        self.item.setHistogramRange(min(edges[0], low), max(edges[-1], high), 0.04)
        self.item.setLevels(low, high)
        self._silent = False

    def show_colour_map(self, name: str) -> None:
        """Draw the colour map beside the values."""
        if name != self._colours:
            self._colours = name
            self.item.gradient.updateGradient()

    def _gradient(self) -> QLinearGradient:
        """The colour map along the gradient of the histogram; nothing before the first."""
        gradient = QLinearGradient(0, 0, self.item.gradient.length, 0)
        if self._colours:
            table = lookup_table(self._colours)
            places = np.linspace(0, len(table) - 1, _STOPS).round().astype(int)
            gradient.setStops(
                [(place / (len(table) - 1), QColor(*table[place].tolist())) for place in places]
            )
        return gradient

    def resizeEvent(self, _event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Wait until the histogram is painted: layouts resize it several times before, and each time takes 3 ms."""
        self._is_resized = True
        self.viewport().update()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        self._is_new = True
        super().showEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Arrange the items for the present size, and paint them; when they appear, in a turn after the picture."""
        if self._is_new:
            self._is_new = False
            QPainter(self.viewport()).fillRect(event.rect(), self.backgroundBrush())
            QTimer.singleShot(0, self, self.viewport().update)
            return
        if self._is_resized:
            self._is_resized = False
            super().resizeEvent(None)
        super().paintEvent(event)

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self.setBackground(colours.window)
        accent, muted = QColor(colours.accent), QColor(colours.muted)
        fill, band = QColor(muted), QColor(accent)
        fill.setAlpha(110)
        band.setAlpha(36)
        self.item.fillHistogram(True, 0.0, fill)
        self.item.plot.setPen(pg.mkPen(muted, width=1))
        self.item.axis.setPen(pg.mkPen(colours.border))
        self.item.axis.setTextPen(muted)
        self.item.region.setBrush(band)
        band.setAlpha(70)
        self.item.region.setHoverBrush(band)
        for line in self.item.region.lines:
            line.setPen(pg.mkPen(accent, width=2))
            line.setHoverPen(pg.mkPen(accent, width=3))

    def _tick_strings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Numbers with as many digits as tell them apart; integers that floats cannot hold are whole."""
        if self._offset:
            exact = [self._offset + round(value * scale) for value in values]
            texts = [f"{number:,}" if spacing * scale >= 1 else "" for number in exact]
        else:
            texts = [number_text(value * scale, spacing * scale) for value in values]
        metrics = QFontMetricsF(self.item.axis.font())
        widest = max(map(metrics.horizontalAdvance, texts), default=0.0)
        width = max(_AXIS_WIDTH, math.ceil(widest) + _TICK)
        if width > self.item.axis.width():
            self._width = width
            self._widening.start()
        return texts

    def _dragged(self) -> None:
        if not self._silent:
            low, high = (float(one) / self._factor for one in self.item.getLevels())
            if self._offset:
                low, high = self._offset + round(low), self._offset + round(high)
            self.dragged.emit(low, high)
