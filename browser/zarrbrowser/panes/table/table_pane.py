"""The Table tab: a slice of an array, or the columns of a group; only the part in view is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from zarrbrowser.export.viewed_array import ViewedArray
from zarrbrowser.models.grid_model import Cells, GridModel
from zarrbrowser.nodes.protocols import GroupLike, NodeLike, is_array, is_group
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.pane import Pane
from zarrbrowser.panes.table.block_reader import BlockReader
from zarrbrowser.panes.table.cell_copier import CellCopier
from zarrbrowser.panes.table.cell_edits import CellEdits
from zarrbrowser.panes.table.cell_links import CellLinks
from zarrbrowser.panes.table.row_arranger import RowArranger
from zarrbrowser.panes.table.table_contents import TableContents
from zarrbrowser.panes.table.table_controls import TableControls
from zarrbrowser.panes.table.table_plot import TablePlot
from zarrbrowser.panes.table.table_view import TableView
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.table.grid import Grid
from zarrbrowser.table.row_order import OrderedGrid
from zarrbrowser.table.view_document import cell_of, names_of, slice_of, table_document, with_box
from zarrbrowser.theme import current_colours
from zarrbrowser.widgets.splitter import Splitter
from zarrbrowser.workers import Workers

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrbrowser.export.figures.figure import FigureSource


class TablePane(Pane):
    """Shows one array with one or more axes, or a group of arrays with one axis and one length.

    `TableContents` decides which cells are shown, `BlockReader` reads them, `TableView` draws them.
    """

    is_filled_when_shown = True  # another plane may have been chosen in the Image tab

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self._cell: tuple[int, int] | None = None
        """The cell to scroll to once the rows are arranged."""
        self._group: GroupLike | None = None
        self._later: Mapping[str, Any] = {}
        """What to restore once the columns are opened that it names."""
        self.model = GridModel(self)
        self.table = TableView(self.model)
        self.cell_edits, self.copier = CellEdits(self.table), CellCopier(workers, self.table)
        self.links = CellLinks(self.model, workers)
        self.arranger = RowArranger(workers, self.table.horizontalHeader(), self)
        self.stack = DataStack(self.table, self._retry, lambda: self.reader.load_anyway())
        self.reader = BlockReader(self.model, self.table, self.stack, workers, self)
        self.contents = TableContents(self.model, self.arranger, self.stack, workers, self)
        self.controls = TableControls(self.arranger.line, self.ask_to_fill, self.copy)
        splitter = Splitter("between table and plot", Qt.Orientation.Vertical)
        splitter.addWidget(self.stack)
        self.plot = TablePlot(self.table, splitter, self.controls.plot, workers)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.controls)
        column.addWidget(self.reader.problem)
        column.addWidget(splitter, 1)
        column.addWidget(self.controls.sliders)
        self._connect()

    def _connect(self) -> None:
        contents, reader, controls, plot = self.contents, self.reader, self.controls, self.plot
        contents.cleared.connect(self._forget)
        contents.begun.connect(controls.show_array)
        contents.leaving.connect(reader.forget)
        for follow in (plot.show_table, controls.show_cells, self.links.show_table):
            contents.shown.connect(follow)
        contents.shown.connect(lambda _grid: reader.read_soon())
        contents.shown.connect(self._restore_later)
        controls.whole.clicked.connect(lambda _checked: self._show_columns(()))
        contents.sliced.connect(controls.show_sliders)
        contents.arranged.connect(self._show_arranged)
        contents.labelled.connect(lambda: self.table.fit_columns(again=True))
        reader.looked.connect(self.view_changed)
        controls.axes.chosen.connect(contents.turn)
        controls.sliders.moved.connect(contents.move)
        controls.unpacking.toggled.connect(self._unpack)
        controls.cell_typed.connect(self._go_to_typed)
        self.stack.settled.connect(self.settled)
        self.table.sort_asked.connect(self._sort)
        self.table.link_chosen.connect(self.path_chosen)
        self.arranger.refused.connect(self._refuse)
        self.arranger.menu_opened.connect(plot.offer)
        self.cell_edits.change_asked.connect(self.change_asked)
        self.cell_edits.fill_asked.connect(self.fill_asked)
        self.cell_edits.said.connect(reader.problem.show_text)
        for reported in (self.copier.reported, self.cell_edits.refused, plot.reported):
            reported.connect(self.reported)
        plot.pointed.connect(self.pointed)
        plot.row_chosen.connect(lambda row: self.go(row, (self.table.current_cell or (0, 0))[1]))
        plot.changed.connect(self.view_changed)

    @property
    def grid(self) -> Cells | None:
        """The displayed grid."""
        return self.model.grid

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show an array, at the plane of its picture, or the columns of a group."""
        self.cell_edits.source = source
        self.controls.fill.setVisible(source.may_change and is_array(node))
        self._group = node if is_group(node) else None
        names = self.session.columns_of(source, node.path)
        self.controls.whole.setVisible(bool(names))
        if is_group(node):
            self.contents.show_group(node, names, source.hierarchy.node)
        elif is_array(node):
            settings = self.session.view_of(source, node.path)
            is_unpacked = self.session.is_unpacked(source, node.path)
            axes = None if settings is None else settings.axes
            self.contents.show_array(node, axes, source.hierarchy.node, is_unpacked=is_unpacked)
        self.reader.read_soon()

    def viewed(self) -> ViewedArray | None:
        """The slice, and the cells that are selected or in view, for export."""
        grid, chosen = self.contents.table, self.table.chosen()
        if not isinstance(grid, Grid) or chosen is None:
            return None
        if grid is not self.grid:  # the rows in view are not beside each other
            chosen = (slice(None), slice(None))
        everything = grid.selection(slice(None), slice(None))
        return ViewedArray(grid.array, everything, grid.selection(*chosen), packing=grid.unpacking)

    def view_state(self) -> dict[str, Any]:
        """The slice or the order of the rows, and where it is scrolled to; empty without a table."""
        grid = self.contents.table
        names = self._names()
        if grid is None:
            return {"columns_of": list(names)} if self.contents.is_no_table else {}
        if self._cell is not None:  # the rows are being arranged
            return {**self.arranger.document(), "cell": list(self._cell)}
        document = table_document(grid.axes if isinstance(grid, Grid) else None, *self.table.in_view())
        shown, cell = self.grid, document["cell"]
        if isinstance(shown, OrderedGrid) and cell is not None and shown.rows:
            cell[0] = int(
                shown.numbers[min(cell[0], shown.rows - 1)]
            )  # rows are named by their position in the table
        told = {"columns_of": list(names)} if names else {}
        return {**document, **told, **self.arranger.document(), **self.plot.document()}

    def restore(self, document: Mapping[str, Any]) -> None:
        """Restore the slice or the order of the rows, and the place; what does not fit is ignored."""
        if self._group is not None and names_of(document) != self._names():
            self._later = document
            self._show_columns(names_of(document))
            return
        grid = self.contents.table
        if isinstance(grid, Grid):
            document = with_box(document, grid.axes)
        cell = cell_of(document)
        if isinstance(grid, Grid) and grid.axes is not None:
            axes = slice_of(document, grid.axes)
            if axes != grid.axes:
                self.contents.show(replace(grid, axes=axes))
        self._cell = None
        self.plot.restore(document)
        if self.arranger.restore(document):
            self._cell = cell
        elif cell is not None and cell != cell_of(self.view_state()):  # otherwise the current cell stays
            self.go(*cell)

    def position(self) -> str:
        """The position of the slice."""
        grid = self.contents.table
        return grid.axes.describe() if isinstance(grid, Grid) and grid.axes is not None else ""

    def forget_elements(self) -> None:
        """Forget the cells, and keep the place; columns, and rows in another order, are opened again."""
        self.reader.forget()
        if isinstance(self.model.grid, Grid):
            self.reader.look_again()
            self.arranger.start_with(self.model.grid)  # it keeps cells that it has sorted by
            self.model.forget()
            if self.plot.made is not None:
                self.plot.made.forget_elements()
        else:
            self.clear()

    def ask_to_fill(self) -> None:
        """Ask for a value for the selected cells, or for those in view."""
        self.cell_edits.ask_to_fill()

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._group = None
        self.contents.clear()

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
        self.controls.sliders.step(by)

    def copy(self) -> None:
        """Copy the selected cells to the clipboard."""
        self.copier.copy()

    def fit(self) -> None:
        """Fit the whole plot into view."""
        if self.plot.made is not None:
            self.plot.made.fit()

    def figure(self) -> FigureSource | None:
        """The plot of columns, for a figure; None while there is none."""
        return self.plot.figure()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.table.viewport().update()
        if self.plot.made is not None:
            self.plot.made.set_colours(current_colours())

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        super().hideEvent(event)
        if not event.spontaneous():
            self.reader.cancel()

    # Events

    def _names(self) -> tuple[str, ...]:
        """The names of the columns that the user chose; empty for all of them."""
        source, group = self.cell_edits.source, self._group
        return () if source is None or group is None else self.session.columns_of(source, group.path)

    def _show_columns(self, names: tuple[str, ...]) -> None:
        """Show other columns of the group."""
        source, group = self.cell_edits.source, self._group
        if source is not None and group is not None:
            self.session.choose_columns(source, group.path, names)
            self.show_node(source, group)

    def _restore_later(self, grid: Cells | None) -> None:
        document, self._later = (self._later, {}) if grid is not None else ({}, self._later)
        if document:
            self.restore(document)

    def _forget(self) -> None:
        self._cell = None
        self.copier.cancel()
        self.reader.clear()

    def _retry(self) -> None:
        """Open the columns of a group again, or read what is missing."""
        if self.grid is None:
            self.contents.open_again()
        self.reader.read()

    def _show_arranged(self, grid: Cells) -> None:
        cell, self._cell = self._cell, None
        if cell is not None and not (isinstance(grid, OrderedGrid) and grid.place_of(cell[0]) is None):
            self.go(*cell)
        self._refuse("" if grid.rows else "No row meets the conditions.")

    def _refuse(self, text: str) -> None:
        if text:
            self._cell = None
        self.reader.problem.show_text(text)

    def _sort(self, is_descending: bool) -> None:
        cell = self.table.current_cell
        if cell is not None:
            self.arranger.sort(cell[1], is_descending=is_descending)

    def _go_to_typed(self, row: int, column: int) -> None:
        self.go(row, column)
        self.table.setFocus()

    def _unpack(self, is_on: bool) -> None:
        if self.contents.unpack(is_on=is_on):
            self.table.refit_columns()
            self.unpacked.emit(is_on)
