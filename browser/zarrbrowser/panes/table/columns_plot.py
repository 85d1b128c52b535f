"""The plot below a table: columns along the rows, or against another column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from zarrbrowser.export.figures.lines import ShownColumns
from zarrbrowser.models.grid_model import Cells
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.plot_controls import AxesControls
from zarrbrowser.panes.table.column_choice import ColumnChoice
from zarrbrowser.panes.table.column_graph import ColumnGraph
from zarrbrowser.plot.columns import (
    ColumnPlot,
    ColumnValues,
    PlotError,
    column_plot,
    columns_to_draw,
    cost_of_columns,
    read_columns,
)
from zarrbrowser.plot.document import PlotChoice
from zarrbrowser.plot.drawing import Drawing
from zarrbrowser.session.error_text import sentence
from zarrbrowser.table.row_order import OrderedGrid, RowTable, column_name, whole_table
from zarrbrowser.theme.colours import Colours
from zarrbrowser.values.quantities import count
from zarrbrowser.widgets.buttons import switch, tool_button
from zarrbrowser.widgets.splitter import side_by_side
from zarrbrowser.workers import Lane, Workers

_KEPT_BYTES = 500_000_000
"""Columns that are no longer chosen are kept until all take more than this."""


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
        self._reading = Lane(workers, in_flight=1)
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
        self.choice, self.graph = ColumnChoice(), ColumnGraph(workers)
        self.stack = DataStack(self.graph, self.request, self._load_anyway)
        self.controls = AxesControls(self.fit, "the whole plot")
        self.points = switch("points", "Draw points, not lines")
        self.controls.row.insertWidget(self.controls.row.indexOf(self.controls.log_x), self.points)
        self.controls.row.addWidget(tool_button("close", "Close the plot", self.closed.emit))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        column.addWidget(side_by_side(self.choice, self.stack, (190, 600), "between columns and plot"), 1)
        self._connect()
        self.hide()

    def _connect(self) -> None:
        self.choice.changed.connect(self._choose)
        self.choice.refused.connect(self.reported)
        self.points.clicked.connect(self._choose_points)
        self.controls.rectangle.toggled.connect(self.graph.zoom_by_rectangle)
        for button in (self.controls.log_x, self.controls.log_y):
            button.clicked.connect(lambda _on: self._read_and_announce())
        self.graph.drawn.connect(self._tell_drawing)
        self.graph.failed.connect(self._fail)
        self.graph.row_pointed.connect(self._tell_row)
        self.graph.row_chosen.connect(self.row_chosen)

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
        title = "" if self._grid is None else self._grid.path.rpartition("/")[2]
        return self.graph.figure(title) if self._is_on else None

    def forget_elements(self) -> None:
        """Read the columns again, since elements were changed."""
        self._known.clear()
        self.request()

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self.graph.set_colours(colours)

    def fit(self) -> None:
        """Fit the whole plot into view."""
        self.graph.fit()

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
        self._read_and_announce()

    def _choose_points(self, is_on: bool) -> None:
        self._wants_points = is_on
        self.graph.show_points(is_on=is_on)
        self.changed.emit()

    def _read_and_announce(self) -> None:
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
            lambda found: self._show_columns(*found),
            self._fail,
            f"Reading {count(len(lacking), 'column')} of {grid.path}",
        )

    def _show_columns(self, read: dict[int, ColumnValues], plot: ColumnPlot) -> None:
        self._known.update(read)
        if sum(one.values.nbytes for one in self._known.values()) > _KEPT_BYTES:
            self._known = {one: self._known[one] for one in self._chosen()}
        has_points = not plot.are_lines if self._wants_points is None else self._wants_points
        self.points.setChecked(has_points)
        for button, shown in ((self.controls.log_x, plot.x), (self.controls.log_y, plot.y)):
            button.setEnabled(shown.dates is None)
        self.stack.show_data()
        self.graph.show_plot(plot, has_points=has_points)

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
        self._reading.forget()
        self.graph.cancel()

    def _chosen(self) -> list[int]:
        """The columns of the plot."""
        return list(dict.fromkeys(one for one in (self.choice.across, *self.choice.up) if one is not None))

    def _show_nothing(self) -> None:
        """Forget the plot that is shown: other columns are chosen."""
        self.controls.note.setText("")
        self.graph.show_nothing()

    def _forget(self) -> None:
        self._cancel()
        self._show_nothing()
        self.graph.show_nothing(is_other_table=True)
        self._known.clear()
        self._is_paused = False
        self._agreed_bytes = 0
        self._wants_points = None
        self.stack.notice.say("")
        for button in (self.controls.log_x, self.controls.log_y):
            button.setChecked(False)

    # Words

    def _tell_drawing(self, drawing: Drawing) -> None:
        rows = [] if self._grid is None else [count(self._grid.rows, "row")]
        self.controls.note.setText(" · ".join([*rows, *drawing.notes]))

    def _tell_row(self, row: int | None) -> None:
        texts = [
            self._known[one].text(row) for one in self._chosen() if row is not None and one in self._known
        ]
        self.pointed.emit(f"row {row:,}:  {', '.join(texts)}" if row is not None else "")


def _row_table(grid: Cells | None) -> RowTable | OrderedGrid | None:
    """The table if its rows are elements and it has columns; None for planes and arrays of one axis."""
    if grid is None:
        return None
    return grid if whole_table(grid).fields else None


def _offered(table: RowTable) -> list[tuple[int, str]]:
    return [(column, column_name(table, column)) for column in columns_to_draw(table)]
