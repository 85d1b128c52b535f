"""The Plot tab: an array with one axis as a line."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from zarrbrowser.export.figures.lines import ShownPlot
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.export.viewed_array import ViewedArray
from zarrbrowser.image.axes import Axes, axis_names
from zarrbrowser.image.displayed_slice import DisplayedSlice
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.probe import describe
from zarrbrowser.nodes.protocols import ArrayLike, NodeLike, is_array
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.panes.never_written import report_if_never_written
from zarrbrowser.panes.pane import Pane
from zarrbrowser.panes.plot_controls import PlotControls
from zarrbrowser.plot.curves import FEW_POINTS
from zarrbrowser.plot.places import Places, places_along
from zarrbrowser.plot.series import (
    Outline,
    Series,
    SeriesRequest,
    bars_along,
    left_out_text,
    log_outline,
    other_numbers,
    outline,
    outline_at,
    read_series,
)
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.theme import current_colours
from zarrbrowser.values.elements import Elements, Part, elements_of, is_complex, unit_of, unpacking_of
from zarrbrowser.values.numbers import drawable_fields, drawing_factor, meaning_of
from zarrbrowser.values.quantities import count, format_bytes, format_duration, format_level
from zarrbrowser.widgets.graph import Graph
from zarrbrowser.workers import Lane, Workers


class PlotPane(Pane):
    """Shows one array of one axis.

    Signals:
        series_shown: the displayed `Series`.
    """

    series_shown = Signal(object)

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self._reading, self._drawing = Lane(workers), Lane(workers, in_flight=1)
        self._storage_lane = Lane(workers, in_flight=1)
        self.coordinate_labels = CoordinateLabels(workers, self)
        self._array: ArrayLike | None = None
        self._find: Callable[[str], Any] | None = None
        self.series: Series | None = None
        self._places: Places | None = None
        self._elements = Elements()
        self._agreed_bytes = 0
        self._is_paused = False
        self._factor = 1.0
        """The factor that numbers are multiplied by for drawing."""
        self.graph = Graph("plot of the array", is_counted=True)
        self.plot = self.graph.plot
        self.pointed.connect(self._describe)
        self.curve = pg.PlotDataItem(connect="finite")
        self.plot.addItem(self.curve)
        self.bars = pg.PlotDataItem(connect="finite")
        self.plot.addItem(self.bars)
        self.stack = DataStack(self.graph, self.request_series, self._load_anyway)
        self.controls = PlotControls(self.fit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        column.addWidget(self.stack, 1)
        self.stack.settled.connect(self.settled)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._set_up()
        self.update_colours()

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show a one-dimensional array."""
        if is_array(node):
            self.show_array(node, source, is_unpacked=self.session.is_unpacked(source, node.path))

    def show_array(self, array: ArrayLike, source: Source | None = None, *, is_unpacked: bool = True) -> None:
        """Show an array, unpacked or as stored; with its source also its coordinates."""
        self.clear()
        self._array, self._find = array, source.hierarchy.node if source is not None else None
        fields = drawable_fields(array.dtype)
        self._elements = elements_of(array, is_unpacked=is_unpacked)
        dtype = array.dtype[fields[0]] if fields else array.dtype
        is_packed = unpacking_of(array) is not None
        self.controls.show_kind(
            fields, is_complex=is_complex(dtype), is_packed=is_packed, is_unpacked=is_unpacked
        )
        if source is not None:
            self.coordinate_labels.look_for(image_of_array(array), source.hierarchy.node)
        self.request_series()

    def unpack(self, *, is_on: bool) -> None:
        """Show unpacked values or stored numbers."""
        if self._array is not None:
            self.controls.unpacking.setChecked(is_on)

    def viewed(self) -> ViewedArray | None:
        """The line, for export."""
        displayed = self.displayed()
        return None if displayed is None else ViewedArray.of(displayed)

    def displayed(self) -> DisplayedSlice | None:
        """The displayed slice as a value without Qt; None while there is none."""
        series = self.series
        if series is None:
            return None
        array = series.request.array
        low, high = self._in_view()
        start = min(max(0, math.floor(low)), array.shape[0])
        stop = max(start, min(array.shape[0], math.ceil(high) + 1))
        axes = Axes(tuple(array.shape), (self._axis_name(array),), 0, 0, None, (0,))
        everything = (slice(0, array.shape[0]),)
        in_view = (slice(start, stop),)
        return DisplayedSlice(array, array.path, 0, axes, everything, in_view, elements=self._elements)

    def figure(self) -> ShownPlot | None:
        """The plot, for a figure; None while there is none."""
        series = self.series
        if series is None:
            return None
        (left, right), (low, high) = self.graph.view.viewRange()
        across, down = self.graph.across, self.graph.up
        name = series.request.array.name or "array"
        is_log = self.controls.log_x.isChecked()
        coordinate = None if is_log else self._places or self.coordinate_labels.coordinates.get(0)
        x = Scale(across.labelText, left, right, coordinate, is_whole=True, is_log=is_log)
        y = Scale(
            down.labelText,
            high / self._factor,
            low / self._factor,
            is_log=series.is_log,
            dates=down.dates,
            offset=series.offset,
        )
        return ShownPlot(series.numbers, x, y, name, series.bars, self._places)

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._reading.forget()
        self._drawing.forget()
        self._storage_lane.forget()
        self.coordinate_labels.forget()
        self._array = self._find = self.series = self._places = None
        self._agreed_bytes, self._is_paused = 0, False
        self.curve.setData([], [])
        self.bars.setData([], [])
        self.controls.note.setText("")
        self.stack.notice.say("")

    def request_series(self) -> None:
        """Read the array."""
        self._is_paused = False
        array = self._array
        if array is None:
            return
        if array.shape[0] == 0:
            self.stack.show_sentence("This array holds no elements: its length is 0.", drawing="array1")
            return
        request = SeriesRequest(array, self._elements, self._find)
        if not self.stack.may_read(request.cost(), self._agreed_bytes, "This array"):
            return
        what, is_log = f"Reading {array.path}", self.controls.log_y.isChecked()
        self.stack.wait_for(f"{what}: {format_bytes(request.cost().nbytes)}")
        self._reading.ask(
            lambda asked: read_series(request, asked.is_cancelled, is_log=is_log),
            self._show,
            self.stack.show_error,
            what,
        )

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        super().hideEvent(event)
        if not event.spontaneous() and self.series is None and self._reading.busy:
            self._reading.forget()
            self._is_paused = True

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        if self._is_paused:
            self.request_series()

    def fit(self) -> None:
        """Fit the whole array into view."""
        series = self.series
        if series is None:
            return
        last, (low, high) = max(1, series.numbers.size - 1), series.extremes
        low, high = low * self._factor, high * self._factor
        least = 1e-11 * max(abs(low), abs(high))  # a narrower range has no distinct tick values
        high = high if high - low > least else low + max(1.0, 1e-3 * abs(low))
        left, right = 0.0, math.log10(max(last, 2)) if self.controls.log_x.isChecked() else last
        if self._places is not None and self._places.at.size:
            left, right = self._places.at[[0, -1]]
        self.plot.setRange(xRange=(left, right), yRange=(low, high))

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        colours = current_colours()
        self.graph.set_colours(colours)
        self.curve.setPen(pg.mkPen(colours.accent, width=1.5))
        self.curve.setSymbolBrush(colours.accent)
        self.curve.setSymbolPen(colours.accent)
        self.bars.setPen(pg.mkPen(colours.accent, width=1))

    def _set_up(self) -> None:
        self.plot.showGrid(x=True, y=True, alpha=0.12)
        controls = self.controls
        controls.field.textActivated.connect(
            lambda name: self._choose(replace(self._elements, field=name or None))
        )
        controls.part.activated.connect(
            lambda row: self._choose(replace(self._elements, part=list(Part)[row]))
        )
        controls.unpacking.toggled.connect(self._unpack)
        controls.log_x.toggled.connect(self._scale)
        controls.log_y.toggled.connect(lambda _on: self._choose(self._elements))
        controls.rectangle.toggled.connect(self.graph.zoom_by_rectangle)
        self.coordinate_labels.changed.connect(self._place)
        self._later.timeout.connect(self._request_outline)
        self.graph.view.sigXRangeChanged.connect(lambda *_: self._later.start())
        self.graph.view.sigResized.connect(lambda *_: self._later.start())
        self.plot.scene().sigMouseMoved.connect(self._point)

    def _choose(self, elements: Elements) -> None:
        """Show other numbers of the same elements, or their logarithms."""
        self._elements = elements
        series, is_log = self.series, self.controls.log_y.isChecked()
        if series is not None:
            self._reading.ask(
                lambda _asked: other_numbers(series, elements, is_log=is_log),
                self._show,
                self.stack.show_error,
                f"Calculating {series.request.array.path}",
            )

    def _unpack(self, is_on: bool) -> None:
        if self._array is not None:
            self._choose(replace(self._elements, packing=unpacking_of(self._array) if is_on else None))
            self.unpacked.emit(is_on)

    def _scale(self, is_log: bool) -> None:
        """Set coordinates, or indices, or their logarithms along the axis."""
        self.graph.across.setLogMode(is_log)
        self._place(is_other_scale=True)

    def _place(self, *, is_other_scale: bool = False) -> None:
        """Put the elements where their coordinates are."""
        before = self._places
        coordinate = self.coordinate_labels.coordinates.get(0)
        self._places = places_along(coordinate, is_log=self.controls.log_x.isChecked())
        self._label()
        if is_other_scale or self._places is not before:
            self._drawing.forget()  # an outline of the other scale must not be drawn on this one
            self.fit()
            self._request_outline()

    def _show(self, series: Series) -> None:
        array = series.request.array
        self._drawing.forget()  # an outline of other numbers must not get the error bars of these
        self.series = series
        self._factor = 1.0 if series.is_log else drawing_factor(max(map(abs, series.extremes)))
        left = self.graph.up
        left.setLogMode(series.is_log)
        left.setScale(1 / self._factor)
        left.offset = series.offset
        self.stack.show_data()
        self._label()
        self.fit()
        self._request_outline()
        if series.extremes[0] == series.extremes[1]:
            report_if_never_written(array, self._storage_lane, self.stack.notice.show_text)
        cost = series.request.cost()
        self.reported.emit(
            f"{array.path}: {format_bytes(cost.nbytes)} in {count(cost.chunks, 'chunk')}, "
            f"{format_duration(series.elapsed_s)}"
        )
        self.series_shown.emit(series)
        if series.is_log != self.controls.log_y.isChecked():
            self._choose(self._elements)  # it was chosen while the array was read

    def _axis_name(self, array: ArrayLike) -> str:
        """The name of the axis, which may be only that of its coordinates."""
        coordinate = self.coordinate_labels.found.get(0)
        return (coordinate.name if coordinate is not None else "") or axis_names(1, array.dimension_names)[0]

    def _label(self) -> None:
        series = self.series
        if series is None:
            return
        array, dtype = series.request.array, self._elements.of(series.values).dtype
        name = self._axis_name(array)
        shown = self._places or self.coordinate_labels.coordinates.get(0)
        if self.controls.log_x.isChecked() and self._places is None:
            shown = None  # logarithms of positions are drawn
        self.graph.across.show_coordinate(name, shown)
        unit = self._elements.part.value if is_complex(dtype) else meaning_of(dtype)
        unit = unit or unit_of(array, self._elements)
        left = self.graph.up
        left.dates = dtype if dtype.kind == "M" else None
        self.plot.setLabel(
            "left", (self._elements.field or array.name or "value") + (f" ({unit})" if unit else "")
        )

    def _in_view(self) -> tuple[float, float]:
        """First and last index on the screen."""
        low, high = self.graph.view.viewRange()[0]
        if self._places is not None and self._places.at.size:
            ends = sorted((self._places.nearest(low), self._places.nearest(high)))
            return float(ends[0]), float(ends[1])
        return (
            (10.0 ** min(low, 18), 10.0 ** min(high, 18)) if self.controls.log_x.isChecked() else (low, high)
        )

    def _request_outline(self) -> None:
        series = self.series
        if series is None:
            return
        low, high = self.graph.view.viewRange()[0]
        pixels = max(64, int(self.graph.view.width()))
        draw, numbers = (log_outline if self.controls.log_x.isChecked() else outline), series.numbers
        draw = draw if self._places is None else partial(outline_at, self._places)
        self._drawing.ask(lambda _asked: draw(numbers, low, high, pixels), self._draw, self.stack.show_error)

    def _draw(self, line: Outline) -> None:
        few = line.x.size <= FEW_POINTS and line.per_pixel == 1
        drawn = np.isfinite(line.y).any()  # Qt aborts when it draws points without coordinates
        self.curve.setData(
            line.x if drawn else [],
            line.y * self._factor if drawn else [],
            symbol="o" if few else None,
            symbolSize=5,
        )
        is_log = self.controls.log_x.isChecked()
        self._draw_bars(line)
        many = f"up to {line.per_pixel:,}" if is_log or self._places is not None else f"{line.per_pixel:,}"
        detail = "" if line.per_pixel == 1 else f" · minimum and maximum of {many} per pixel"
        if self.series is not None:
            left_out = left_out_text(self.series, is_log_x=is_log, places=self._places)
            if (problem := self.series.uncertainties.problem) is not None:
                left_out += f" · without error bars: {sentence(problem)}"
            self.controls.note.setText(count(self.series.numbers.size, "element") + detail + left_out)
            self._describe()

    def _describe(self, pointed: str = "") -> None:
        """Say for screen readers what is drawn, and the value under the pointer."""
        path = "" if self._array is None else self._array.path
        self.graph.setAccessibleDescription(
            ", ".join(filter(None, (path, self.controls.note.text(), pointed)))
        )

    def _draw_bars(self, line: Outline) -> None:
        series = self.series
        found = None if series is None else bars_along(series.bars, line)
        x, y = ([], []) if found is None else (found[0], found[1] * self._factor)
        self.bars.setData(x, y)

    def _load_anyway(self) -> None:
        if self._array is not None:
            self._agreed_bytes = SeriesRequest(self._array).cost().nbytes
            self.request_series()

    def _point(self, at: QPointF) -> None:
        series, there = self.series, self.graph.place_of(at)
        if series is None or there is None:
            self.pointed.emit("")
            return
        place = there.x()
        index = round(10.0 ** min(place, 18.0) if self.controls.log_x.isChecked() else place)
        if self._places is not None:
            index = self._places.nearest(place)
        if not 0 <= index < series.values.size:
            self.pointed.emit("")
            return
        name, coordinate = self._axis_name(series.request.array), self.coordinate_labels.coordinates.get(0)
        meaning = f" ({coordinate.text(index)})" if coordinate is not None else ""
        value = describe(self._elements, series.values[index], series.request.array)
        if series.bars is not None and series.uncertainties.deviations is not None:
            value += f" ± {format_level(float(series.uncertainties.deviations[index]))}"
        self.pointed.emit(f"{name} = {index:,}{meaning}:  {value}")
