"""The plot of columns below a table, made when the user first asks for it: it loads pyqtgraph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QSplitter, QToolButton

from zarrbrowser.models.grid_model import Cells
from zarrbrowser.panes.table.table_view import TableView
from zarrbrowser.plot.columns import columns_to_draw
from zarrbrowser.plot.document import PlotChoice
from zarrbrowser.theme import current_colours
from zarrbrowser.workers import Workers

if TYPE_CHECKING:  # imported late, for a fast start
    from zarrbrowser.export.figures.figure import FigureSource
    from zarrbrowser.panes.table.columns_plot import ColumnsPlot


class TablePlot(QObject):
    """Shows and hides the plot of the columns that are selected in a table.

    Args:
        place: where the plot is added, below the table.
        button: whether columns are plotted.

    Attributes:
        made: the plot; None before it is made.

    Signals:
        pointed, reported: as those of a `Pane`.
        row_chosen: the row that the user chose in the plot.
        changed: other columns are plotted, or none.
    """

    pointed = Signal(str)
    reported = Signal(str)
    row_chosen = Signal(int)
    changed = Signal()

    def __init__(self, table: TableView, place: QSplitter, button: QToolButton, workers: Workers) -> None:
        super().__init__(table)
        self._table, self._place, self._button, self._workers = table, place, button, workers
        self.made: ColumnsPlot | None = None
        button.clicked.connect(lambda is_on: self.turn(is_on=is_on))

    def turn(self, columns: Sequence[int] = (), *, is_on: bool = True) -> None:
        """Plot columns: by default the selected ones, or the first one; or end to plot."""
        if not columns and self._table.has_selection:
            chosen = self._table.chosen()
            columns = () if chosen is None else range(chosen[1].start, chosen[1].stop)
        self._button.setChecked(is_on)
        self._make().turn(is_on=is_on, columns=columns)
        self.changed.emit()

    def show_table(self, grid: Cells | None) -> None:
        """Plot the columns of another table, if the plot is on."""
        self._button.setVisible(bool(grid is not None and grid.fields and columns_to_draw(grid)))
        if self.made is not None:
            self.made.show_table(grid)

    def offer(self, menu: QMenu, column: int) -> None:
        """Add to the menu of a column what plots it."""
        grid = self._table.grid_model.grid
        if grid is not None and column in columns_to_draw(grid):
            menu.addSeparator()
            menu.addAction("Plot this column", lambda: self.turn([column]))

    def document(self) -> dict[str, Any]:
        """What is plotted, as JSON; empty before anything was."""
        return {} if self.made is None else self.made.document()

    def restore(self, document: Mapping[str, Any]) -> None:
        """Plot what `document` says."""
        if PlotChoice.of(document) is not None or self.made is not None:
            self._button.setChecked(self._make().restore(document))

    def figure(self) -> FigureSource | None:
        """The plot for a figure; None while there is none."""
        return None if self.made is None else self.made.figure()

    def _make(self) -> ColumnsPlot:
        if self.made is None:
            from zarrbrowser.panes.table.columns_plot import ColumnsPlot  # late: it loads pyqtgraph

            plot = self.made = ColumnsPlot(self._workers)
            plot.pointed.connect(self.pointed)
            plot.reported.connect(self.reported)
            plot.row_chosen.connect(self.row_chosen)
            plot.changed.connect(self.changed)
            plot.closed.connect(self._button.click)
            self._place.addWidget(plot)
            self._place.setSizes([1, 1])
            plot.set_colours(current_colours())
            plot.show_table(self._table.grid_model.grid)
        return self.made
