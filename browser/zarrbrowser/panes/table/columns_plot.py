"""The plot below a table: columns along the rows, or against another column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from zarrbrowser.export.figures.lines import ShownColumns
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.models.grid_model import Cells
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.plot.plot_controls import AxesControls
from zarrbrowser.panes.table.column_choice import ColumnChoice
from zarrbrowser.plot.columns import (
    ColumnPlot,
    ColumnValues,
    PlotAxis,
    PlotError,
    column_plot,
    columns_to_draw,
    cost_of_columns,
    read_columns,
)
from zarrbrowser.plot.curves import Polyline, View, dots
from zarrbrowser.plot.document import PlotChoice
from zarrbrowser.session.error_text import sentence
from zarrbrowser.table.row_order import OrderedGrid, RowTable, column_name, whole_table
from zarrbrowser.theme.colours import Colours
from zarrbrowser.values.numbers import drawing_factor
from zarrbrowser.values.quantities import count
from zarrbrowser.widgets.buttons import switch, tool_button
from zarrbrowser.widgets.plots.graph import Graph
from zarrbrowser.widgets.splitter import side_by_side
from zarrbrowser.workers import Lane, Workers

_DIAMETER = 5
_REACH = 12
"""The pointer is at a point that is nearer than this, in pixels."""
_KEPT_BYTES = 500_000_000
"""Columns that are no longer chosen are kept until all take more than this."""


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A plot at the resolution of the screen."""

    plot: ColumnPlot
    view: View
    lines: tuple[Polyline | None, ...]
    """None for a curve that is drawn as points."""
    dots: NDArray[np.uint8]


class ColumnsPlot(QFrame):
    """Draws chosen columns of the table's rows.

    Signals:
        pointed: the row under the pointer, as text; empty away from points.
        row_chosen: the row of the table whose point was clicked.
        reported: a text for the status bar.
        changed: other columns are shown, or in another way.
        closed: the user closed the plot.
    """

    pointed = Signal(str)
    row_chosen = Signal(int)
    reported = Signal(str)
    changed = Signal()
    closed = Signal()

    def __init__(self, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "foot")
        self._reading, self._drawing, self._finding = (Lane(workers, in_flight=1) for _ in range(3))
        self._grid: RowTable | OrderedGrid | None = None
        self._known: dict[int, ColumnValues] = {}
        self._wants_points: bool | None = None
        """Whether the user wants points, or lines; None if the columns decide."""
        self._agreed_bytes = 0
        self._is_on = False
        self._is_paused = False
        """Whether columns are to be read once the plot is visible."""
        self._before: tuple[str, dict[str, Any]] = "", {}
        """The path of the table before, and its plot: tables are opened again after a change."""
        self._factors = 1.0, 1.0
        """The factors that numbers are multiplied by for drawing."""
        self.shown: ColumnPlot | None = None
        self.choice = ColumnChoice()
        self.graph = Graph("plot of the columns")
        self.graph.plot.showGrid(x=True, y=True, alpha=0.12)
        self.dots = pg.ImageItem(axisOrder="row-major")
        self.graph.plot.addItem(self.dots, ignoreBounds=True)
        self.curves: list[pg.PlotDataItem] = []
        self.stack = DataStack(self.graph, self.request, self._load_anyway)
        self.controls = AxesControls(self.fit, "the whole plot")
        self.points = switch("points", "Draw points, not lines")
        self.controls.row.insertWidget(self.controls.row.indexOf(self.controls.log_x), self.points)
        self.controls.row.addWidget(tool_button("close", "Close the plot", self.closed.emit))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        column.addWidget(side_by_side(self.choice, self.stack, (190, 600)), 1)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._request_drawing)
        self._connect()
        self.hide()

    def _connect(self) -> None:
        self.choice.changed.connect(self._choose)
        self.choice.refused.connect(self.reported)
        self.points.clicked.connect(self._choose_points)
        self.controls.rectangle.toggled.connect(self.graph.zoom_by_rectangle)
        for button in (self.controls.log_x, self.controls.log_y):
            button.clicked.connect(lambda _on: self._ask())
        self.graph.view.sigRangeChanged.connect(lambda *_: self._later.start())
        self.graph.view.sigResized.connect(lambda *_: self._later.start())
        self.graph.plot.scene().sigMouseMoved.connect(lambda at: self._find(at, self._tell))
        self.graph.plot.scene().sigMouseClicked.connect(self._click)

    # The table

    @property
    def is_possible(self) -> bool:
        """Whether the table has columns that can be plotted."""
        return bool(self.choice.up_list.count())

    def show_table(self, grid: Cells | None) -> None:
        """Follow the table: draw its rows if the plot is on."""
        table = _row_table(grid)
        before = self._grid
        if table is None or before is None or whole_table(table) is not whole_table(before):
            if before is not None:
                self._before = before.path, self.document()
            self._forget()
            self.choice.offer([] if table is None else _offered(whole_table(table)))
        self._grid = table
        self.setVisible(self._is_on and self.is_possible)
        if not self._is_on or table is None:
            return
        path, document = self._before
        if self.choice.up or (path == table.path and self.restore(document)):
            self.request()
        else:
            self.turn(is_on=True)

    def turn(self, *, is_on: bool, columns: Sequence[int] = ()) -> None:
        """Show the plot, or hide it.

        Args:
            columns: those to begin with; the first one that can be plotted if none can.
        """
        self._is_on = is_on
        if is_on and (columns or not self.choice.up):
            self._choose_first(columns)
        self.setVisible(is_on and self.is_possible)
        if is_on:
            self.request()
        else:
            self._cancel()

    def document(self) -> dict[str, Any]:
        """The plot as JSON; empty while it is off."""
        grid, x = self._grid, self.choice.across
        if grid is None or not self._is_on:
            return {}
        name = None if x is None else column_name(whole_table(grid), x)
        names = tuple(column_name(whole_table(grid), one) for one in self.choice.up)
        log = self.controls.log_x.isChecked(), self.controls.log_y.isChecked()
        return PlotChoice(name, names, self._wants_points, *log).document()

    def restore(self, document: Mapping[str, Any]) -> bool:
        """Restore the plot from `document`; columns that the table does not have are left out.

        Returns:
            Whether the plot is on now.
        """
        kept = PlotChoice.of(document)
        columns = {} if self._grid is None else {name: one for one, name in _offered(whole_table(self._grid))}
        ys = [] if kept is None else [columns[name] for name in kept.ys if name in columns]
        if kept is None or not ys:
            self.turn(is_on=False)
            return False
        self.choice.choose(None if kept.x is None else columns.get(kept.x), ys)
        self._wants_points = kept.has_points
        self.controls.log_x.setChecked(kept.is_log_x)
        self.controls.log_y.setChecked(kept.is_log_y)
        self.turn(is_on=True)
        return True

    def figure(self) -> ShownColumns | None:
        """The plot, for a figure; None while there is none."""
        plot = self.shown
        if plot is None or not self._is_on:
            return None
        view = self._view()
        x, y = _scale(plot.x, *view.x), _scale(plot.y, *reversed(view.y))
        title = "" if self._grid is None else self._grid.path.rpartition("/")[2]
        return ShownColumns(plot, x, y, not self.points.isChecked(), title)

    def forget_elements(self) -> None:
        """Read the columns again, since elements were changed."""
        self._known.clear()
        self.request()

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self.graph.set_colours(colours)

    def fit(self) -> None:
        """Fit the whole plot into view."""
        if self.shown is not None:
            x, y = (
                [end * factor for end in ends]
                for ends, factor in zip(self.shown.ranges, self._factors, strict=True)
            )
            self.graph.plot.setRange(xRange=x, yRange=y, padding=0)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        super().hideEvent(event)
        if not event.spontaneous() and self._reading.busy:
            self._cancel()
            self._is_paused = True

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        if self._is_paused:
            self.request()

    # Choosing

    def _choose_first(self, columns: Sequence[int]) -> None:
        """Choose these columns, or the first one that can be plotted, over the coordinate that the rows have."""
        if self._grid is None:
            return
        table = whole_table(self._grid)
        offered = [column for column, _ in _offered(table)]
        across = table.row_coordinate
        across = across if across in offered else None
        wanted = [one for one in columns if one in offered and one != across] or [
            one for one in offered if one != across
        ][:1]
        self.choice.choose(across, wanted or offered[:1])
        self._wants_points = None

    def _choose(self) -> None:
        self._wants_points = None
        self._ask()

    def _choose_points(self, is_on: bool) -> None:
        self._wants_points = is_on
        self._request_drawing()
        self.changed.emit()

    def _ask(self) -> None:
        self.request()
        self.changed.emit()

    # Reading

    def request(self) -> None:
        """Read the columns that are not known yet, and draw all; once the plot is visible."""
        grid, x, ys = self._grid, self.choice.across, self.choice.up
        self._cancel()
        self._is_paused = self._is_on and not self.isVisible()
        if grid is None or not self._is_on or self._is_paused:
            return
        if not ys:
            self._show_nothing()
            self.stack.show_sentence("Choose a column to plot.", drawing="array1")
            return
        table, known = whole_table(grid), dict(self._known)
        lacking = [one for one in self._chosen() if one not in known]
        if lacking and not self.stack.may_read(
            cost_of_columns(table, lacking), self._agreed_bytes, "This plot"
        ):
            self._show_nothing()
            return
        is_log_x, is_log_y = self.controls.log_x.isChecked(), self.controls.log_y.isChecked()
        self.stack.wait_for(f"Reading {grid.path}" if lacking else f"Drawing {grid.path}")

        def plot(cancelled: Any) -> tuple[dict[int, ColumnValues], ColumnPlot]:
            read = read_columns(table, lacking, cancelled) if lacking else {}
            return read, column_plot(grid, {**known, **read}, x, ys, is_log_x=is_log_x, is_log_y=is_log_y)

        self._reading.ask(
            lambda asked: plot(asked.is_cancelled),
            lambda found: self._take(*found),
            self._fail,
            f"Reading {count(len(lacking), 'column')} of {grid.path}",
        )

    def _take(self, read: dict[int, ColumnValues], plot: ColumnPlot) -> None:
        self._known.update(read)
        if sum(one.values.nbytes for one in self._known.values()) > _KEPT_BYTES:
            self._known = {one: self._known[one] for one in self._chosen()}
        self.shown = plot
        self._clear_drawing()
        largest = [max(map(abs, ends)) for ends in plot.ranges]
        self._factors = drawing_factor(largest[0]), drawing_factor(largest[1])
        for axis, shown, factor in zip(
            (self.graph.across, self.graph.up), (plot.x, plot.y), self._factors, strict=True
        ):
            axis.whole, axis.dates, axis.offset = shown.is_whole, shown.dates, shown.offset
            axis.setLogMode(shown.is_log)
            axis.setScale(1 / factor)
            axis.setLabel(shown.label)
        for button, shown in ((self.controls.log_x, plot.x), (self.controls.log_y, plot.y)):
            button.setEnabled(shown.dates is None)
        self.stack.show_data()
        self.fit()
        self._request_drawing()

    def _fail(self, error: Exception) -> None:
        self._show_nothing()
        if isinstance(error, PlotError):
            self.stack.show_sentence(sentence(error), drawing="array1")
        else:
            self.stack.show_error(error)

    def _load_anyway(self) -> None:
        if self._grid is not None:
            self._agreed_bytes = cost_of_columns(whole_table(self._grid), self._chosen()).nbytes
            self.request()

    def _cancel(self) -> None:
        for lane in (self._reading, self._drawing, self._finding):
            lane.forget()

    def _chosen(self) -> list[int]:
        """The columns of the plot."""
        return list(dict.fromkeys(one for one in (self.choice.across, *self.choice.up) if one is not None))

    def _show_nothing(self) -> None:
        """Forget the plot that is shown: other columns are chosen."""
        self.shown = None
        self.controls.note.setText("")
        self._clear_drawing()

    def _forget(self) -> None:
        self._cancel()
        self._show_nothing()
        self._known.clear()
        self._is_paused = False
        self._agreed_bytes = 0
        self._wants_points = None
        self.stack.notice.say("")
        for button in (self.controls.log_x, self.controls.log_y):
            button.setChecked(False)

    # Drawing

    def _view(self) -> View:
        """What is on the screen, in the numbers of the curves and the pixels of the screen."""
        ratio = self.graph.devicePixelRatioF()
        box = self.graph.view
        (left, right), (low, high) = box.viewRange()
        across, up = self._factors
        width, height = (max(16, int(length * ratio)) for length in (box.width(), box.height()))
        return View((left / across, right / across), (low / up, high / up), width, height)

    def _request_drawing(self) -> None:
        plot = self.shown
        if plot is None:
            return
        view = self._view()
        has_points = not plot.are_lines if self._wants_points is None else self._wants_points
        with QSignalBlocker(self.points):
            self.points.setChecked(has_points)
        diameter = round(_DIAMETER * self.graph.devicePixelRatioF())

        def drawn() -> _Drawing:
            lines = tuple(None if has_points else curve.line(view) for curve in plot.curves)
            parts = [
                (curve.x, curve.y, curve.colour)
                if line is None
                else (line.x[line.marked], line.y[line.marked], curve.colour)
                for curve, line in zip(plot.curves, lines, strict=True)
            ]
            return _Drawing(plot, view, lines, dots(parts, view, diameter))

        self._drawing.ask(lambda _asked: drawn(), self._draw, self._fail)

    def _clear_drawing(self) -> None:
        """Remove what was drawn, before the axes become those of another plot."""
        self.dots.clear()
        for curve in self.curves:
            curve.setData([], [])

    def _draw(self, drawing: _Drawing) -> None:
        if drawing.plot is not self.shown:
            return
        across, up = self._factors
        while len(self.curves) < len(drawing.lines):
            self.curves.append(self.graph.plot.plot(connect="finite"))
        for number, curve in enumerate(self.curves):
            line = drawing.lines[number] if number < len(drawing.lines) else None
            is_drawn = line is not None and bool(np.isfinite(line.y).any())
            # Qt aborts when it draws points without coordinates.
            if line is None or not is_drawn:
                curve.setData([], [])
            else:
                curve.setPen(pg.mkPen(drawing.plot.curves[number].colour, width=1.5))
                curve.setData(line.x * across, line.y * up)
        (left, right), (low, high) = drawing.view.x, drawing.view.y
        self.dots.setImage(drawing.dots, autoLevels=False, levels=(0, 255))
        self.dots.setRect(QRectF(left * across, low * up, (right - left) * across, (high - low) * up))
        self.controls.note.setText(self._note(drawing))

    def _note(self, drawing: _Drawing) -> str:
        parts = [] if self._grid is None else [count(self._grid.rows, "row")]
        per_pixel = max((line.per_pixel for line in drawing.lines if line is not None), default=1)
        if per_pixel > 1:
            parts.append(f"minimum and maximum of about {per_pixel:,} per pixel")
        if not self.points.isChecked() and None in drawing.lines:
            parts.append("points, as lines would cover the plot")
        if drawing.plot.left_out:
            parts.append(drawing.plot.left_out)
        return " · ".join(parts)

    # The pointer

    def _find(self, at: QPointF, then: Any) -> None:
        """Find the row at a position of the scene."""
        plot, there = self.shown, self.graph.place_of(at)
        if plot is None or there is None:
            self.pointed.emit("")
            return
        view = self._view()
        place = there.x() / self._factors[0], there.y() / self._factors[1]
        is_across = plot.are_lines and not self.points.isChecked()

        def found() -> int | None:
            near = [curve.nearest(place, view, is_across=is_across) for curve in plot.curves]
            distance, row = min((one for one in near if one is not None), default=(np.inf, -1))
            return row if distance <= _REACH or (is_across and row >= 0) else None

        self._finding.ask(lambda _asked: found(), then, self._fail)

    def _tell(self, row: int | None) -> None:
        texts = [
            self._known[one].text(row) for one in self._chosen() if row is not None and one in self._known
        ]
        self.pointed.emit(f"row {row:,}:  {', '.join(texts)}" if row is not None else "")

    def _click(self, event: Any) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._find(event.scenePos(), lambda row: None if row is None else self.row_chosen.emit(row))


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


def _row_table(grid: Cells | None) -> RowTable | OrderedGrid | None:
    """The table if its rows are elements and it has columns; None for planes and arrays of one axis."""
    if grid is None:
        return None
    return grid if whole_table(grid).fields else None


def _offered(table: RowTable) -> list[tuple[int, str]]:
    return [(column, column_name(table, column)) for column in columns_to_draw(table)]
