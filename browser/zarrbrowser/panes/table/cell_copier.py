"""Copying the selected cells of a table to the clipboard."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from zarrbrowser.panes.table.table_view import TableView
from zarrbrowser.session.error_text import sentence
from zarrbrowser.table.grid import COPY_UP_TO, tab_separated
from zarrbrowser.values.quantities import count
from zarrbrowser.workers import Request, Workers


class CellCopier(QObject):
    """Copies cells as text, separated by tabs; cells that are not loaded are read first, in a worker.

    Signals:
        reported: what was copied, or why it was not.
    """

    reported = Signal(str)

    def __init__(self, workers: Workers, table: TableView) -> None:
        super().__init__(table)
        self._workers, self._table = workers, table
        self._copying: Request | None = None
        table.copy_asked.connect(self.copy)
        table.chosen_changed.connect(self._say_if_too_many)

    def copy(self) -> None:
        """Copy the selected cells, or those in view."""
        grid, chosen = self._table.grid_model.grid, self._table.chosen()
        if grid is None or chosen is None:
            return
        rows, columns = chosen
        number = _cells(rows, columns)
        if number > COPY_UP_TO:
            self._say_if_too_many()
            return
        self._copying = self._workers.submit(
            lambda asked: tab_separated(grid.read(rows, columns, asked.is_cancelled)),
            lambda text: self._copied(text, number),
            lambda error: self.reported.emit(sentence(error)),
            f"Copying {count(number, 'cell')}",
        )

    def cancel(self) -> None:
        """Copy nothing, since another table is shown."""
        if self._copying is not None:
            self._workers.cancel(self._copying)

    def _copied(self, text: str, number: int) -> None:
        self._copying = None
        QGuiApplication.clipboard().setText(text)
        self.reported.emit(f"{count(number, 'cell')} copied")

    def _say_if_too_many(self) -> None:
        """Say that a selection is too large to copy as soon as it is made."""
        number = _cells(*(self._table.chosen() or (slice(0, 0), slice(0, 0))))
        if number > COPY_UP_TO:
            self.reported.emit(
                f"{number:,} cells are too many for the clipboard (at most {COPY_UP_TO:,}): export them to a file"
            )


def _cells(rows: slice, columns: slice) -> int:
    return int((rows.stop - rows.start) * (columns.stop - columns.start))
