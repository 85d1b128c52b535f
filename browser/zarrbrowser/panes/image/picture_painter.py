"""Composes, measures and colours the picture of a plane: a large one in a worker, so that the window stays free.

What one paints and the statistics that it is painted with are one value. So the values under the pointer, the histogram and
the picture on the screen belong together, however long the work takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from zarrbrowser.image.colours.painting import Measured, paint, style_of
from zarrbrowser.image.colours.render import NOTHING, Style
from zarrbrowser.image.levels import Rgba
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.tiles.composition import Composition, tiles_of
from zarrbrowser.image.tiles.frames import Frame
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.workers import Request, Workers
from zarrbrowser.workers.workers import Stopped

_Due = tuple[Frame, bool, TileCache]

_SMALL_BYTES = 4 * 2**20
"""Samples that are painted at once: this takes 10 ms, and playing would lose as much by the way through a worker.

Several channels that are to be measured take longer, and go through a worker."""


@dataclass(frozen=True, slots=True, eq=False)
class Painted:
    """A picture, and all that it was made from."""

    state: ImageState
    composition: Composition
    colours: NDArray[np.uint8]
    """Shape (h, w, 4)."""
    style: Style
    is_new: bool
    """Whether a frame became due, not only other colours."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be painted.

    Attributes:
        before: the composition on the screen.
        state: the state to show.
        frame: the frame that is due; None to paint that of ``before`` again.
        is_whole: whether all tiles of the frame are loaded.
        keeps_contrast: whether another plane keeps the statistics.
        measures: whether to measure in any case.
        is_wish: whether the user asked to measure what is in view.
        leading: the statistics of another view that the colours follow, if they fit.
        marks: the colours of NaN and of the fill value.
        tiles: the loaded tiles of the frame.
    """

    before: Composition
    state: ImageState
    frame: Frame | None = None
    is_whole: bool = False
    keeps_contrast: bool = False
    measures: bool = False
    is_wish: bool = False
    leading: Measured | None = None
    marks: tuple[Rgba, Rgba] = (NOTHING, NOTHING)
    tiles: TileCache = field(default_factory=TileCache)

    @property
    def nbytes(self) -> int:
        """The size of the samples to paint."""
        frame = self.frame or self.before.frame
        if frame is None:
            return 0
        rows, columns = frame.window
        samples = len(frame.rasters) * (rows.stop - rows.start) * (columns.stop - columns.start)
        return int(samples * frame.raster.dtype.itemsize)

    @property
    def is_quick(self) -> bool:
        """Whether it is done at once, in the thread of the window."""
        frame = self.frame or self.before.frame
        measures = self.measures or (self.frame is not None and not self.keeps_contrast)
        is_small = self.nbytes <= _SMALL_BYTES
        return is_small and not (measures and frame is not None and len(frame.rasters) > 1)

    def painted(self) -> Painted:
        """Do the work, in any thread."""
        settings, made = self.state.settings, self.before
        basis = settings.basis(self.state.image)
        if self.frame is not None:
            made = made.with_frame(
                self.frame,
                settings,
                self.tiles,
                is_whole=self.is_whole,
                keeps_contrast=self.keeps_contrast,
                basis=basis,
            )
        if self.measures:
            made = made.measured_again(settings, basis, is_wish=self.is_wish)
        mine = made.measured
        assert mine is not None  # noqa: S101 - a composition with a frame is measured
        leading = self.leading
        fits = leading is not None and len(leading.statistics) == len(mine.statistics)
        measured = leading if leading is not None and fits else mine
        style = style_of(self.state, measured, *self.marks)
        colours = paint(settings, made.mosaics, measured, style)
        return Painted(self.state, made, colours, style, is_new=self.frame is not None)


class PicturePainter(QObject):
    """Paints one picture at a time; all that is asked for meanwhile becomes one task, for the newest state.

    Signals:
        painted: a `Painted`.
        failed: why a picture could not be painted.
    """

    painted = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        workers: Workers,
        cache: TileCache,
        task_for: Callable[[Frame | None], Task | None],
        parent: QObject,
    ) -> None:
        """``task_for`` returns what is to be painted with a frame that is due, or without one; None for nothing."""
        super().__init__(parent)
        self._workers, self._cache, self._task_for = workers, cache, task_for
        self._running: tuple[Request, Task] | None = None
        self._due: _Due | None = None
        """The frame that is due, whether it is whole, and its tiles: the cache may drop them while the frame waits."""
        self._measures = self._is_wish = self._is_asked = False

    def is_drawing(self, frame: Frame) -> bool:
        """Whether all of a frame is being drawn, or will be."""
        task = None if self._running is None else self._running[1]
        due = self._due or (None if task is None else (task.frame, task.is_whole, task.tiles))
        return due is not None and due[0] is frame and due[1]

    def draw(self, frame: Frame, *, is_whole: bool) -> None:
        """Draw a frame with the tiles that are loaded, instead of one that waits."""
        self._due = (frame, is_whole, tiles_of(frame, self._cache))
        self.paint()

    def measure(self, *, is_wish: bool = False) -> None:
        """Measure again, because the numbers mean something else, or as a wish; pictures of the numbers before are dropped."""
        self._measures, self._is_wish = True, is_wish
        self.paint()

    def paint(self) -> None:
        """Paint in the present colours."""
        self._is_asked = True
        task = self._next_task()
        if self._running is not None and ((task is not None and task.is_quick) or self._measures):
            self._take_back()
            task = self._next_task()
        if self._running is not None:
            return
        self._due, self._measures, self._is_wish, self._is_asked = None, False, False, False
        if task is not None:
            self._start(task)

    def forget(self) -> None:
        """Paint nothing, because the subject changed."""
        if self._running is not None:
            self._workers.cancel(self._running[0])
        self._running = self._due = None
        self._measures = self._is_wish = self._is_asked = False

    def _next_task(self) -> Task | None:
        frame, is_whole, tiles = self._due or (None, False, TileCache())
        task = self._task_for(frame)
        return task and replace(
            task, is_whole=is_whole, measures=self._measures, is_wish=self._is_wish, tiles=tiles
        )

    def _take_back(self) -> None:
        """Cancel what is being painted; the next task includes it."""
        if self._running is not None:
            request, task = self._running
            self._workers.cancel(request)
            self._running = None
            self._measures, self._is_wish = self._measures or task.measures, self._is_wish or task.is_wish
            if self._due is None and task.frame is not None:
                self._due = (task.frame, task.is_whole, task.tiles)

    def _start(self, task: Task) -> None:
        if not task.is_quick:
            request = self._workers.submit(lambda _request: task.painted(), self._end, self._fail)
            self._running = (request, task)
            return
        try:
            painted = task.painted()
        except Exception as error:  # noqa: BLE001 - as in a worker
            self._fail(error)
        else:
            self._end(painted)

    def _end(self, painted: Painted) -> None:
        self._running = None
        self.painted.emit(painted)
        self._go_on()

    def _fail(self, error: Exception) -> None:
        if isinstance(error, Stopped):  # the user stopped the reading: what is loaded is still drawn
            self._take_back()
            self.paint()
            return
        self._running = None
        self.failed.emit(error)
        self._go_on()

    def _go_on(self) -> None:
        if self._is_asked and self._running is None:
            self.paint()
