"""Shows the chunks of the plane: asks the store which chunks in view exist, and caches the answers."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Signal

from zarrbrowser.chunks.chunk_grid import ChunkGrid, Index, chunks_in, stored
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.panes.image.canvas.chunk_overlay import ChunkOverlay
from zarrbrowser.panes.image.plane_view import PlaneView
from zarrbrowser.values.quantities import count
from zarrbrowser.workers import Lane, Workers

_log = logging.getLogger(__name__)


class ChunkOverlayController(QObject):
    """The chunk overlay of one view.

    Signals:
        text_changed: how many chunks are in view and how many of them are missing, as text.
    """

    text_changed = Signal(str)

    def __init__(self, workers: Workers, view: PlaneView, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = Lane(workers, in_flight=1)
        self._view = view
        self._is_on = False
        self._array: ArrayLike | None = None
        self._known: dict[Index, bool] = {}
        self.overlay = ChunkOverlay()
        self.overlay.setVisible(False)
        view.canvas.view.addItem(self.overlay, ignoreBounds=True)
        view.drawn.connect(self._follow)
        view.canvas.moved.connect(self._follow)

    def turn(self, is_on: bool) -> None:
        """Show or hide the chunks."""
        self._is_on = is_on
        self.overlay.setVisible(is_on)
        if is_on:
            self._follow()
        else:
            self._lane.forget()
            self.text_changed.emit("")  # the counts of chunks that are not shown any more

    def _follow(self) -> None:
        frame = self._view.frame
        if not self._is_on or frame is None:
            return
        array = frame.raster.level.array
        if array is not self._array:
            self._array, self._known = array, {}
            self._lane.forget()
        grid = chunks_in(frame.raster, self._view.canvas.visible())
        self.overlay.show_grid(grid, self._known)
        if grid is None:
            self.text_changed.emit("chunks are too small to show at this zoom")
            return
        unknown = [index for index in (grid.index(*cell) for cell in grid.cells) if index not in self._known]
        if not unknown:
            self._report(grid)
        elif hasattr(array, "chunk_key"):
            self._lane.ask(
                lambda asked: stored(array, unknown, asked.is_cancelled),
                lambda found: self._add_known(grid, found),
                lambda error: _log.debug("cannot find out which chunks are stored: %s", error),
            )

    def _add_known(self, grid: ChunkGrid, found: dict[Index, bool]) -> None:
        self._known.update(found)
        self.overlay.show_grid(self.overlay.grid, self._known)
        self._report(grid)

    def _report(self, grid: ChunkGrid) -> None:
        missing = len(self.overlay.missing)
        shape = " × ".join(f"{one:,}" for one in grid.raster.level.array.chunk_shape)
        self.text_changed.emit(
            f"{count(len(grid.cells), 'chunk')} of {shape} in view, {missing:,} not stored"
        )
