"""Reads tiles in the order of a list, a few at once; what leaves the list before it came is cancelled."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from zarrbrowser.image.tiles.raster import Tile, Window
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.nodes.protocols import AnyArray
from zarrbrowser.workers.workers import Request, Stopped, Workers

IN_FLIGHT = 8
"""Each tile is several chunks, which are fetched at once: more would only make the first one wait."""


class TileLoader(QObject):
    """Keeps what a view wants under way.

    Signals:
        arrived: one or more tiles are in the cache.
        failed: why a tile cannot be read; the others still come.
        stopped: the person wants none of the tiles; then comes ``failed``, once for all.
    """

    arrived = Signal()
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, workers: Workers, cache: TileCache, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workers = workers
        self._cache = cache
        self._queue: deque[Tile] = deque()
        self.running: dict[Tile, Request] = {}
        self._broken: dict[Tile, Exception] = {}
        self.torn: dict[Tile, Exception] = {}
        """Tiles with chunks that cannot be read, and why the first of them cannot."""
        self._label = ""
        self.total = 0

    @property
    def busy(self) -> bool:
        """Whether a tile is still to come."""
        return bool(self._queue or self.running)

    @property
    def broken(self) -> dict[Tile, Exception]:
        """Tiles that cannot be read, and why; they are not tried again until `retry`."""
        return self._broken

    def want(self, tiles: Sequence[Tile], label: str = "") -> None:
        """These tiles, in this order, and no others."""
        wanted = dict.fromkeys(tiles)
        for tile in [tile for tile in self.running if tile not in wanted]:
            self._workers.cancel(self.running.pop(tile))
        self._queue = deque(tile for tile in wanted if tile not in self.running and tile not in self._broken)
        self._label, self.total = label, len(self._queue) + len(self.running)
        self._start()

    def retry(self) -> None:
        """What could not be read may be tried again."""
        self._broken.clear()
        for tile in self.torn:
            self._cache.drop(tile)
        self.torn.clear()

    def retry_stopped(self) -> None:
        """What the person stopped may be wanted again; what could not be read stays so."""
        stopped = [tile for tile, error in self._broken.items() if isinstance(error, Stopped)]
        for tile in stopped:
            del self._broken[tile]

    def forget(self) -> None:
        """Nothing is wanted."""
        self.want(())

    def _start(self) -> None:
        while self._queue and len(self.running) < IN_FLIGHT:
            tile = self._queue.popleft()
            self.running[tile] = self._submit(tile)

    def _submit(self, tile: Tile) -> Request:
        return self._workers.submit(
            lambda request: tile.raster.read_parts(tile.raster.samples(tile), request.is_cancelled),
            lambda found: self._come(tile, *found),
            lambda error: self._fail(tile, error),
            self._label,
        )

    def _come(self, tile: Tile, values: AnyArray, holes: tuple[Window, ...], error: Exception | None) -> None:
        self.running.pop(tile, None)
        self._cache.put(tile, values, holes)
        if error is not None:
            self.torn[tile] = error
        done = self.total - len(self._queue) - len(self.running)
        self._start()
        for request in self.running.values():
            request.progress(done / max(1, self.total))
        self.arrived.emit()

    def _fail(self, tile: Tile, error: Exception) -> None:
        self.running.pop(tile, None)
        self._broken[tile] = error
        if isinstance(error, Stopped):
            self._stop(error)
        else:
            self._start()
        self.failed.emit(error)

    def _stop(self, error: Stopped) -> None:
        """What runs and what waits fails too, or the next tiles would take the places of those that were stopped."""
        self._broken.update(dict.fromkeys((*self.running, *self._queue), error))
        for request in self.running.values():
            self._workers.cancel(request)
        self.running.clear()
        self._queue.clear()
        self.stopped.emit()
