"""Reads tiles in the order of a list, a few at once; tiles removed from the list are cancelled."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from zarrbrowser.image.tiles.raster import Tile, Window
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.workers.workers import Request, Stopped, Workers
from zarrcore.typing import AnyArray

IN_FLIGHT = 8
"""The chunks of a tile are fetched in parallel: more tiles would only delay the first one."""


class TileLoader(QObject):
    """Reads the tiles that a view needs.

    Signals:
        arrived: one or more tiles are in the cache.
        failed: why a tile cannot be read; reading continues with the others.
        stopped: the user stopped the reading; ``failed`` follows, once for all tiles.
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
        """Tiles with unreadable chunks, and the error of the first such chunk."""
        self._label = ""
        self.total = 0
        self._done = 0

    @property
    def busy(self) -> bool:
        """Whether a tile is still awaited."""
        return bool(self._queue or self.running)

    @property
    def broken(self) -> dict[Tile, Exception]:
        """Unreadable tiles and their errors; they are not tried again until `retry`."""
        return self._broken

    def want(self, tiles: Sequence[Tile], label: str = "") -> None:
        """Read only these tiles, in this order."""
        wanted = dict.fromkeys(tiles)
        for tile in [tile for tile in self.running if tile not in wanted]:
            self._workers.cancel(self.running.pop(tile))
        self._queue = deque(tile for tile in wanted if tile not in self.running and tile not in self._broken)
        self._label, self.total, self._done = label, len(self._queue) + len(self.running), 0
        self._start()

    def retry(self) -> None:
        """Forget failures, so that these tiles may be tried again."""
        for tile in (*self.torn, *self._broken):
            self._cache.drop(tile)
        self._broken.clear()
        self.torn.clear()

    def retry_stopped(self) -> None:
        """Allow tiles that the user stopped to be read again; unreadable ones stay so."""
        stopped = [tile for tile, error in self._broken.items() if isinstance(error, Stopped)]
        for tile in stopped:
            del self._broken[tile]

    def forget(self) -> None:
        """Cancel all tiles."""
        self.want(())

    def _start(self) -> None:
        while self._queue and len(self.running) < IN_FLIGHT:
            tile = self._queue.popleft()
            self.running[tile] = self._submit(tile)

    def _submit(self, tile: Tile) -> Request:
        return self._workers.submit(
            lambda request: tile.raster.read_parts(
                tile.raster.samples(tile), request.is_cancelled, lambda part: self._progress(request, part)
            ),
            lambda found: self._come(tile, *found),
            lambda error: self._fail(tile, error),
            self._label,
        )

    def _progress(self, request: Request, part: float) -> None:
        """Report the progress within a tile that takes long; called by the worker."""
        request.progress((self._done + part) / max(1, self.total))

    def _come(self, tile: Tile, values: AnyArray, holes: tuple[Window, ...], error: Exception | None) -> None:
        self.running.pop(tile, None)
        self._cache.put(tile, values, holes)
        if error is not None:
            self.torn[tile] = error
        self._done = self.total - len(self._queue) - len(self.running)
        self._start()
        for request in self.running.values():
            request.progress(self._done / max(1, self.total))
        self.arrived.emit()

    def _fail(self, tile: Tile, error: Exception) -> None:
        self.running.pop(tile, None)
        self._broken[tile] = error
        if isinstance(error, Stopped):
            self._stop(error)
        else:
            self._cache.put_unreadable(tile)
            self._start()
        self.failed.emit(error)

    def _stop(self, error: Stopped) -> None:
        """Fail all running and waiting tiles, or the waiting ones would start in place of those that were stopped."""
        self._broken.update(dict.fromkeys((*self.running, *self._queue), error))
        for request in self.running.values():
            self._workers.cancel(request)
        self.running.clear()
        self._queue.clear()
        self.stopped.emit()
