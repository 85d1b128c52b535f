"""What a table shows: a slice of an array, or the columns of a group; all rows, or some of them in another order."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from zarrbrowser.coordinates.coordinates import Coordinate, coordinates_of
from zarrbrowser.image.axes import Axes, axis_names
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.models.grid_model import Cells, GridModel
from zarrbrowser.nodes.names_along import names_of
from zarrbrowser.nodes.protocols import ArrayLike, GroupLike
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.table.row_arranger import RowArranger
from zarrbrowser.session.error_text import sentence
from zarrbrowser.table.columns import ColumnGrid, NoTableError, table_of, table_of_some
from zarrbrowser.table.grid import Grid, grid_of
from zarrbrowser.table.row_order import RowTable, whole_table
from zarrbrowser.values.elements import unpacking_of
from zarrbrowser.workers import Lane, Workers

_log = logging.getLogger(__name__)


class TableContents(QObject):
    """Opens tables, and puts what is shown of them into the model.

    Signals:
        cleared: the table is left.
        begun: the `Grid` of an array, before it is shown; None for the columns of a group, before they are opened.
        leaving: other cells of the same table are about to be shown.
        shown: the `Cells` in the model; None for none.
        sliced: the `Grid` in the model has other axes than the one before.
        arranged: the `Cells` in the model are the rows of a whole table in the order that the user wants.
        labelled: coordinates are shown in the headers.
    """

    cleared = Signal()
    begun = Signal(object)
    leaving = Signal()
    shown = Signal(object)
    sliced = Signal(object)
    arranged = Signal(object)
    labelled = Signal()

    def __init__(
        self, model: GridModel, arranger: RowArranger, stack: DataStack, workers: Workers, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._model, self._arranger, self._stack = model, arranger, stack
        self._coordinate_lane, self._columns_lane = Lane(workers, in_flight=1), Lane(workers, in_flight=1)
        self._group: GroupLike | None = None
        """The group whose columns are shown, or are being opened."""
        self._names: Sequence[str] = ()
        self._find: Callable[[str], Any] | None = None
        self.is_no_table = False
        """Whether the group is not a table."""
        arranger.arranged.connect(self._arrange)

    @property
    def table(self) -> RowTable | None:
        """The displayed grid with all rows, in their own order."""
        grid = self._model.grid
        return None if grid is None else whole_table(grid)

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
        shown = self.table
        grid = grid_of(array, axes, is_unpacked=is_unpacked)
        if isinstance(shown, Grid) and shown == grid and shown.array is array:
            return
        self.clear()
        if 0 in array.shape:
            self._stack.show_sentence("This array holds no elements: an axis has length 0.", drawing="array2")
            return
        self.begun.emit(grid)
        self.show(grid)
        self._stack.show_data()
        if find is not None:
            self._coordinate_lane.ask(
                lambda _asked: (coordinates_of(image_of_array(array), find), names_of(array, find)),
                lambda known: self._show_coordinates(*known),
                lambda error: _log.debug("cannot read the coordinates of %s: %s", array.path, error),
            )

    def show_group(
        self, group: GroupLike, names: Sequence[str] = (), find: Callable[[str], Any] | None = None
    ) -> None:
        """Show the arrays of a group as columns, once they are opened.

        Args:
            group: the group.
            names: the arrays; all of them by default.
            find: the node at a path; needed for some arrays.
        """
        if self._group is group and self._model.grid is not None and self._names == names:
            return
        self.clear()
        self._group, self._names, self._find = group, names, find
        self.begun.emit(None)
        self._stack.wait_for(f"Opening the columns of {group.path}")
        self._columns_lane.ask(
            lambda asked: (
                table_of_some(group, names, find)
                if names and find is not None
                else table_of(group, asked.is_cancelled)
            ),
            self._show_columns,
            self._fail,
            f"Opening {group.path}",
        )

    def open_again(self) -> None:
        """Open the columns of a group again if that has failed."""
        if self._group is not None:
            self.show_group(self._group, self._names, self._find)

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._columns_lane.forget()
        self._coordinate_lane.forget()
        self._arranger.start_with(None)
        self._group, self._find, self.is_no_table = None, None, False
        self.cleared.emit()
        self._model.show_coordinates({})
        self._show(None)

    def show(self, grid: Grid) -> None:
        """Show a slice, or all rows of an array."""
        self.leaving.emit()
        self._arranger.start_with(grid)
        self._show(grid)
        self.sliced.emit(grid)

    def turn(self, axes: Axes) -> None:
        """Show other axes of the array."""
        grid = self._model.grid
        if isinstance(grid, Grid):
            self.show(replace(grid, axes=axes))

    def move(self, axis: int, position: int) -> None:
        """Show the slice at another position."""
        grid = self._model.grid
        if isinstance(grid, Grid) and grid.axes is not None:
            self.leaving.emit()
            self._show(replace(grid, axes=grid.axes.at(axis, position)))

    def unpack(self, *, is_on: bool) -> bool:
        """Show unpacked values or stored numbers; False if the table is not an array."""
        grid = self.table
        if not isinstance(grid, Grid):
            return False
        self.leaving.emit()
        unpacked = replace(grid, unpacking=unpacking_of(grid.array) if is_on else None)
        if grid.axes is None:
            self._arranger.take_cells(unpacked)
        else:
            self._show(unpacked)
        return True

    def _show_coordinates(
        self, coordinates: dict[int, Coordinate], told: Sequence[str | None] | None
    ) -> None:
        grid = self._model.grid
        if told and isinstance(grid, Grid) and grid.axes is not None:
            names = axis_names(grid.array.ndim, told)
            if names != grid.axes.names:
                self.show(replace(grid, axes=replace(grid.axes, names=names)))
        self._model.show_coordinates(coordinates)
        self.labelled.emit()

    def _show_columns(self, grid: ColumnGrid) -> None:
        self._arranger.start_with(grid)
        self._arrange(grid)
        self._stack.show_data()  # the window may restore a view now

    def _arrange(self, grid: Cells) -> None:
        self.leaving.emit()
        self._show(grid)
        self.arranged.emit(grid)

    def _show(self, grid: Cells | None) -> None:
        self._model.show(grid)
        self.shown.emit(grid)

    def _fail(self, error: Exception) -> None:
        self.is_no_table = isinstance(error, NoTableError)
        if self.is_no_table:
            self._stack.show_sentence(sentence(error), drawing="array2")
        else:
            self._stack.show_error(error)
