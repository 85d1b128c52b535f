"""The bar above a table, and the sliders below it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QLineEdit

from zarrbrowser.models.grid_model import Cells
from zarrbrowser.table.grid import Grid
from zarrbrowser.table.row_order import OrderedGrid, whole_table
from zarrbrowser.values.elements import unpacking_of
from zarrbrowser.values.quantities import count, format_shape
from zarrbrowser.widgets.axis_choice import AxisChoice
from zarrbrowser.widgets.axis_sliders import AxisSliders
from zarrbrowser.widgets.bar import Bar
from zarrbrowser.widgets.buttons import push_button, switch, tool_button
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.refusal import refuse


class TableControls(Bar):
    """Shows which cells the table shows, and lets the user choose others.

    Args:
        filtering: the line for conditions.

    Signals:
        cell_typed: the row and the column to go to.
    """

    least_width = 400
    cell_typed = Signal(object, object)  # an int of Qt has 32 bits

    def __init__(self, filtering: QLineEdit, fill: Callable[[], object], copy: Callable[[], object]) -> None:
        super().__init__()
        self.axes, self.sliders, self.go_to = AxisChoice(), AxisSliders(), QLineEdit()
        self.note, go_to = label(role="muted"), label("Go to", "muted")
        self.unpacking = switch("unpack", "Apply the scale and the offset of the values")
        self.fill = push_button("Write…", fill)
        self.fill.setToolTip("Write one value to the selected cells, or to any selection")
        self.fill.hide()
        self.plot = tool_button("series", "Plot columns: the selected ones, or the first one")
        self.plot.setCheckable(True)
        self.plot.hide()
        self.whole = push_button("All columns", lambda: None)
        self.whole.setToolTip("Show all arrays of the group, not only the chosen ones")
        self.whole.hide()
        self.go_to.setAccessibleName("go to a row and column")
        self.go_to.setMaximumWidth(140)
        self.go_to.setMinimumWidth(72)
        self.go_to.returnPressed.connect(self._go)
        self.gives_way = (go_to, self.note, *self.axes.labels)
        self.row.addWidget(self.axes)
        self.row.addWidget(self.note)
        self.row.addWidget(self.whole)
        self.row.addStretch(1)
        self.row.addWidget(filtering, 4)
        for widget in (self.unpacking, go_to, self.go_to, self.plot, self.fill):
            self.row.addWidget(widget)
        self.row.addWidget(push_button("Copy", copy, drawing="copy"))

    def show_array(self, grid: Grid | None) -> None:
        """Offer what applies to an array; None for the columns of a group, which are still to be opened."""
        self.go_to.setPlaceholderText("row" if grid is not None and grid.axes is None else "row, column")
        self.axes.setVisible(grid is not None and grid.axes is not None)
        self.unpacking.setVisible(grid is not None and unpacking_of(grid.array) is not None)
        if grid is None:
            self.sliders.hide()
            self.note.clear()
            return
        with QSignalBlocker(self.unpacking):
            self.unpacking.setChecked(grid.unpacking is not None)

    def show_cells(self, grid: Cells | None) -> None:
        """Show the size of a table, and the axes of a slice."""
        if grid is None:
            return
        self.note.setText(_size_of(grid))
        self.make_room()  # the text may be shorter now
        if isinstance(grid, Grid) and grid.axes is not None:
            self.axes.show_axes(grid.axes)

    def show_sliders(self, grid: Grid) -> None:
        """Show the sliders of another array, or of other rows and columns."""
        if grid.axes is not None:
            self.sliders.show_axes(grid.axes)
        self.sliders.setVisible(grid.axes is not None and bool(grid.axes.further))

    def _go(self) -> None:
        parts = self.go_to.text().replace(",", " ").split()
        is_place = bool(parts) and all(part.isdecimal() for part in parts)
        refuse(self.go_to, "" if is_place or not parts else "Expected a row, or a row and a column.")
        if is_place:
            self.cell_typed.emit(int(parts[0]), int(parts[1]) if len(parts) > 1 else 0)


def _size_of(grid: Cells) -> str:
    """The size of a table, and what is not in it."""
    if isinstance(grid, OrderedGrid) and grid.order.clause is not None:
        return f"{grid.rows:,} of {count(grid.inner.rows, 'row')}"
    table = whole_table(grid)
    if isinstance(table, Grid):
        return format_shape((table.rows, table.columns)) + " cells"
    size = f"{count(table.rows, 'row')}, {count(table.columns, 'column')}"
    return f"{size}; {table.note}" if table.note else size
