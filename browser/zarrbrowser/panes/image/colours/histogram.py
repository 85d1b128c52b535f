"""The histogram beside the picture, with draggable bounds of the contrast."""

from __future__ import annotations

import math
from typing import Any

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
from PySide6.QtWidgets import QGraphicsGridLayout, QWidget

from zarrbrowser.image.colours.colour_maps import lookup_table
from zarrbrowser.image.colours.contrast import Statistics
from zarrbrowser.image.colours.norm import Norm, spread
from zarrbrowser.theme.colours import Colours
from zarrbrowser.values.numbers import drawing_factor
from zarrbrowser.values.ticks import log_ticks, number_text
from zarrbrowser.widgets.tooltip import tooltip
from zarrcore.typing import AnyArray

_LEAST_HEIGHT = 96
_AXIS_WIDTH, _TICK, _RAMP_WIDTH = 52, 16, 15
_LEAST_COUNTS = 45
_TICK_ROOM, _HALF_LINE = 32, 6
_STOPS = 33
"""Colours between the bounds that are given to Qt, which mixes those between them."""


class _Ramp(pg.GraphicsWidget):  # type: ignore[misc] # pyqtgraph has no types
    """The colours beside the values."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(_RAMP_WIDTH)
        self.gradient = QLinearGradient()

    def show_stops(self, stops: list[tuple[float, QColor]]) -> None:
        """Draw colours at places, 0 at the bottom to 1 at the top."""
        self.gradient.setStops(stops)
        self.update()

    def paint(self, painter: QPainter, *_args: Any) -> None:
        self.gradient.setStart(0, self.height())
        self.gradient.setFinalStop(0, 0)
        painter.fillRect(self.rect(), self.gradient)


class _Item(pg.GraphicsWidget):  # type: ignore[misc] # pyqtgraph has no types
    """The parts side by side: an axis of values, the counts with the region between the bounds, and the colours.

    pyqtgraph's `HistogramLUTItem` has these, too, but also an editor of colour maps with its dialog, menus, and regions of four
    channels, which take a tenth of the time in which a picture opens.
    """

    def __init__(self) -> None:
        super().__init__()
        self.vb = pg.ViewBox(self, enableMenu=False, enableMouse=False)
        self.vb.setMinimumWidth(_LEAST_COUNTS)
        self.vb.setMaximumWidth(152)
        self.axis = pg.AxisItem("left", linkView=self.vb, maxTickLength=-10, parent=self)
        self.ramp = _Ramp()
        self.plot = pg.PlotCurveItem(fillLevel=0.0)
        self.plot.setRotation(90)
        self.region = pg.LinearRegionItem((0, 1), "horizontal", swapMode="block")
        self.region.setZValue(1000)
        for line, marker in zip(self.region.lines, ("<|", "|>"), strict=True):
            line.addMarker(marker, 0.5)
        for part in (self.region, self.plot):
            self.vb.addItem(part)
        row = QGraphicsGridLayout(self)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(0)
        for column, widget in enumerate((self.axis, self.vb, self.ramp)):
            row.addItem(widget, 0, column)


class Histogram(pg.GraphicsLayoutWidget):  # type: ignore[misc] # pyqtgraph has no types
    """The histogram of `Statistics`: not of the image item, which holds only the part on the screen.

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
        self.item = _Item()
        self.addItem(self.item)
        self.item.axis.setWidth(_AXIS_WIDTH)
        self.item.axis.tickValues, self.item.axis.tickStrings = self._tick_values, self._tick_strings
        self.item.region.sigRegionChanged.connect(lambda _region: self._dragged())
        self._silent = False
        self._width = _AXIS_WIDTH
        self._widening = QTimer(self, singleShot=True, interval=0)  # not while the axis is drawn
        self._widening.timeout.connect(lambda: self.item.axis.setWidth(self._width))
        self._offset, self._factor, self._is_log = 0, 1.0, False
        self._norm, self._levels = Norm.LINEAR, (0.0, 0.0)
        self._log_texts: dict[float, str] = {}
        self.item.vb.sigYRangeChanged.connect(self._show_ramp)

    def show_statistics(
        self, found: Statistics, levels: tuple[float, float], norm: Norm = Norm.LINEAR
    ) -> None:
        """Draw the logarithm of the counts, because one value often fills most of a picture.

        The axis is logarithmic if the norm is.
        """
        self._silent = True
        self._norm, self._levels, self._is_log = norm, levels, norm is Norm.LOG and levels[0] > 0
        counts, edges = found.log_histogram() if self._is_log else (found.histogram, found.bin_edges)
        self._offset = 0 if self._is_log else found.offset
        self._factor = drawing_factor(float(np.abs(edges).max()))
        self.item.axis.setScale(1 / self._factor)
        self.item.axis.setWidth(_AXIS_WIDTH)
        edges = edges * self._factor
        low, high = map(self._coordinate, levels)
        self.item.plot.setData((edges[:-1] + edges[1:]) / 2, np.log1p(counts))
        self.item.vb.setYRange(min(edges[0], low), max(edges[-1], high), 0.04)
        self.item.region.setRegion((low, high))
        self.setToolTip(tooltip(f"A number with + is counted from {self._offset:,}.") if self._offset else "")
        self.setAccessibleDescription(f"colours for {levels[0]:.6g} to {levels[1]:.6g}")
        self._silent = False
        self._show_ramp()

    def show_colour_map(self, name: str) -> None:
        """Draw the colour map beside the values."""
        if name != self._colours:
            self._colours = name
            self._show_ramp()

    def _show_ramp(self) -> None:
        """Draw the colours beside the values that have them; nothing before the first colour map."""
        if not self._colours:
            return
        table = lookup_table(self._colours)
        low, high = map(self._coordinate, self._levels)
        first, last = self.item.vb.viewRange()[1]
        is_laid_out = high > low and last > first
        if not is_laid_out:
            first, last, low, high = 0.0, 1.0, 0.0, 1.0
        places = (np.linspace(low, high, _STOPS) - first) / (last - first)
        places = np.concatenate([[0.0], places[(places > 0) & (places < 1)], [1.0]])
        shares = self._shares(first + places * (last - first)) if is_laid_out else places
        colours = table[(np.clip(shares, 0, 1) * (len(table) - 1)).round().astype(int)]
        pairs = zip(places.tolist(), colours.tolist(), strict=True)
        self.item.ramp.show_stops([(place, QColor(*colour)) for place, colour in pairs])

    def _coordinate(self, level: float) -> float:
        """Where a value is along the axis."""
        return math.log10(level) if self._is_log else (level - self._offset) * self._factor

    def _shares(self, coordinates: AnyArray) -> AnyArray:
        """How far along the colours the values at coordinates are, 0 to 1: as in the picture."""
        if self._is_log:
            return spread(10.0**coordinates, self._norm, self._levels)
        # Other norms are relative to the lower bound, but for the symmetric logarithm.
        origin = 0 if self._norm is Norm.SYMLOG else self._offset
        values = coordinates / self._factor + (self._offset - origin)
        return spread(values, self._norm, (self._levels[0] - origin, self._levels[1] - origin))

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
            QTimer.singleShot(0, self, lambda: self.viewport().update())
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
        self.item.plot.setBrush(fill)
        self.item.plot.setPen(pg.mkPen(muted, width=1))
        self.item.axis.setPen(pg.mkPen(colours.border))
        self.item.axis.setTextPen(muted)
        self.item.region.setBrush(band)
        band.setAlpha(70)
        self.item.region.setHoverBrush(band)
        for line in self.item.region.lines:
            line.setPen(pg.mkPen(accent, width=2))
            line.setHoverPen(pg.mkPen(accent, width=3))

    def _tick_values(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """pyqtgraph's ticks; along a logarithmic axis, those of the colour bar of a figure. None is cut by an end of the axis."""
        axis, margin = self.item.axis, (high - low) * _HALF_LINE / max(1.0, size)
        if self._is_log:
            self._log_texts = dict(log_ticks(low, high, max(2.0, size / _TICK_ROOM)))
            found = [(1.0, list(self._log_texts))]
        else:
            found = type(axis).tickValues(axis, low, high, size)
        return [
            (spacing, [one for one in values if low + margin <= one <= high - margin])
            for spacing, values in found
        ]

    def _tick_strings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Numbers with as many digits as tell them apart; integers that floats cannot hold are whole.

        Those that would leave no room for the counts are said from one of them: the tooltip says which.
        """
        if self._is_log:
            texts = [self._log_texts.get(value, "") for value in values]
        elif self._offset:
            exact = [self._offset + round(value * scale) for value in values]
            texts = [f"{number:,}" if spacing * scale >= 1 else "" for number in exact]
            if self._width_of(texts) + _TICK + _LEAST_COUNTS + _RAMP_WIDTH > self.width():
                texts = [
                    f"+{number - self._offset:,}" if text else ""
                    for number, text in zip(exact, texts, strict=True)
                ]
        else:
            texts = [number_text(value * scale, spacing * scale) for value in values]
        width = max(_AXIS_WIDTH, self._width_of(texts) + _TICK)
        if width > self.item.axis.width():
            self._width = width
            self._widening.start()
        return texts

    def _width_of(self, texts: list[str]) -> int:
        metrics = QFontMetricsF(self.item.axis.font())
        return math.ceil(max(map(metrics.horizontalAdvance, texts), default=0.0))

    def _dragged(self) -> None:
        if not self._silent:
            low, high = (float(one) / self._factor for one in self.item.region.getRegion())
            if self._is_log:
                low, high = 10.0**low, 10.0**high
            elif self._offset:
                low, high = self._offset + round(low), self._offset + round(high)
            self.dragged.emit(low, high)
