"""One plane on the screen: reads the tiles in view and draws what is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from zarrbrowser.image.colours.painting import Measured, paint, style_of
from zarrbrowser.image.colours.render import NOTHING, Rgba, Style
from zarrbrowser.image.levels import Image, Level, proportion
from zarrbrowser.image.tiles.composition import Composition
from zarrbrowser.image.tiles.frame_text import reading
from zarrbrowser.image.tiles.frames import Frame, Mosaic, plan, rect_of
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.tools.label_overlay import LabelOverlay
from zarrbrowser.session.read_cost import ReadCost
from zarrbrowser.theme.colours import Colours
from zarrbrowser.widgets.label import label
from zarrbrowser.workers import Workers
from zarrbrowser.workers.tile_loader import TileLoader

_GATHER_MS = 25
"""Tiles that come together are drawn together."""
_PATIENCE_S = 0.3
"""After this a new plane is shown as far as it is there; before, the old one stays, so that nothing flickers."""
_SCRUB_MS = 1000
"""While a slider moves, a plane that is under way is given up for the next one only then, or nothing would be seen at all."""


class PlaneView(QWidget):
    """Shows a plane of an image.

    Signals:
        frame_shown: the picture is complete.
        drawn: another picture, perhaps incomplete, or the same in other colours.
        failed: why a tile could not be read.
        stopped: the person wants nothing more of what was under way.
    """

    frame_shown = Signal()
    drawn = Signal()
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, workers: Workers, cache: TileCache, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.canvas = Canvas()
        self.loader = TileLoader(workers, cache, self)
        self.overlay = LabelOverlay(workers, cache, self.canvas, self)
        self._cache = cache
        self._image: Image | None = None
        self.settings: ViewSettings | None = None
        self.colour_map = "gray"
        self._leader: PlaneView | None = None
        self._marks: tuple[Rgba, Rgba] = (NOTHING, NOTHING)
        self._wanted: Frame | None = None
        self._wanted_since = 0.0
        self._earlier: Frame | None = None
        self._is_paused = False
        self.keeps_contrast: Callable[[], bool] = lambda: False
        """Asked for each plane: whether its colours mean what those of the plane before did."""
        self._drawn = Composition()
        self.withheld: ReadCost | None = None
        """What the whole plane costs, where only its middle was looked at, since that is more than may be read unasked."""
        self.took_s = 0.0
        """How long the picture took from wish to screen."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.canvas)
        self.words = label(role="chip")
        self.words.setParent(self)
        self.words.hide()
        self._soon = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._soon.timeout.connect(self._advance)
        self._partly = QTimer(self, singleShot=True, interval=int(_PATIENCE_S * 1000) + 10)
        self._partly.timeout.connect(self._advance)
        self._scrubbing = QTimer(self, singleShot=True, interval=_SCRUB_MS)
        self._scrubbing.timeout.connect(self._give_up_earlier)
        self.loader.arrived.connect(self._gather)
        self.loader.failed.connect(self._fail)
        self.loader.stopped.connect(self._stopped)
        self.canvas.moved.connect(self.refresh)

    @property
    def image(self) -> Image | None:
        """What is shown."""
        return self._image

    @property
    def levels(self) -> tuple[Level, ...]:
        """Those of the image, the finest first; empty where there is none."""
        return self._image.levels if self._image is not None else ()

    @property
    def mosaics(self) -> tuple[Mosaic, ...]:
        """What is drawn: one per channel that is blended, else one; empty before anything is."""
        return self._drawn.mosaics

    @property
    def measured(self) -> Measured | None:
        """What the numbers of the plane are like; None before there are any."""
        return self._drawn.measured

    @property
    def frame(self) -> Frame | None:
        """The frame that is drawn."""
        return self._drawn.frame

    @property
    def is_complete(self) -> bool:
        """Whether all that is wanted is drawn."""
        return self._drawn.is_whole and self._drawn.frame is self._wanted

    @property
    def faults(self) -> list[Exception]:
        """Why tiles of the frame that is drawn cannot be read, one for each; those of other planes are not told."""
        tiles, broken = self.frame.tiles if self.frame is not None else (), self.loader.broken
        return [broken[tile] for tile in tiles if tile in broken]

    @property
    def torn(self) -> list[Exception]:
        """Why parts of tiles of the frame that is drawn cannot be read; the others are drawn."""
        tiles, torn = self.frame.tiles if self.frame is not None else (), self.loader.torn
        return [torn[tile] for tile in tiles if tile in torn]

    @property
    def fits_look(self) -> bool:
        """Whether what is drawn is of as many channels as the look blends now: others may be on their way."""
        return self.frame is not None and self._fits(self.frame)

    def _fits(self, frame: Frame) -> bool:
        wanted = (
            self.settings.planes(self._image) if self.settings is not None and self._image is not None else []
        )
        return len(frame.planes) == len(wanted)

    def show_image(self, image: Image, settings: ViewSettings, colour_map: str) -> None:
        """Another image."""
        self.clear()
        self._image, self.settings, self.colour_map = image, settings, colour_map
        self._turn()

    def follow(self, leader: PlaneView | None) -> None:
        """Take the contrast of another view, so that colours mean the same in both; or have one's own."""
        self._leader = leader

    def look_at(self, settings: ViewSettings) -> None:
        """Another plane with the same axes, or the same in another style."""
        self.settings = settings
        self.refresh()

    def show_axes(self) -> None:
        """The look has other axes in the picture."""
        if self._image is not None:
            self._forget()
            self._turn()

    def refresh(self) -> None:
        """Read and draw what is in view: the look stands at another plane, or another part of it is in view."""
        if self._image is None or self.settings is None or not self.canvas.size_shown[0]:
            return
        settings = self.settings
        self.overlay.follow(settings)
        frame = self._planned(self._image, settings)
        if self._wanted is not None and _same(frame, self._wanted) and not self.loader.broken:
            return
        if self._wanted is None or frame.planes != self._wanted.planes:
            self.loader.retry_stopped()
            self._keep_earlier()
        if self._wanted is None or self.is_complete or frame.planes != self._wanted.planes:
            self._wanted_since = time.monotonic()
        self._wanted = frame
        if frame.is_held_back and self._drawn.frame is None and self.canvas.is_fitted:
            self.withheld = frame.cost
            self.canvas.actual_size()  # what it costs is asked for in the middle at least
        self._read()
        self._advance()

    def _planned(self, image: Image, settings: ViewSettings) -> Frame:
        """What is to be read for a look at what is in view."""
        visible, cached = self.canvas.visible(), self._cache.__contains__
        return plan(image, settings.planes(image), visible, cached, settings.may_read_bytes)

    def recolour(self, colour_map: str | None = None) -> None:
        """The same numbers in other colours."""
        self.colour_map = colour_map or self.colour_map
        self._paint()

    def measure(self) -> None:
        """Look anew at the numbers that are in view."""
        if self.settings is not None and self.fits_look:
            self._drawn.measure(self.settings)
            self._paint()

    def look_ahead(self, planes: Sequence[ViewSettings]) -> None:
        """Read other planes as they would be seen here, once nothing else is wanted: those that come next in a film."""
        if self._image is None or not self.is_complete or self._is_paused:
            return
        tiles = []
        for settings in planes:
            frame = self._planned(self._image, settings)
            tiles += frame.missing(self._cache)
        self.loader.want(tiles)

    def retry(self) -> None:
        """Try again what could not be read."""
        self.loader.retry()
        self._wanted = None
        self.refresh()

    def pause(self, *, is_on: bool) -> None:
        """Read nothing for a while; then go on."""
        self._is_paused = is_on
        if is_on:
            self.loader.forget()
            self.overlay.loader.forget()
        else:
            self.overlay.follow(self.settings)
            self._read()

    def picture_style(self) -> Style:
        """How numbers become colours now."""
        measured = self._measured_for_colours()
        if self.settings is None or measured is None or not self.fits_look:
            return Style()
        return style_of(self.settings, measured, self.colour_map, *self._marks)

    def _measured_for_colours(self) -> Measured | None:
        led = self._leader.measured if self._leader is not None else None
        mine = self.measured
        fits = led is not None and mine is not None and len(led.statistics) == len(mine.statistics)
        return led if fits else mine

    def clear(self) -> None:
        """Show nothing, want nothing."""
        self._forget()
        self.loader.retry()
        self._image = self.settings = None
        self.overlay.follow(None)
        self.canvas.clear_plane()

    def set_colours(self, colours: Colours) -> None:
        """Take on an appearance."""
        self._marks = (_rgba(colours.missing), _rgba(colours.fill))
        self.canvas.set_colours(colours)
        self._paint()

    def _stopped(self) -> None:
        if self.settings is not None:
            self.settings.may_read_bytes = 0  # what the person agreed to, they take back
        self.stopped.emit()

    def _turn(self) -> None:
        image, settings = self._image, self.settings
        if image is not None and settings is not None:
            axes = settings.axes
            self.canvas.set_flips(rows=settings.flip_rows, columns=settings.flip_columns)
            self.canvas.show_plane(axes.height, axes.width, proportion(image, axes.rows, axes.columns))
            self.refresh()

    def _forget(self) -> None:
        self.loader.forget()
        self._soon.stop()
        self._partly.stop()
        self._scrubbing.stop()
        self._wanted = self._earlier = self.withheld = None
        self._drawn = Composition()
        self.words.hide()

    def _keep_earlier(self) -> None:
        """The plane that was wanted until now is shown too when it comes, unless it takes too long."""
        wanted = self._wanted
        if (
            self._earlier is None
            and wanted is not None
            and self._fits(wanted)
            and wanted.missing(self._cache)
        ):
            self._earlier = wanted
            self._scrubbing.start()

    def _give_up_earlier(self) -> None:
        if self._earlier is not None:
            self._earlier = None
            self._read()

    def _read(self) -> None:
        if self._is_paused:
            return
        tiles = [] if self._earlier is None else self._earlier.missing(self._cache)
        if self._wanted is not None and self.settings is not None:
            tiles += self._wanted.missing(self._cache)
        self.loader.want(tiles, self._label())

    def _label(self) -> str:
        return "" if self._image is None or self.settings is None else reading(self._image, self.settings)

    def _gather(self) -> None:
        if not self.loader.busy:
            self._advance()  # nothing else is to come
        elif not self._soon.isActive():
            self._soon.start()

    def _missing(self, frame: Frame) -> bool:
        return any(tile not in self.loader.broken for tile in frame.missing(self._cache))

    def _advance(self) -> None:
        """Draw the newest frame that is whole, or the wanted one in part when that is better than what is seen."""
        wanted = self._wanted
        if wanted is None:
            return
        if not self._missing(wanted):
            self._earlier = None
            self._draw(wanted, is_whole=True)
            return
        if self._earlier is not None and not self._missing(self._earlier):
            earlier, self._earlier = self._earlier, None
            self._draw(earlier, is_whole=False)
        waited_s = time.monotonic() - self._wanted_since
        if waited_s > _PATIENCE_S and not self._drawn.mosaics:
            self._say(f"{self._label()}…")
        if self._drawn.shows_plane_of(wanted) or (
            waited_s > _PATIENCE_S and any(tile in self._cache for tile in wanted.tiles + wanted.backdrop)
        ):
            self._draw(wanted, is_whole=False)
        elif waited_s <= _PATIENCE_S:
            self._partly.start()

    def _draw(self, frame: Frame, *, is_whole: bool) -> None:
        drawn = self._drawn
        if self.settings is None or not self._fits(frame) or (drawn.is_whole and drawn.frame is frame):
            return
        keeps = self.keeps_contrast()
        drawn.take(frame, self.settings, self._cache, is_whole=is_whole, keeps_contrast=keeps)
        self._paint()
        if is_whole:
            self.took_s = time.monotonic() - self._wanted_since
            self.frame_shown.emit()

    def _paint(self) -> None:
        self.words.hide()
        settings, measured = self.settings, self._measured_for_colours()
        if settings is None or not self.fits_look or measured is None:
            return
        style = self.picture_style()
        view = self.canvas.visible()
        mosaic = self._drawn.mosaics[0]
        is_fine = all(
            view.density(side) * 1.001 < mosaic.raster.to_base(side, 1) - mosaic.raster.to_base(side, 0)
            for side in (0, 1)
        )
        picture = paint(settings, self._drawn.mosaics, measured, style)
        self.canvas.show_picture(picture, mosaic.rect, is_smooth=not is_fine and not style.is_labels)
        holes = [rect_of(one.raster, hole) for one in self._drawn.mosaics for hole in one.holes]
        self.canvas.show_holes(list(dict.fromkeys(holes)))  # a set cannot hold slices before Python 3.12
        self.drawn.emit()

    def _say(self, text: str) -> None:
        """Words in the middle, where nothing is drawn yet."""
        self.words.setText(text)
        self.words.adjustSize()
        self.words.move(self.rect().center() - self.words.rect().center())
        self.words.show()
        self.words.raise_()

    def _fail(self, error: Exception) -> None:
        self.failed.emit(error)
        if not self._soon.isActive():
            self._soon.start()


def _rgba(colour: str) -> Rgba:
    found = QColor(colour)
    return found.red(), found.green(), found.blue(), 255


def _same(one: Frame, other: Frame) -> bool:
    """Whether two frames draw and read the same."""
    return replace(one, cost=other.cost, backdrop=other.backdrop) == other
