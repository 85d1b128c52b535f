"""The panel of series: lines along an axis through the points that the user clicks."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QWidget

from zarrbrowser.image.probe import element_at
from zarrbrowser.image.series_at_point import SeriesAtPoint, axes_of_series, write_csv
from zarrbrowser.image.state import Change
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.panes.image.tools.graph_panel import GraphPanel
from zarrbrowser.panes.image.tools.projected_picture import ProjectedPicture
from zarrbrowser.plot.curves import LINE_COLOURS
from zarrbrowser.session.error_text import sentence
from zarrbrowser.theme.colours import Colours
from zarrbrowser.values.elements import unit_of
from zarrbrowser.values.numbers import drawing_factor, finite
from zarrbrowser.values.quantities import count, format_bytes
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.graph import Graph
from zarrbrowser.widgets.label import label
from zarrbrowser.workers import Workers
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


def _mark(marks: pg.ScatterPlotItem, lines: Sequence[_Line], places: Sequence[tuple[float, float]]) -> None:
    """Show the points of lines at places down and to the right."""
    marks.setData(
        [column for _row, column in places],
        [row for row, _column in places],
        brush=[pg.mkBrush(line.colour) for line in lines],
        pen=pg.mkPen("w", width=1.5),
    )


class SeriesPanel(GraphPanel[Graph]):
    """Clicks in the picture add points while the panel is on."""

    def __init__(
        self,
        model: ImageModel,
        workers: Workers,
        canvas: Canvas,
        projection: ProjectedPicture,
        coordinate_labels: CoordinateLabels,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(
            "series", "Series along", "axis of the series", model, workers, coordinate_labels, parent
        )
        self.lines: list[_Line] = []
        self.remove = push_button("Clear", self.clear)
        self._row.addWidget(self.remove)
        self.legend = label(wrap=True)
        """The points by the colours of their lines."""
        self.legend.setContentsMargins(12, 0, 12, 0)
        self.legend.setTextFormat(Qt.TextFormat.RichText)  # names of axes are escaped
        self.legend.hide()
        self._column.addWidget(self.legend)
        self.here = pg.InfiniteLine(angle=90)
        """The position of the picture along the axis."""
        self.marks = pg.ScatterPlotItem(size=11, pxMode=True)
        self.marks.setZValue(11)
        canvas.view.addItem(self.marks, ignoreBounds=True)
        self.map_marks = pg.ScatterPlotItem(size=11, pxMode=True)
        """The same in a projection."""
        self.map_marks.setZValue(11)
        self._projection = projection
        projection.changed.connect(self._mark_map)
        self.axis.activated.connect(lambda _row: self._start_again())
        canvas.picked.connect(self.add)

    def _make_graph(self) -> Graph:
        made = Graph("series through the clicked points", is_counted=True)
        made.setFixedHeight(_HEIGHT)
        made.plot.addItem(self.here)
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
        self._name_lines()
        self._show_marks()
        self._show_state()

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        super().set_colours(colours)
        self.here.setPen(pg.mkPen(colours.muted, width=1))

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
        if self.has_graph:
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
            line.curve.setData(self._across(np.arange(drawn.size)), drawn)
        self._name_lines()
        self._label()

    def _name_lines(self) -> None:
        """Say which point each line is of: above the graph, where it hides none."""
        known = self._coordinate_labels.coordinates
        told = [
            f'<span style="color: {line.colour}">●</span>&nbsp;{html.escape(line.request.place_text(known))}'
            for line in self.lines
            if line.numbers is not None
        ]
        self.legend.setText(" &nbsp; ".join(told))
        self.legend.setVisible(bool(told))

    def _show_marks(self) -> None:
        _mark(self.marks, self.lines, [line.request.place for line in self.lines])
        self._mark_map()

    def _mark_map(self) -> None:
        """Mark the points in the map projection, if there is one: those that it shows."""
        canvas = self._projection.canvas
        if canvas is None:
            return
        if self.map_marks.getViewBox() is None:
            canvas.view.addItem(self.map_marks, ignoreBounds=True)
        there = np.array([line.request.place for line in self.lines], np.float64).reshape(-1, 2)
        found = self._projection.on_map(there[:, 0], there[:, 1])
        known = [] if found is None else [*zip(self.lines, *(one.tolist() for one in found), strict=True)]
        known = [one for one in known if math.isfinite(one[1]) and math.isfinite(one[2])]
        _mark(self.map_marks, [line for line, *_ in known], [(row, column) for _, row, column in known])

    def _label(self) -> None:
        state, axis = self._model.state, self.axis.currentData()
        if state is None or axis is None or not self._is_on:
            return
        coordinate = self._coordinate_labels.coordinates.get(axis)
        if self._find_places(coordinate):
            self._draw()  # which labels it
            return
        self.graph.across.show_coordinate(state.settings.axes.names[axis], self._places[1] or coordinate)
        self.plot.setLabel("left", unit_of(state.image.base, state.settings.elements) or "value")
        self.here.setVisible(axis not in state.settings.axes.shown)
        self.here.setValue(float(self._across(np.array([state.settings.axes.index[axis]]))[0]))

    # Export

    def write(self, path: str) -> None:
        """Write all series to a CSV file."""
        axis, state = self.axis.currentData(), self._model.state
        known = self._coordinate_labels.coordinates
        series = [
            (line.request.described(known), line.numbers) for line in self.lines if line.numbers is not None
        ]
        if state is None or not series:
            return
        name = state.settings.axes.names[axis]
        self._report_written(path, lambda: write_csv(path, name, known.get(axis), series))
