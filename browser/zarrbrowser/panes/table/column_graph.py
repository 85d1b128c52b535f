"""The graph of a plot of columns: lines and points, drawn in a worker, and the row under the pointer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from zarrbrowser.export.figures.lines import ShownColumns
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.plot.columns import ColumnPlot, PlotAxis
from zarrbrowser.plot.curves import View
from zarrbrowser.plot.drawing import Drawing, row_at
from zarrbrowser.values.numbers import drawing_factor
from zarrbrowser.widgets.graph import Graph
from zarrbrowser.workers import Lane, Workers

_DIAMETER = 5


class ColumnGraph(Graph):
    """Draws a `ColumnPlot`.

    Attributes:
        shown: the plot that is shown; None while there is none.
        has_points: whether it is drawn as points.

    Signals:
        drawn: the `Drawing` on the screen.
        failed: why the plot cannot be drawn.
        row_pointed: the row of the table under the pointer; None away from points.
        row_chosen: the row whose point was clicked.
    """

    drawn = Signal(object)
    failed = Signal(object)
    row_pointed = Signal(object)
    row_chosen = Signal(int)

    def __init__(self, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__("plot of the columns", parent=parent)
        self._drawing, self._finding = Lane(workers, in_flight=1), Lane(workers, in_flight=1)
        self.shown: ColumnPlot | None = None
        self.has_points = False
        self._factors = 1.0, 1.0
        """The factors that numbers are multiplied by for drawing."""
        self._across: tuple[PlotAxis, list[float]] | None = None
        """The horizontal axis that was shown last, and its range that shows all points."""
        self.plot.showGrid(x=True, y=True, alpha=0.12)
        self.dots = pg.ImageItem(axisOrder="row-major")
        self.plot.addItem(self.dots, ignoreBounds=True)
        self.curves: list[pg.PlotDataItem] = []
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._request_drawing)
        self.view.sigRangeChanged.connect(lambda *_: self._later.start())
        self.view.sigResized.connect(lambda *_: self._later.start())
        self.plot.scene().sigMouseMoved.connect(lambda at: self._find(at, self.row_pointed.emit))
        self.plot.scene().sigMouseClicked.connect(self._click)
        self.keys.picked.connect(self._choose)

    def show_plot(self, plot: ColumnPlot, *, has_points: bool) -> None:
        """Show a plot as a whole. If it has the horizontal axis of the one before, that stays as the user has zoomed it."""
        zoomed = self._zoomed_across(plot.x)
        self._clear_drawing()
        self.shown, self.has_points = plot, has_points
        largest = [max(map(abs, ends)) for ends in plot.ranges]
        self._factors = drawing_factor(largest[0]), drawing_factor(largest[1])
        for axis, shown, factor in zip((self.across, self.up), (plot.x, plot.y), self._factors, strict=True):
            axis.whole, axis.dates, axis.offset = shown.is_whole, shown.dates, shown.offset
            axis.setLogMode(shown.is_log)
            axis.setScale(1 / factor)
            axis.setLabel(shown.label)
        self.setAccessibleDescription(f"{plot.y.label} over {plot.x.label}")
        self.fit()
        if zoomed is not None:
            self.view.setXRange(*zoomed, padding=0)
        self._request_drawing()

    def show_nothing(self, *, is_other_table: bool = False) -> None:
        """Remove the plot, and cancel requests."""
        self.cancel()
        self.shown = None
        if is_other_table:
            self._across = None
        self._clear_drawing()

    def show_points(self, *, is_on: bool) -> None:
        """Draw points, or lines."""
        if is_on != self.has_points:
            self.has_points = is_on
            self._request_drawing()

    def cancel(self) -> None:
        """Cancel requests."""
        self._drawing.forget()
        self._finding.forget()

    def fit(self) -> None:
        """Fit the whole plot into view."""
        if self.shown is not None:
            x, y = (
                [end * factor for end in ends]
                for ends, factor in zip(self.shown.ranges, self._factors, strict=True)
            )
            self.plot.setRange(xRange=x, yRange=y, padding=0)
            self._across = self.shown.x, self.view.viewRange()[0]

    def figure(self, title: str) -> ShownColumns | None:
        """The plot, for a figure; None while there is none."""
        plot = self.shown
        if plot is None:
            return None
        view = self._seen()
        x, y = _scale(plot.x, *view.x), _scale(plot.y, *reversed(view.y))
        return ShownColumns(plot, x, y, not self.has_points, title)

    def _zoomed_across(self, axis: PlotAxis) -> list[float] | None:
        """The range that the user has zoomed into, if a plot has the same horizontal axis as the one before."""
        if self._across is None or self._across[0] != axis:
            return None
        now, fitted = self.view.viewRange()[0], self._across[1]
        return None if np.allclose(now, fitted, rtol=0, atol=1e-6 * (fitted[1] - fitted[0])) else now

    def _seen(self) -> View:
        """What is on the screen, in the numbers of the curves and the pixels of the screen."""
        ratio = self.devicePixelRatioF()
        (left, right), (low, high) = self.view.viewRange()
        across, up = self._factors
        width, height = (max(16, int(length * ratio)) for length in (self.view.width(), self.view.height()))
        return View((left / across, right / across), (low / up, high / up), width, height)

    # Drawing

    def _request_drawing(self) -> None:
        plot, has_points = self.shown, self.has_points
        if plot is None:
            return
        view, diameter = self._seen(), round(_DIAMETER * self.devicePixelRatioF())
        self._drawing.ask(
            lambda _asked: Drawing.of(plot, view, has_points=has_points, diameter=diameter),
            self._draw,
            self.failed.emit,
        )

    def _clear_drawing(self) -> None:
        """Remove what was drawn, before the axes become those of another plot."""
        self.dots.clear()
        for curve in self.curves:
            curve.setData([], [])

    def _draw(self, drawing: Drawing) -> None:
        if drawing.plot is not self.shown:
            return
        across, up = self._factors
        while len(self.curves) < len(drawing.lines):
            self.curves.append(self.plot.plot(connect="finite"))
        for number, curve in enumerate(self.curves):
            line = drawing.lines[number] if number < len(drawing.lines) else None
            # Qt aborts when it draws points without coordinates.
            if line is None or not np.isfinite(line.y).any():
                curve.setData([], [])
            else:
                curve.setPen(pg.mkPen(drawing.plot.curves[number].colour, width=1.5))
                curve.setData(line.x * across, line.y * up)
        (left, right), (low, high) = drawing.view.x, drawing.view.y
        self.dots.setImage(drawing.dots, autoLevels=False, levels=(0, 255))
        self.dots.setRect(QRectF(left * across, low * up, (right - left) * across, (high - low) * up))
        self.drawn.emit(drawing)

    # The pointer

    def _find(self, at: QPointF, then: Any) -> None:
        """Find the row at a position of the scene."""
        plot, there, has_points = self.shown, self.place_of(at), self.has_points
        if plot is None or there is None:
            self._finding.forget()  # an earlier answer is out of date
            self.row_pointed.emit(None)
            return
        view, place = self._seen(), (there.x() / self._factors[0], there.y() / self._factors[1])
        self._finding.ask(
            lambda _asked: row_at(plot, place, view, has_points=has_points), then, self.failed.emit
        )

    def _click(self, event: Any) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._choose(event.scenePos())

    def _choose(self, at: QPointF) -> None:
        self._find(at, lambda row: None if row is None else self.row_chosen.emit(row))


def _scale(axis: PlotAxis, low: float, high: float) -> Scale:
    """The scale of an axis in a figure."""
    return Scale(
        axis.label,
        low,
        high,
        is_whole=axis.is_whole,
        is_log=axis.is_log,
        dates=axis.dates,
        offset=axis.offset,
    )
