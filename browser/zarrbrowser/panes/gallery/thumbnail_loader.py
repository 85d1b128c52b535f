"""Reads the thumbnails in view, a few at once; those that leave the view are cancelled."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from zarrbrowser.gallery.cells import FIRST_FIELD, Cell, FieldChoice
from zarrbrowser.gallery.thumbnail import SharedContrast, Thumbnail, read_thumbnail
from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES
from zarrbrowser.workers import Request, Workers
from zarrbrowser.workers.workers import Stopped

IN_FLIGHT = 6
"""Each decodes chunks of its own."""
CACHE_BYTES = 64 * 2**20
"""Room for the samples of all wells of a plate with 1536 wells, as small as they are drawn then."""


class ThumbnailLoader(QObject):
    """Keeps the thumbnails of one group.

    Attributes:
        contrast: the contrast that all thumbnails share.
        read_bytes: the size of the chunks decoded so far.
        may_read_bytes: reading pauses at this size.
        is_stopped: whether the user stopped the reading.
        choice: the field that the thumbnail of a well shows.
        most_fields: the largest number of fields of a well, as far as thumbnails show.

    Signals:
        arrived: the path of a cell that has a thumbnail now, or a reason why it has none.
        recoloured: the shared contrast has changed.
        paused: reading needs consent, or the user stopped it.
        idle: everything that is wanted is there.
    """

    arrived = Signal(str)
    recoloured = Signal()
    paused = Signal()
    idle = Signal()

    def __init__(self, workers: Workers, parent: QObject) -> None:
        super().__init__(parent)
        self._workers = workers
        self._find: Callable[[str], Any] | None = None
        self._queue: deque[Cell] = deque()
        self._running: dict[Cell, Request] = {}
        self._found: OrderedDict[str, Thumbnail] = OrderedDict()
        self._nbytes = 0
        self._failed: dict[str, Exception] = {}
        self._wanted: frozenset[str] = frozenset()
        self._side = 0
        self.contrast = SharedContrast()
        self.choice, self.most_fields = FIRST_FIELD, 1
        self.read_bytes, self.may_read_bytes, self.is_stopped = 0, ASK_ABOVE_BYTES, False

    @property
    def busy(self) -> bool:
        """Whether a thumbnail is being read."""
        return bool(self._running)

    @property
    def waiting(self) -> int:
        """The number of wanted thumbnails that are not being read."""
        return len(self._queue)

    def thumbnail(self, path: str) -> Thumbnail | None:
        """The thumbnail of a cell; None if it is not read."""
        return self._found.get(path)

    def problem(self, path: str) -> Exception | None:
        """Why a cell has no thumbnail; None if nothing is known against it."""
        return self._failed.get(path)

    def start(self, find: Callable[[str], Any], choice: FieldChoice = FIRST_FIELD) -> None:
        """Forget everything, and read from another hierarchy, or other fields."""
        self.forget()
        self._find, self.choice = find, choice

    def forget(self) -> None:
        """Cancel everything, and free all thumbnails."""
        self._cancel(list(self._running))
        self._queue.clear()
        self._found.clear()
        self._nbytes = 0
        self._failed.clear()
        self._find, self._wanted = None, frozenset()
        self.most_fields = 1
        self.contrast = SharedContrast()
        self.read_bytes, self.may_read_bytes, self.is_stopped = 0, ASK_ABOVE_BYTES, False

    def want(self, cells: Sequence[Cell], side: int) -> None:
        """Read only these cells, in this order.

        Args:
            side: the number of samples along the longer side that the screen can show.
        """
        self._wanted = frozenset(cell.path for cell in cells)
        self._cancel([cell for cell in self._running if cell.path not in self._wanted or side > self._side])
        self._side = side
        self._queue = deque(cell for cell in cells if self._is_missing(cell))
        for cell in cells:
            if cell.path in self._found:
                self._found.move_to_end(cell.path)
        self._start()

    def retry(self) -> None:
        """Read again what failed or was stopped."""
        self._failed.clear()
        self.is_stopped = False

    def allow(self) -> None:
        """Allow as much again to be read."""
        self.may_read_bytes = self.read_bytes + ASK_ABOVE_BYTES
        self.is_stopped = False
        self._start()

    def _is_missing(self, cell: Cell) -> bool:
        found = self._found.get(cell.path)
        return (
            cell not in self._running
            and cell.path not in self._failed
            and (found is None or found.side < self._side)
        )

    def _cancel(self, cells: Sequence[Cell]) -> None:
        for cell in cells:
            self._workers.cancel(self._running.pop(cell))

    def _start(self) -> None:
        if self.is_stopped or (self._queue and self.read_bytes >= self.may_read_bytes):
            if self._queue and not self._running:
                self.paused.emit()
            return
        while self._queue and len(self._running) < IN_FLIGHT:
            self._submit(self._queue.popleft())
        if not self._running:
            self.idle.emit()

    def _submit(self, cell: Cell) -> None:
        find, side, choice = self._find, self._side, self.choice
        if find is None:
            return
        self._running[cell] = self._workers.submit(
            lambda request: read_thumbnail(cell, find, side, request.is_cancelled, choice),
            lambda found: self._come(cell, found),
            lambda error: self._fail(cell, error),
            f"Reading thumbnails, {len(self._queue) + 1:,} to go",
        )

    def _come(self, cell: Cell, found: Thumbnail) -> None:
        del self._running[cell]
        self.read_bytes += found.read_bytes
        self.most_fields = max(self.most_fields, found.fields)
        before = self._found.get(cell.path)
        self._nbytes += found.nbytes - (before.nbytes if before is not None else 0)
        self._found[cell.path] = found
        self._found.move_to_end(cell.path)
        self._make_room()
        if self.contrast.add(found):
            self.recoloured.emit()
        self.arrived.emit(cell.path)
        self._start()

    def _fail(self, cell: Cell, error: Exception) -> None:
        self._running.pop(cell, None)
        if isinstance(error, Stopped):
            self._stop(cell)
            return
        self._failed[cell.path] = error
        self.arrived.emit(cell.path)
        self._start()

    def _stop(self, cell: Cell) -> None:
        self._queue.appendleft(cell)
        self.is_stopped = True
        if not self._running:
            self.paused.emit()

    def _make_room(self) -> None:
        """Drop thumbnails out of view, those in view longest ago first."""
        if self._nbytes <= CACHE_BYTES:
            return
        for path in [path for path in self._found if path not in self._wanted]:
            self._nbytes -= self._found.pop(path).nbytes
            if self._nbytes <= CACHE_BYTES:
                return
