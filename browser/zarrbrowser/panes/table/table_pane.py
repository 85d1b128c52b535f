"""The Table tab: a slice of an array, or the columns of a group; only the part in view is read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QSplitter, QVBoxLayout, QWidget

from zarrbrowser.coordinates.coordinates import Coordinate, coordinates_of
from zarrbrowser.editing.cells import target_of
from zarrbrowser.export.viewed_array import ViewedArray
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.models.grid_model import Cells, GridModel
from zarrbrowser.nodes.protocols import ArrayLike, GroupLike, NodeLike, is_array, is_group
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.never_written import tell_if_never_written
from zarrbrowser.panes.pane import Pane
from zarrbrowser.panes.table.cell_copier import CellCopier
from zarrbrowser.panes.table.cell_edits import CellEdits
from zarrbrowser.panes.table.row_arranger import RowArranger
from zarrbrowser.panes.table.table_view import TableView
from zarrbrowser.plot.columns import columns_to_draw
from zarrbrowser.plot.document import PlotChoice
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.table.columns import ColumnGrid, NoTableError, table_of
from zarrbrowser.table.grid import (
    BLOCK_COLUMNS,
    BLOCK_ROWS,
    Grid,
    Place,
    grid_of,
)
from zarrbrowser.table.row_order import OrderedGrid, RowTable, whole_table
from zarrbrowser.table.view_document import cell_of, slice_of, table_document
from zarrbrowser.theme import current_colours
from zarrbrowser.values.elements import unpacking_of
from zarrbrowser.values.quantities import count, format_shape
from zarrbrowser.widgets.axis_choice import AxisChoice
from zarrbrowser.widgets.axis_sliders import AxisSliders
from zarrbrowser.widgets.bar import Bar
from zarrbrowser.widgets.buttons import push_button, switch, tool_button
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.notice import Notice
from zarrbrowser.workers import Lane, Request, Workers
from zarrbrowser.workers.workers import Stopped

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrbrowser.export.figures.figure import FigureSource
    from zarrbrowser.panes.table.columns_plot import ColumnsPlot

_log = logging.getLogger(__name__)

_AT_ONCE = 4


class TablePane(Pane):
    """Shows one array with one or more axes, or a group of arrays with one axis and one length."""

    is_filled_when_shown = True  # another plane may have been chosen in the Image tab

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self._coordinate_lane = Lane(workers, in_flight=1)
        self._storage_lane = Lane(workers, in_flight=1)
        self._has_looked = False
        """Whether chunks of the array were looked for."""
        self._columns_lane = Lane(workers, in_flight=1)
        self._group: GroupLike | None = None
        """The group whose columns are shown, or are being opened."""
        self._reading: dict[Place, Request] = {}
        self._failed: set[Place] = set()
        self._agreed_bytes = 0
        self._source: Source | None = None
        self._cell: tuple[int, int] | None = None
        """The cell to scroll to once the rows are arranged."""
        self.model = GridModel(self)
        self.table = TableView(self.model)
        self.cell_edits, self.copier = CellEdits(self.table), CellCopier(workers, self.table)
        self.arranger = RowArranger(workers, self.table.horizontalHeader(), self)
        self.stack = DataStack(self.table, self._repeat, self._load_anyway)
        self.columns_plot: ColumnsPlot | None = None
        """Made when the user first asks for it, since it loads pyqtgraph."""
        self.problem = Notice("Retry", self._retry)
        self.axes, self.sliders, self.go_to = AxisChoice(), AxisSliders(), QLineEdit()
        self._note = label(role="muted")
        self.unpacking = switch("unpack", "Unpack values according to their attributes")
        self.fill_button = push_button("Write…", self.ask_to_fill)
        self.fill_button.setToolTip("Write one value to the selected cells, or to any selection")
        self.fill_button.hide()
        self.plot_button = tool_button("series", "Plot columns: the selected ones, or the first one")
        self.plot_button.setCheckable(True)
        self.plot_button.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._bar = self._make_bar()
        column.addWidget(self._bar)
        column.addWidget(self.problem)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.stack)
        column.addWidget(self._splitter, 1)
        column.addWidget(self.sliders)
        self._soon = QTimer(self, singleShot=True, interval=15)
        self._soon.timeout.connect(self._read_visible)
        self.table.looked_elsewhere.connect(self._soon.start)
        self.axes.chosen.connect(self._show_axes)
        self.sliders.moved.connect(self._slider_moved)
        self.go_to.returnPressed.connect(self._go)
        self.unpacking.toggled.connect(self._unpack)
        self.stack.settled.connect(self.settled)
        self.copier.reported.connect(self.reported)
        self.table.edit_asked.connect(self._edit_cell)
        self.cell_edits.change_asked.connect(self.change_asked)
        self.cell_edits.said.connect(self.problem.tell)
        self.table.sort_asked.connect(self._sort)
        self.arranger.arranged.connect(self._show_arranged)
        self.arranger.refused.connect(self._refuse)
        self.arranger.menu_opened.connect(self._fill_menu)
        self.plot_button.clicked.connect(lambda is_on: self.plot_columns(is_on=is_on))

    @property
    def grid(self) -> Cells | None:
        """The displayed grid."""
        return self.model.grid

    @property
    def _table(self) -> RowTable | None:
        """The displayed grid with all rows, in their own order."""
        grid = self.model.grid
        return None if grid is None else whole_table(grid)

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show an array, at the plane of its picture, or the columns of a group."""
        self._source = source
        self.fill_button.setVisible(source.may_change and is_array(node))
        if is_group(node):
            self._show_group(node)
        elif is_array(node):
            settings = self.session.view_of(source, node.path)
            is_unpacked = self.session.is_unpacked(source, node.path)
            axes = None if settings is None else settings.axes
            self.show_array(node, axes, source.hierarchy.node, is_unpacked=is_unpacked)

    def viewed(self) -> ViewedArray | None:
        """The slice, and the cells that are selected or in view, for export."""
        grid, chosen = self._table, self.table.chosen()
        if not isinstance(grid, Grid) or chosen is None:
            return None
        if grid is not self.grid:  # the rows in view are not beside each other
            chosen = (slice(None), slice(None))
        everything = grid.selection(slice(None), slice(None))
        return ViewedArray(grid.array, everything, grid.selection(*chosen), packing=grid.unpacking)

    def view_state(self) -> dict[str, Any]:
        """The slice or the order of the rows, and where it is scrolled to; empty without a table."""
        grid = self._table
        if grid is None:
            return {}
        if self._cell is not None:  # the rows are being arranged
            return {**self.arranger.document(), "cell": list(self._cell)}
        document = table_document(grid.axes if isinstance(grid, Grid) else None, *self.table.in_view())
        shown, cell = self.grid, document["cell"]
        if isinstance(shown, OrderedGrid) and cell is not None and shown.rows:
            cell[0] = int(
                shown.numbers[min(cell[0], shown.rows - 1)]
            )  # rows are named by their position in the table
        plot = {} if self.columns_plot is None else self.columns_plot.document()
        return {**document, **self.arranger.document(), **plot}

    def restore(self, document: Mapping[str, Any]) -> None:
        """Restore the slice or the order of the rows, and the place; what does not fit is ignored."""
        grid, cell = self._table, cell_of(document)
        if isinstance(grid, Grid) and grid.axes is not None:
            axes = slice_of(document, grid.axes)
            if axes != grid.axes:
                self._show_grid(replace(grid, axes=axes))
        self._cell = None
        if PlotChoice.of(document) is not None or self.columns_plot is not None:
            self.plot_button.setChecked(self._made_plot().restore(document))
        if self.arranger.restore(document):
            self._cell = cell
        elif cell is not None and cell != cell_of(self.view_state()):  # otherwise the current cell stays
            self.go(*cell)

    def position(self) -> str:
        """The position of the slice."""
        grid = self._table
        return grid.axes.describe() if isinstance(grid, Grid) and grid.axes is not None else ""

    def show_array(
        self,
        array: ArrayLike,
        axes: Axes | None = None,
        find: Callable[[str], Any] | None = None,
        *,
        is_unpacked: bool = True,
    ) -> None:
        """Show an array, at the plane of its picture if there is one.

        Args:
            find: the node at a path, to find coordinates; None for no coordinates.
            is_unpacked: whether cells show unpacked values.
        """
        shown = self._table
        grid = grid_of(array, axes, is_unpacked=is_unpacked)
        if isinstance(shown, Grid) and shown == grid and shown.array is array:
            self._soon.start()
            return
        self.clear()
        if 0 in array.shape:
            self.stack.show_sentence("This array holds no elements: an axis has length 0.", drawing="array2")
            return
        self.go_to.setPlaceholderText("row" if grid.axes is None else "row, column")
        self.axes.setVisible(grid.axes is not None)
        self.unpacking.setVisible(unpacking_of(array) is not None)
        with QSignalBlocker(self.unpacking):
            self.unpacking.setChecked(is_unpacked)
        self._show_grid(grid)
        self.stack.show_data()
        if find is not None:
            self._coordinate_lane.ask(
                lambda _asked: coordinates_of(image_of_array(array), find),
                self._show_coordinates,
                lambda error: _log.debug("cannot read the coordinates of %s: %s", array.path, error),
            )

    def forget_elements(self) -> None:
        """Forget the cells, and keep the place; columns, and rows in another order, are opened again."""
        self._forget()
        if isinstance(self.model.grid, Grid):
            self._has_looked = False
            self.stack.notice.say("")
            self.arranger.take(self.model.grid)  # it keeps cells that it has sorted by
            self.model.forget()
            if self.columns_plot is not None:
                self.columns_plot.forget_elements()
        else:
            self.clear()

    def ask_to_fill(self) -> None:
        """Ask for a value for the selected cells, or for those in view."""
        grid, chosen = self.model.grid, self.table.chosen()
        if isinstance(grid, OrderedGrid):
            self.reported.emit("The rows are sorted or filtered: show all rows in their own order first")
            return
        if self._source is None or not isinstance(grid, Grid) or chosen is None:
            self.reported.emit("Show an array in the Table tab first")
            return
        if grid.fields and chosen[1].stop - chosen[1].start > 1:
            self.reported.emit("Select cells of one field")
            return
        title = "The selected cells" if self.table.has_selection else "The cells in view"
        self.fill_asked.emit(target_of(self._source, grid, *chosen, title))

    def _edit_cell(self) -> None:
        if self._source is not None and self.model.grid is not None:
            why = self.cell_edits.begin(self._source)
            if why:
                self.reported.emit(why)

    def _show_group(self, group: GroupLike) -> None:
        """Show the arrays of a group as columns, once they are opened."""
        if self._group is group and self.model.grid is not None:
            self._soon.start()
            return
        self.clear()
        self._group = group
        for widget in (self.axes, self.unpacking, self.sliders):
            widget.hide()
        self._note.clear()
        self.go_to.setPlaceholderText("row, column")
        self.stack.wait_for(f"Opening the columns of {group.path}")
        self._columns_lane.ask(
            lambda asked: table_of(group, asked.is_cancelled),
            self._show_columns,
            self._no_columns,
            f"Opening {group.path}",
        )

    def _show_columns(self, grid: ColumnGrid) -> None:
        self.arranger.take(grid)
        self._show_arranged(grid)
        self.stack.show_data()  # the window may restore a view now

    def _show_arranged(self, grid: Cells) -> None:
        """Show a table again, with other rows or in another order."""
        self._forget()
        self._show_cells(grid)
        cell, self._cell = self._cell, None
        if cell is not None and not (isinstance(grid, OrderedGrid) and grid.place_of(cell[0]) is None):
            self.go(*cell)
        self._note.setText(_size_of(grid))
        self._bar.make_room()  # the text may be shorter now
        self._refuse("" if grid.rows else "No row meets the conditions.")
        self._soon.start()

    def _refuse(self, text: str) -> None:
        if text:
            self._cell = None
        self.problem.tell(text)

    def _sort(self, is_descending: bool) -> None:
        cell = self.table.current_cell
        if cell is not None:
            self.arranger.sort(cell[1], is_descending=is_descending)

    def _no_columns(self, error: Exception) -> None:
        if isinstance(error, NoTableError):
            self.stack.show_sentence(sentence(error), drawing="array2")
        else:
            self.stack.show_error(error)

    def _repeat(self) -> None:
        """Read what is missing, or open the columns of a group again."""
        group = self._group
        if group is not None and self.model.grid is None:
            self._show_group(group)
        else:
            self._read_visible()

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._forget()
        self._cell = None
        self._columns_lane.forget()
        self.arranger.take(None)
        self._group = None
        self.copier.cancel()
        self._agreed_bytes = 0
        self._coordinate_lane.forget()
        self._storage_lane.forget()
        self._has_looked = False
        self.model.show_coordinates({})
        self._show_cells(None)
        self.stack.notice.say("")

    def go(self, row: int, column: int = 0) -> None:
        """Scroll to a cell and make it the current one."""
        grid = self.model.grid
        if isinstance(grid, OrderedGrid):
            place = grid.place_of(row)
            if place is None:
                self.reported.emit(f"Row {row:,} is not among the rows shown")
                return
            row = place
        if grid is not None:
            row, column = min(max(row, 0), grid.rows - 1), min(max(column, 0), grid.columns - 1)
            self.table.go(row, column)

    def step(self, by: int) -> None:
        """Show the next or previous slice."""
        self.sliders.step(by)

    def copy(self) -> None:
        """Copy the selected cells to the clipboard."""
        self.copier.copy()

    def fit(self) -> None:
        """Fit the whole plot into view."""
        if self.columns_plot is not None:
            self.columns_plot.fit()

    def figure(self) -> FigureSource | None:
        """The plot of columns, for a figure; None while there is none."""
        return None if self.columns_plot is None else self.columns_plot.figure()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.table.viewport().update()
        if self.columns_plot is not None:
            self.columns_plot.set_colours(current_colours())

    def _show_cells(self, grid: Cells | None) -> None:
        """Show other cells, and plot their columns if the plot is on."""
        self.model.show(grid)
        self.plot_button.setVisible(bool(grid is not None and grid.fields and columns_to_draw(grid)))
        if self.columns_plot is not None:
            self.columns_plot.show_table(grid)

    def plot_columns(self, columns: Sequence[int] = (), *, is_on: bool = True) -> None:
        """Plot columns below the table: by default the selected ones, or the first one; or end to plot."""
        if not columns and self.table.has_selection:
            chosen = self.table.chosen()
            columns = () if chosen is None else range(chosen[1].start, chosen[1].stop)
        self.plot_button.setChecked(is_on)
        self._made_plot().turn(is_on=is_on, columns=columns)
        self.view_changed.emit()

    def _go_to_row(self, row: int) -> None:
        """Go to a row, in the current column."""
        cell = self.table.current_cell
        self.go(row, 0 if cell is None else cell[1])

    def _made_plot(self) -> ColumnsPlot:
        if self.columns_plot is None:
            from zarrbrowser.panes.table.columns_plot import ColumnsPlot  # late: it loads pyqtgraph

            plot = self.columns_plot = ColumnsPlot(self.workers)
            plot.pointed.connect(self.pointed)
            plot.reported.connect(self.reported)
            plot.row_chosen.connect(self._go_to_row)
            plot.changed.connect(self.view_changed)
            plot.closed.connect(self.plot_button.click)
            self._splitter.addWidget(plot)
            self._splitter.setSizes([1, 1])
            self.update_colours()
            plot.show_table(self.grid)
        return self.columns_plot

    def _fill_menu(self, menu: QMenu, column: int) -> None:
        if self.grid is not None and column in columns_to_draw(self.grid):
            menu.addSeparator()
            menu.addAction("Plot this column", lambda: self.plot_columns([column]))

    def _make_bar(self) -> Bar:
        bar, go_to = Bar(), label("Go to", "muted")
        bar.least_width, bar.gives_way = 400, (go_to, self._note, *self.axes.labels)
        row = bar.row
        row.addWidget(self.axes)
        row.addWidget(self._note)
        row.addStretch(1)
        row.addWidget(self.arranger.line, 4)
        row.addWidget(self.unpacking)
        self.go_to.setAccessibleName("go to a row and column")
        self.go_to.setMaximumWidth(140)
        self.go_to.setMinimumWidth(72)
        row.addWidget(go_to)
        row.addWidget(self.go_to)
        row.addWidget(self.plot_button)
        row.addWidget(self.fill_button)
        row.addWidget(push_button("Copy", self.copy, drawing="copy"))
        return bar

    def _show_grid(self, grid: Grid) -> None:
        self._forget()
        self.arranger.take(grid)
        self._show_cells(grid)
        self._note.setText(_size_of(grid))
        if grid.axes is not None:
            self.axes.show_axes(grid.axes)
            self.sliders.show_axes(grid.axes)
        self.sliders.setVisible(grid.axes is not None and bool(grid.axes.further))
        self._soon.start()

    def _show_coordinates(self, coordinates: dict[int, Coordinate]) -> None:
        self.model.show_coordinates(coordinates)
        self.table.fit_columns(again=True)

    def _show_axes(self, axes: Axes) -> None:
        grid = self.model.grid
        if isinstance(grid, Grid):
            self._show_grid(replace(grid, axes=axes))

    def _slider_moved(self, axis: int, position: int) -> None:
        grid = self.model.grid
        if isinstance(grid, Grid) and grid.axes is not None:
            self._forget()
            axes = grid.axes.at(axis, position)
            self.axes.show_axes(axes)  # it emits these axes when its rows change
            self._show_cells(replace(grid, axes=axes))
            self._soon.start()

    def _unpack(self, is_on: bool) -> None:
        grid = self._table
        if isinstance(grid, Grid):
            self._forget()
            unpacked = replace(grid, unpacking=unpacking_of(grid.array) if is_on else None)
            if grid.axes is None:
                self.arranger.take_cells(unpacked)
            else:
                self._show_cells(unpacked)
            self.table.refit_columns()
            self._soon.start()
            self.unpacked.emit(is_on)

    def _read_visible(self) -> None:
        """Read the missing blocks in view; cancel other requests."""
        grid = self.model.grid
        if grid is None or not self.isVisible():
            return
        self.view_changed.emit()
        rows, columns = self.table.in_view()
        if not self.stack.may_read(grid.cost(rows, columns), self._agreed_bytes, "The part in view"):
            self._forget()
            return
        if not self.stack.shows_data:
            self.stack.show_data()
        wanted = self.blocks_in_view()
        for place in [place for place in self._reading if place not in wanted]:
            self.workers.cancel(self._reading.pop(place))
        wanted = [place for place in wanted if self.model.lacks(place) and place not in self._failed]
        for place in wanted:
            if len(self._reading) < _AT_ONCE and place not in self._reading:
                self._read(grid, place)

    def blocks_in_view(self) -> list[Place]:
        """The blocks in view."""
        rows, columns = self.table.in_view()
        return [
            (row, column)
            for row in range(rows.start // BLOCK_ROWS, -(-rows.stop // BLOCK_ROWS))
            for column in range(columns.start // BLOCK_COLUMNS, -(-columns.stop // BLOCK_COLUMNS))
        ]

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        super().hideEvent(event)
        if not event.spontaneous():
            self._cancel()  # showing a missing block reads it

    def _read(self, grid: Cells, place: Place) -> None:
        rows, columns = grid.block(place)
        self._reading[place] = self.workers.submit(
            lambda asked: grid.read(rows, columns, asked.is_cancelled),
            partial(self._arrived, place),
            partial(self._say, place),
            f"Reading rows {rows.start:,}–{rows.stop - 1:,} of {grid.path}",
        )

    def _arrived(self, place: Place, values: list[list[object]]) -> None:
        self._reading.pop(place, None)
        self.model.put(place, values)
        grid = self.model.grid
        if (
            isinstance(grid, Grid)  # columns have chunks of their own
            and not self._has_looked
            and len({str(one) for row in values for one in row}) == 1
        ):
            self._has_looked = True
            tell_if_never_written(grid.array, self._storage_lane, self.stack.notice.tell)
        self.table.fit_columns()
        self._read_visible()

    def _say(self, place: Place, error: Exception) -> None:
        self._reading.pop(place, None)
        self._failed.add(place)
        if isinstance(error, Stopped):
            self._agreed_bytes = 0
            self._failed.update(self.blocks_in_view())  # or others would replace those that were stopped
        self.problem.say(sentence(error))
        self._read_visible()

    def _retry(self) -> None:
        self._failed.clear()
        self.problem.say("")
        self._read_visible()

    def _load_anyway(self) -> None:
        grid = self.model.grid
        if grid is not None:
            self._agreed_bytes = grid.cost(*self.table.in_view()).nbytes
            self.stack.show_data()
            self._read_visible()

    def _cancel(self) -> None:
        for request in self._reading.values():
            self.workers.cancel(request)
        self._reading.clear()

    def _forget(self) -> None:
        self._cancel()
        self._failed.clear()
        self.problem.say("")

    def _go(self) -> None:
        parts = self.go_to.text().replace(",", " ").split()
        if parts and all(part.isdecimal() for part in parts):
            self.go(int(parts[0]), int(parts[1]) if len(parts) > 1 else 0)
            self.table.setFocus()


def _size_of(grid: Cells) -> str:
    """The size of a table, and what is not in it."""
    if isinstance(grid, OrderedGrid) and grid.order.clause is not None:
        return f"{grid.rows:,} of {count(grid.inner.rows, 'row')}"
    table = whole_table(grid)
    if isinstance(table, Grid):
        return format_shape((table.rows, table.columns)) + " cells"
    size = f"{count(table.rows, 'row')}, {count(table.columns, 'column')}"
    return f"{size}; {table.note}" if table.note else size
