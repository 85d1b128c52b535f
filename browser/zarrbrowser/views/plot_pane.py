"""The Plot tab: an array with one axis as a line."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from zarrbrowser.session.axes import axis_names
from zarrbrowser.session.nodes import ArrayLike
from zarrbrowser.session.picture import drawable_fields, meaning_of, why_no_picture
from zarrbrowser.session.quantities import count, format_bytes, format_duration, format_value
from zarrbrowser.session.series import Outline, Series, SeriesRequest, outline, read_series
from zarrbrowser.theme import current_colours
from zarrbrowser.views.data_stack import DataStack
from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.number_axis import NumberAxis
from zarrbrowser.workers import Lane, Workers

_POINTS_BELOW = 200
"""So few elements are drawn as points too."""


class PlotPane(QWidget):
    """Shows one array of one axis.

    Signals:
        series_shown: the `Series` that is on the screen now.
        pointed: index and value under the pointer as text; empty off the plot.
        reported: what was read, for the status bar.
    """

    series_shown = Signal(object)
    pointed = Signal(str)
    reported = Signal(str)

    def __init__(self, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reading, self._drawing = Lane(workers), Lane(workers, in_flight=1)
        self._array: ArrayLike | None = None
        self._series: Series | None = None
        self._agreed_bytes = 0
        self.graphics = pg.GraphicsLayoutWidget()
        self.graphics.ci.layout.setContentsMargins(8, 12, 16, 8)
        self.graphics.setAccessibleName("plot of the array")
        self.plot = self.graphics.addPlot(
            axisItems={side: NumberAxis(side, whole=side == "bottom") for side in ("left", "bottom")}
        )
        self.curve = pg.PlotDataItem(connect="finite")
        self.plot.addItem(self.curve)
        self.stack = DataStack(self.graphics, self.request_series, self._load_anyway)
        self.field, self.note = QComboBox(), label(role="muted")
        self.bar = self._bar()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.stack, 1)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._set_up()
        self.wear()

    def show_array(self, array: ArrayLike) -> None:
        """Show an array."""
        self.clear()
        reason = why_no_picture(array.dtype)
        self.bar.setVisible(not reason)
        if reason:
            self.stack.show_sentence(reason, drawing="array1")
            return
        self._array = array
        fields = drawable_fields(array.dtype)
        self.field.clear()
        self.field.addItems(fields)
        self.field.setVisible(bool(fields))
        self.request_series()

    def clear(self) -> None:
        """Show nothing, want nothing."""
        self._reading.forget()
        self._drawing.forget()
        self._array = self._series = None
        self._agreed_bytes = 0
        self.curve.setData([], [])
        self.note.setText("")
        self.stack.notice.say("")

    def request_series(self) -> None:
        """Read the array."""
        array = self._array
        if array is None:
            return
        if array.shape[0] == 0:
            self.stack.show_sentence("This array holds no elements: its length is 0.", drawing="array1")
            return
        request = SeriesRequest(array, self.field.currentText() or None)
        if not self.stack.may_read(request.cost(), self._agreed_bytes, "This array"):
            return
        what = f"Reading {array.path}"
        self.stack.wait_for(f"{what}: {format_bytes(request.cost().nbytes)}")
        self._reading.ask(
            lambda asked: read_series(request, asked.is_cancelled), self._show, self.stack.show_error, what
        )

    def fit(self) -> None:
        """The whole array in view."""
        if self._series is None:
            return
        last, (low, high) = max(1, self._series.numbers.size - 1), self._series.extremes
        least = max(
            1e-11 * max(abs(low), abs(high)), 1e-36
        )  # floats that are closer have no room for numbers
        high = high if high - low > least else low + max(1.0, 1e-3 * abs(low))
        self.plot.setRange(xRange=(0, last), yRange=(low, high))

    def wear(self) -> None:
        """Take on the application's appearance."""
        colours = current_colours()
        self.graphics.setBackground(colours.surface)
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(colours.border))
            axis.setTextPen(pg.mkPen(colours.muted))
        self.curve.setPen(pg.mkPen(colours.accent, width=1.5))
        self.curve.setSymbolBrush(colours.accent)
        self.curve.setSymbolPen(colours.accent)

    def _bar(self) -> QFrame:
        bar = QFrame()
        bar.setProperty("role", "bar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(12, 6, 8, 6)
        row.addWidget(self.field)
        row.addWidget(self.note)
        row.addStretch(1)
        row.addWidget(tool_button("fit", "Fit the whole array into view (F)", self.fit))
        return bar

    def _set_up(self) -> None:
        self.plot.hideButtons()
        self.plot.setMenuEnabled(False)
        self.plot.showGrid(x=True, y=True, alpha=0.12)
        self.field.setAccessibleName("field of the structure")
        self.field.textActivated.connect(lambda _name: self.request_series())
        self._later.timeout.connect(self._request_outline)
        self.plot.getViewBox().sigXRangeChanged.connect(lambda *_: self._later.start())
        self.plot.getViewBox().sigResized.connect(lambda *_: self._later.start())
        self.plot.scene().sigMouseMoved.connect(self._point)

    def _show(self, series: Series) -> None:
        array = series.request.array
        self._series = series
        self.stack.show_data()
        self.plot.setLabel("bottom", axis_names(1, array.dimension_names)[0])
        unit = meaning_of(series.values.dtype)
        self.plot.getAxis("left").dates = series.values.dtype if series.values.dtype.kind == "M" else None
        self.plot.setLabel(
            "left", (series.request.field or array.name or "value") + (f" ({unit})" if unit else "")
        )
        self.fit()
        self._request_outline()
        cost = series.request.cost()
        self.reported.emit(
            f"{array.path}: {format_bytes(cost.nbytes)} in {count(cost.chunks, 'chunk')}, "
            f"{format_duration(series.elapsed_s)}"
        )
        self.series_shown.emit(series)

    def _request_outline(self) -> None:
        series = self._series
        if series is None:
            return
        low, high = self.plot.getViewBox().viewRange()[0]
        pixels = max(64, int(self.plot.getViewBox().width()))
        self._drawing.ask(
            lambda _asked: outline(series.numbers, low, high, pixels), self._draw, self.stack.show_error
        )

    def _draw(self, line: Outline) -> None:
        few = line.x.size <= _POINTS_BELOW and line.per_pixel == 1
        drawn = np.isfinite(line.y).any()  # Qt aborts when it is to draw points that are nowhere
        self.curve.setData(
            line.x if drawn else [], line.y if drawn else [], symbol="o" if few else None, symbolSize=5
        )
        size = self._series.numbers.size if self._series is not None else 0
        detail = "" if line.per_pixel == 1 else f" · minimum and maximum of {line.per_pixel:,} per pixel"
        self.note.setText(count(size, "element") + detail)

    def _load_anyway(self) -> None:
        if self._array is not None:
            self._agreed_bytes = SeriesRequest(self._array).cost().nbytes
            self.request_series()

    def _point(self, at: QPointF) -> None:
        series, view = self._series, self.plot.getViewBox()
        if series is None or not view.sceneBoundingRect().contains(at):
            self.pointed.emit("")
            return
        index = round(view.mapSceneToView(at).x())
        inside = 0 <= index < series.values.size
        name = axis_names(1, series.request.array.dimension_names)[0]
        self.pointed.emit(f"{name} = {index:,}:  {format_value(series.values[index])}" if inside else "")
