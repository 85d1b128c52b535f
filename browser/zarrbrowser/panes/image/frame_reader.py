"""Reads the frames that a view requests, and decides when to draw which."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from zarrbrowser.image.tiles.composition import Composition
from zarrbrowser.image.tiles.frames import Frame
from zarrbrowser.image.tiles.raster import Tile
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.workers import Workers
from zarrbrowser.workers.tile_loader import TileLoader

_GATHER_MS = 25
"""Tiles that arrive within this time are drawn together."""
_PATIENCE_S = 0.3
"""After this time an incomplete new plane is shown; until then the old one stays, to avoid flicker."""
_SCRUB_MS = 1000
"""While a slider moves, a plane is dropped for the next one only after this time, or none would ever be seen."""


class FrameReader(QObject):
    """Keeps the requested frame, and the one before it while that may still be shown.

    Attributes:
        loader: reads the tiles.
        wanted: the newest frame.
        drawn: the composition that the view has drawn.

    Signals:
        due: a frame to draw, and whether all of its tiles are loaded.
        waiting: nothing can be drawn yet, and it has taken a while.
        failed: why a tile could not be read.
        stopped: the user stopped the reading.
    """

    due = Signal(object, bool)
    waiting = Signal(str)
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, workers: Workers, cache: TileCache, parent: QObject) -> None:
        super().__init__(parent)
        self.loader = TileLoader(workers, cache, self)
        self.wanted: Frame | None = None
        self.drawn = Composition()
        self._cache = cache
        self._earlier: Frame | None = None
        self._wanted_since = 0.0
        self._label = ""
        self._is_paused = False
        self._soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._soon.timeout.connect(self._advance)
        self._partly = QTimer(self, singleShot=True, interval=int(_PATIENCE_S * 1000) + 10)
        self._partly.timeout.connect(self._advance)
        self._scrubbing = QTimer(self, singleShot=True, interval=_SCRUB_MS)
        self._scrubbing.timeout.connect(self._give_up_earlier)
        self.loader.arrived.connect(self._gather)
        self.loader.failed.connect(self._fail)
        self.loader.stopped.connect(self.stopped)

    @property
    def is_complete(self) -> bool:
        """Whether the requested frame is drawn completely."""
        return self.drawn.is_whole and self.drawn.frame is self.wanted

    @property
    def took_s(self) -> float:
        """The time since the frame was requested."""
        return time.monotonic() - self._wanted_since

    def is_wanted(self, frame: Frame) -> bool:
        """Whether an equivalent frame is already being read, or drawn."""
        wanted = self.wanted
        if wanted is None or self.loader.broken:
            return False
        return replace(frame, cost=wanted.cost, backdrop=wanted.backdrop) == wanted

    def want(self, frame: Frame, label: str) -> None:
        """Read a frame instead of the one before.

        Args:
            label: the text for the status bar.
        """
        wanted = self.wanted
        if wanted is None or frame.planes != wanted.planes:
            self.loader.retry_stopped()
            self._keep_earlier(frame)
        if wanted is None or self.is_complete or frame.planes != wanted.planes:
            self._wanted_since = time.monotonic()
        self.wanted, self._label = frame, label

    def read(self) -> None:
        """Read the missing tiles, and draw the loaded ones."""
        self._read()
        self._advance()

    def look_ahead(self, frames: Sequence[Frame]) -> None:
        """Read other frames once the requested one is complete."""
        if self.is_complete and not self._is_paused:
            self.loader.want([tile for frame in frames for tile in frame.missing(self._cache)])

    def pause(self, *, is_on: bool) -> None:
        """Pause or resume reading."""
        self._is_paused = is_on
        self.loader.forget() if is_on else self._read()

    def forget(self) -> None:
        """Drop the requested and the drawn frame."""
        self.loader.forget()
        for timer in (self._soon, self._partly, self._scrubbing):
            timer.stop()
        self.wanted = self._earlier = None
        self.drawn = Composition()

    def retry(self) -> None:
        """Forget read failures, so that these tiles are tried again."""
        self.loader.retry()
        self.wanted = None

    def _keep_earlier(self, frame: Frame) -> None:
        """Keep the plane requested until now: it is shown too when it is loaded, unless it takes too long."""
        wanted = self.wanted
        if self._earlier is not None or wanted is None or len(wanted.planes) != len(frame.planes):
            return
        if wanted.missing(self._cache):
            self._earlier = wanted
            self._scrubbing.start()

    def _give_up_earlier(self) -> None:
        if self._earlier is not None:
            self._earlier = None
            self._read()

    def _read(self) -> None:
        if not self._is_paused:
            frames = (frame for frame in (self._earlier, self.wanted) if frame is not None)
            self.loader.want([tile for frame in frames for tile in frame.missing(self._cache)], self._label)

    def _gather(self) -> None:
        if not self.loader.busy:
            self._advance()  # nothing more will arrive
        elif not self._soon.isActive():
            self._soon.start()

    def _fail(self, error: Exception) -> None:
        self.failed.emit(error)
        if not self._soon.isActive():
            self._soon.start()

    def _is_there(self, frame: Frame) -> bool:
        """Whether all tiles of a frame are loaded, except unreadable ones."""
        broken: dict[Tile, Exception] = self.loader.broken
        return all(tile in broken for tile in frame.missing(self._cache))

    def _advance(self) -> None:
        """Draw the newest complete frame, or the requested one in part if that is better than the picture now."""
        wanted = self.wanted
        if wanted is None:
            return
        if self._is_there(wanted):
            self._earlier = None
            self.due.emit(wanted, True)
            return
        if self._earlier is not None and self._is_there(self._earlier):
            earlier, self._earlier = self._earlier, None
            self.due.emit(earlier, False)
        is_late = self.took_s > _PATIENCE_S
        if is_late and not self.drawn.mosaics:
            self.waiting.emit(self._label)
        some_are_there = is_late and any(tile in self._cache for tile in wanted.tiles + wanted.backdrop)
        if some_are_there or self.drawn.shows_plane_of(wanted):
            self.due.emit(wanted, False)
        elif not is_late:
            self._partly.start()
