"""Reads the blocks of a table that are in view."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from zarrbrowser.models.grid_model import Cells, GridModel
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.never_written import report_if_never_written
from zarrbrowser.panes.table.table_view import TableView
from zarrbrowser.session.error_text import remedy, sentence
from zarrbrowser.table.grid import BLOCK_COLUMNS, BLOCK_ROWS, Grid, Place
from zarrbrowser.widgets.buttons import AllowButton
from zarrbrowser.widgets.notice import Notice
from zarrbrowser.workers import Lane, Request, Workers
from zarrbrowser.workers.workers import Stopped

_AT_ONCE = 4


class BlockReader(QObject):
    """Reads the missing blocks in view into the model, and cancels requests for others.

    Attributes:
        problem: the bar that says why a block could not be read, with a button to try again.

    Signals:
        looked: the part in view is about to be read: it may be another one.
    """

    looked = Signal()

    def __init__(
        self, model: GridModel, table: TableView, stack: DataStack, workers: Workers, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._model, self._table, self._stack, self._workers = model, table, stack, workers
        self._storage_lane = Lane(workers, in_flight=1)
        self._has_looked = False
        """Whether chunks of the array were looked for."""
        self._reading: dict[Place, Request] = {}
        self._failed: set[Place] = set()
        self._agreed_bytes = 0
        self.problem = Notice("Retry", self.retry)
        self._mend = AllowButton(stack.allow_asked.emit)
        self.problem.add_button(self._mend)
        self._soon = QTimer(self, singleShot=True, interval=15)
        self._soon.timeout.connect(self.read)
        table.looked_elsewhere.connect(self.read_soon)

    def read_soon(self) -> None:
        """Read once the view has stayed the same for a moment."""
        self._soon.start()

    def read(self) -> None:
        """Read the missing blocks in view; cancel other requests."""
        grid = self._model.grid
        if grid is None or not self._stack.isVisible():
            return
        self.looked.emit()
        rows, columns = self._table.in_view()
        if not self._stack.may_read(grid.cost(rows, columns), self._agreed_bytes, "The part in view"):
            self.forget()
            return
        if not self._stack.shows_data:
            self._stack.show_data()
        wanted = self.blocks_in_view()
        for place in [place for place in self._reading if place not in wanted]:
            self._workers.cancel(self._reading.pop(place))
        wanted = [place for place in wanted if self._model.lacks(place) and place not in self._failed]
        for place in wanted:
            if len(self._reading) < _AT_ONCE and place not in self._reading:
                self._read(grid, place)

    def blocks_in_view(self) -> list[Place]:
        """The blocks in view."""
        rows, columns = self._table.in_view()
        return [
            (row, column)
            for row in range(rows.start // BLOCK_ROWS, -(-rows.stop // BLOCK_ROWS))
            for column in range(columns.start // BLOCK_COLUMNS, -(-columns.stop // BLOCK_COLUMNS))
        ]

    def retry(self) -> None:
        """Read again what failed."""
        self._failed.clear()
        self.problem.say("")
        self.read()

    def load_anyway(self) -> None:
        """Read the part in view, although it is large."""
        grid = self._model.grid
        if grid is not None:
            self._agreed_bytes = grid.cost(*self._table.in_view()).nbytes
            self._stack.show_data()
            self.read()

    def cancel(self) -> None:
        """Cancel requests; showing a missing block reads it."""
        for request in self._reading.values():
            self._workers.cancel(request)
        self._reading.clear()

    def forget(self) -> None:
        """Cancel requests, and forget failures: the cells are others now."""
        self.cancel()
        self._failed.clear()
        self.problem.say("")

    def look_again(self) -> None:
        """Find out again whether an array of one value was ever written."""
        self._has_looked = False
        self._stack.notice.say("")

    def clear(self) -> None:
        """Forget the table, and what the user agreed to read of it."""
        self.forget()
        self._agreed_bytes = 0
        self._storage_lane.forget()
        self.look_again()

    def _read(self, grid: Cells, place: Place) -> None:
        rows, columns = grid.block(place)
        self._reading[place] = self._workers.submit(
            lambda asked: grid.read(rows, columns, asked.is_cancelled),
            partial(self._put, place),
            partial(self._fail, place),
            f"Reading rows {rows.start:,}–{rows.stop - 1:,} of {grid.path}",
        )

    def _put(self, place: Place, values: list[list[object]]) -> None:
        self._reading.pop(place, None)
        self._model.put(place, values)
        grid = self._model.grid
        if (
            isinstance(grid, Grid)  # columns have chunks of their own
            and not self._has_looked
            and len({str(one) for row in values for one in row}) == 1
        ):
            self._has_looked = True
            report_if_never_written(grid.array, self._storage_lane, self._stack.notice.show_text)
        self._table.fit_columns()
        self.read()

    def _fail(self, place: Place, error: Exception) -> None:
        self._reading.pop(place, None)
        self._failed.add(place)
        if isinstance(error, Stopped):
            self._agreed_bytes = 0
            self._failed.update(self.blocks_in_view())  # or others would replace those that were stopped
        self.problem.say(sentence(error))
        self._mend.offer(remedy(error))
        self.read()
