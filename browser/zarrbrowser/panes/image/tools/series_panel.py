"""The panel of series: lines along an axis through the points that the user clicks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from zarrbrowser.image.levels import Image
from zarrbrowser.image.probe import element_at
from zarrbrowser.image.series_at_point import SeriesAtPoint, axes_of_series, write_csv
from zarrbrowser.image.state import Change
from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.plot.curves import LINE_COLOURS
from zarrbrowser.session.error_text import sentence
from zarrbrowser.theme.colours import Colours
from zarrbrowser.values.elements import unit_of
from zarrbrowser.values.numbers import drawing_factor, finite
from zarrbrowser.values.quantities import count, format_bytes
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.graph import Graph
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.save_dialog import ask_for_file
from zarrbrowser.workers import Lane, Workers
from zarrcore.typing import AnyArray

_HEIGHT = 190
_NO_MORE = f"At most {len(LINE_COLOURS)} points: clear them first."


@dataclass(slots=True)
class _Line:
    """A clicked point, and the numbers through it; None until they are read."""

    request: SeriesAtPoint
    colour: str
    curve: pg.PlotDataItem
    numbers: AnyArray | None = None


class SeriesPanel(QFrame):
    """Clicks in the picture add points while the panel is on.

    Signals:
        reported: a text for the status bar.
    """

    reported = Signal(str)

    def __init__(
        self,
        model: ImageModel,
        workers: Workers,
        canvas: Canvas,
        coordinate_labels: CoordinateLabels,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "foot")
        self._model, self._canvas, self._coordinate_labels = model, canvas, coordinate_labels
        self._lane = Lane(workers, in_flight=1)
        self._image: Image | None = None
        self._is_on = False
        self._agreed_bytes = ASK_ABOVE_BYTES
        self.lines: list[_Line] = []
        self.axis = QComboBox()
        name_box(self.axis, "axis of the series")
        self.words = label(role="muted")
        self.go_on = push_button("Read", self._agree)
        self.export = push_button("Export CSV…", self._ask_where, drawing="export")
        self.remove = push_button("Clear", self.clear)
        self.here = pg.InfiniteLine(angle=90)
        """The position of the picture along the axis."""
        self._colours: Colours | None = None
        self.marks = pg.ScatterPlotItem(size=11, pxMode=True)
        self.marks.setZValue(11)
        canvas.view.addItem(self.marks, ignoreBounds=True)
        self._lay_out()
        self.axis.activated.connect(lambda _row: self._start_again())
        canvas.picked.connect(self.add)
        coordinate_labels.changed.connect(self._label)
        model.changed.connect(self._follow)
        self.hide()

    @cached_property
    def graph(self) -> Graph:
        """The plot, made when the panel is first shown: that takes 10 ms, and most images are never asked for a series."""
        made = Graph("series through the clicked points", is_counted=True)
        made.setFixedHeight(_HEIGHT)
        made.plot.addItem(self.here)
        if self._colours is not None:
            made.set_colours(self._colours)
        self._column.addWidget(made)
        return made

    @property
    def plot(self) -> Any:
        """The curves of the graph."""
        return self.graph.plot

    def turn(self, *, is_on: bool) -> None:
        """Begin or end to take clicks as points."""
        self._is_on = is_on
        if is_on:
            self.graph.show()
            self._offer_axes()
        else:
            self.clear()
        self.setVisible(is_on)

    def add(self, place: tuple[float, float]) -> None:
        """Add the element at a position down and to the right."""
        state = self._model.state
        if not self._is_on or state is None or self.axis.count() == 0:
            return
        if len(self.lines) == len(LINE_COLOURS):
            self.words.setText(_NO_MORE)
            return
        request = SeriesAtPoint(state.image, state.settings, element_at(place), self.axis.currentData())
        used = {line.colour for line in self.lines}
        colour = next(one for one in LINE_COLOURS if one not in used)
        curve = self.plot.plot(connect="finite", pen=pg.mkPen(colour, width=1.5))
        self.lines.append(_Line(request, colour, curve))
        self._show_marks()
        self._read_next()

    def clear(self) -> None:
        """Remove all points."""
        self._lane.forget()
        for line in self.lines:
            self.plot.removeItem(line.curve)
        self.lines.clear()
        self._show_marks()
        self._show_state()

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self._colours = colours
        if "graph" in vars(self):
            self.graph.set_colours(colours)
        self.here.setPen(pg.mkPen(colours.muted, width=1))

    def _lay_out(self) -> None:
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setContentsMargins(12, 6, 12, 2)
        row.setSpacing(8)
        row.addWidget(label("Series along"))
        row.addWidget(self.axis)
        row.addWidget(self.words, 1)
        for button in (self.go_on, self.export, self.remove):
            row.addWidget(button)
        column.addLayout(row)

    # The picture

    def _follow(self, change: Change) -> None:
        state = self._model.state
        image = state.image if state is not None else None
        if image is not self._image:
            self._image = image
            self.clear()
            self._offer_axes()
        elif change & Change.AXES:
            self._offer_axes()
            self._start_again()
        elif change & (Change.VALUES | Change.CHANNELS):
            self._start_again()
        if change & (Change.POSITION | Change.AXES):
            self._label()

    def _offer_axes(self) -> None:
        state = self._model.state
        wanted = self.axis.currentText()
        with QSignalBlocker(self.axis):
            self.axis.clear()
            if state is not None:
                axes = state.settings.axes
                for axis in axes_of_series(axes):
                    self.axis.addItem(axes.names[axis], axis)
            self.axis.setCurrentIndex(max(0, self.axis.findText(wanted)))
        self._label()
        self._show_state()

    def _start_again(self) -> None:
        """Read all points again: along another axis, or other numbers."""
        state = self._model.state
        if state is None:
            return
        self._lane.forget()
        for line in self.lines:
            index, axes = line.request.index, state.settings.axes
            settings = replace(
                state.settings, axes=replace(axes, index=index)
            )  # the same element, whatever the plane
            place = index[axes.rows], index[axes.columns]
            line.request = SeriesAtPoint(state.image, settings, place, self.axis.currentData())
            line.numbers = None
            line.curve.setData([], [])
        self._show_marks()
        self._label()
        self._read_next()

    # Reading

    def _read_next(self) -> None:
        """Read the first point that has no numbers yet, if it does not take too much."""
        line = next((one for one in self.lines if one.numbers is None), None)
        self._show_state()
        if line is None or self._lane.busy or line.request.cost().nbytes > self._agreed_bytes:
            return
        request = line.request
        self._lane.ask(
            lambda asked: request.read(asked.is_cancelled, asked.progress),
            lambda numbers: self._add_numbers(line, numbers),
            self._fail,
            f"Reading the series at {request.name}",
        )

    def _add_numbers(self, line: _Line, numbers: AnyArray) -> None:
        line.numbers = numbers
        self._draw()
        self._read_next()

    def _fail(self, error: Exception) -> None:
        for line in [one for one in self.lines if one.numbers is None]:
            self.plot.removeItem(line.curve)
            self.lines.remove(line)
        self._show_marks()
        self.words.setText(sentence(error))

    def _agree(self) -> None:
        self._agreed_bytes = max(line.request.cost().nbytes for line in self.lines)
        self._read_next()

    # Showing

    def _show_state(self) -> None:
        waiting = [line for line in self.lines if line.numbers is None]
        cost = waiting[0].request.cost() if waiting else None
        asks = cost is not None and cost.nbytes > self._agreed_bytes
        self.go_on.setVisible(asks)
        self.export.setEnabled(any(line.numbers is not None for line in self.lines))
        self.remove.setEnabled(bool(self.lines))
        if "graph" in vars(self):
            names = ", ".join(line.request.name for line in self.lines)
            self.graph.setAccessibleDescription(f"{names or 'no points'}, along {self.axis.currentText()}")
        if cost is None and len(self.lines) == len(LINE_COLOURS):
            text = _NO_MORE
        elif cost is None:
            text = "" if self.lines else "Click in the picture to add a point."
        elif asks:
            text = f"This reads {count(cost.chunks, 'chunk')}, {format_bytes(cost.nbytes)} of decoded data."
        else:
            text = f"Reading {count(cost.chunks, 'chunk')}…"
        self.words.setText(text if self.axis.count() else "This image has no axis for a series.")

    def _draw(self) -> None:
        read = [line for line in self.lines if line.numbers is not None]
        known = [finite(line.numbers) for line in read if line.numbers is not None]
        largest = max((float(np.abs(one).max()) for one in known if one.size), default=0.0)
        factor = drawing_factor(largest)
        self.graph.up.setScale(1 / factor)
        for line, numbers in zip(read, known, strict=True):
            # Qt aborts when it draws points without coordinates.
            drawn = line.numbers * factor if numbers.size and line.numbers is not None else np.empty(0)
            line.curve.setData(np.arange(drawn.size), drawn)
        self._label()

    def _show_marks(self) -> None:
        self.marks.setData(
            [line.request.place[1] for line in self.lines],
            [line.request.place[0] for line in self.lines],
            brush=[pg.mkBrush(line.colour) for line in self.lines],
            pen=pg.mkPen("w", width=1.5),
        )

    def _label(self) -> None:
        state, axis = self._model.state, self.axis.currentData()
        if state is None or axis is None or not self._is_on:
            return
        coordinate = self._coordinate_labels.coordinates.get(axis)
        self.graph.across.show_coordinate(state.settings.axes.names[axis], coordinate)
        self.plot.setLabel("left", unit_of(state.image.base, state.settings.elements) or "value")
        self.here.setVisible(axis not in state.settings.axes.shown)
        self.here.setValue(state.settings.axes.index[axis])

    # Export

    def _ask_where(self) -> None:
        title, filters = "Export the series to a file", "Comma-separated values (*.csv)"
        ask_for_file(self, title, filters, "csv", "series.csv", self.write)

    def write(self, path: str) -> None:
        """Write all series to a CSV file."""
        axis, state = self.axis.currentData(), self._model.state
        known = self._coordinate_labels.coordinates
        series = [
            (line.request.described(known), line.numbers) for line in self.lines if line.numbers is not None
        ]
        if state is None or not series:
            return
        try:
            write_csv(path, state.settings.axes.names[axis], known.get(axis), series)
        except OSError as error:
            self.reported.emit(f"{path} was not written: {sentence(error)}")
        else:
            self.reported.emit(f"Exported to {path}")
