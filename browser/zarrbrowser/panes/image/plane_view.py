"""One plane on the screen: reads the tiles in view and draws those that are loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.painting import Measured, style_of
from zarrbrowser.image.colours.render import NOTHING, Style
from zarrbrowser.image.contours import may_contour
from zarrbrowser.image.levels import Level, Rgba
from zarrbrowser.image.state import Change, ImageState, changes
from zarrbrowser.image.tiles.composition import Composition
from zarrbrowser.image.tiles.frame_text import reading
from zarrbrowser.image.tiles.frames import Frame, Mosaic, plan, rect_of
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.frame_reader import FrameReader
from zarrbrowser.panes.image.picture_painter import Painted, PicturePainter, Task
from zarrbrowser.panes.image.tools.contour_overlay import Contoured, ContourOverlay
from zarrbrowser.panes.image.tools.label_overlay import LabelOverlay
from zarrbrowser.panes.image.tools.map_overlay import MapOverlay
from zarrbrowser.panes.image.tools.projected_picture import ProjectedPicture
from zarrbrowser.session.error_text import sentence
from zarrbrowser.theme.colours import Colours
from zarrbrowser.widgets.label import label
from zarrbrowser.workers import Workers

_OTHER_PICTURE = Change.VALUES | Change.CONTRAST | Change.COLOURS | Change.CHANNELS | Change.MEASURE


class PlaneView(QWidget):
    """Shows the plane of an `ImageState`.

    Signals:
        begun: another image, or other axes of it; nothing is drawn yet.
        frame_shown: the picture is complete.
        drawn: another picture, maybe incomplete, or the same in other colours.
        failed: why a tile could not be read.
        stopped: the user stopped the reading.
    """

    begun = Signal()
    frame_shown = Signal()
    drawn = Signal()
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, workers: Workers, cache: TileCache, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.canvas = Canvas()
        self.reader = FrameReader(workers, cache, self)
        self.loader = self.reader.loader
        self.painter = PicturePainter(workers, cache, self._task_for, self)
        self.overlay = LabelOverlay(workers, cache, self.canvas, self)
        self.map = MapOverlay(workers, self.canvas, self)
        self.projection = ProjectedPicture(workers, self.canvas, self)
        self.contours = ContourOverlay(workers, self)
        self._cache = cache
        self.state: ImageState | None = None
        """The state to show."""
        self.painted_state: ImageState | None = None
        """The state of the picture on the screen; None without one."""
        self._leader: PlaneView | None = None
        self._marks: tuple[Rgba, Rgba] = (NOTHING, NOTHING)
        self.keeps_contrast: Callable[[], bool] = lambda: False
        """Called for each plane: whether it keeps the contrast of the plane before."""
        self.withheld: ReadCost | None = None
        """The read cost of the whole plane, if only its middle is shown because the whole needs consent."""
        self.took_s = 0.0
        """The time from request to picture."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.canvas)
        self.words = label(role="chip")
        self.words.setParent(self)
        self.words.hide()
        self.reader.due.connect(self._draw)
        self.painter.painted.connect(self._show_painted)
        self.painter.failed.connect(self._fail_to_paint)
        self.reader.waiting.connect(lambda text: self._say(f"{text}…"))
        self.reader.failed.connect(self.failed)
        self.reader.stopped.connect(self.stopped)
        self.canvas.moved.connect(self.refresh)
        self.projection.changed.connect(self._draw_contours)
        self.projection.looked.connect(self._draw_contours)

    @property
    def settings(self) -> ViewSettings | None:
        """The settings of the plane; None without one."""
        return self.state.settings if self.state is not None else None

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels of the image, the finest first; empty without one."""
        return self.state.image.levels if self.state is not None else ()

    @property
    def mosaics(self) -> tuple[Mosaic, ...]:
        """The drawn mosaics: one per blended channel, else one; empty before anything is drawn."""
        return self.reader.drawn.mosaics

    @property
    def measured(self) -> Measured | None:
        """Statistics of the plane; None before anything is drawn."""
        return self.reader.drawn.measured

    @property
    def frame(self) -> Frame | None:
        """The frame that is drawn."""
        return self.reader.drawn.frame

    @property
    def is_complete(self) -> bool:
        """Whether the requested frame is drawn completely."""
        return self.reader.is_complete

    @property
    def faults(self) -> list[Exception]:
        """The errors of the unreadable tiles of the drawn frame."""
        tiles, broken = self.frame.tiles if self.frame is not None else (), self.loader.broken
        return [broken[tile] for tile in tiles if tile in broken]

    @property
    def torn(self) -> list[Exception]:
        """The errors of tiles of the drawn frame that are unreadable in part; their other parts are drawn."""
        tiles, torn = self.frame.tiles if self.frame is not None else (), self.loader.torn
        return [torn[tile] for tile in tiles if tile in torn]

    @property
    def unreadable_chunks(self) -> int:
        """The number of chunks of the drawn frame that cannot be read."""
        tiles, broken = self.frame.tiles if self.frame is not None else (), self.loader.broken
        torn = sum(len(self._cache.holes(tile)) for tile in tiles if tile not in broken)
        return torn + sum(tile.raster.cost([tile]).chunks for tile in tiles if tile in broken)

    @property
    def fits_settings(self) -> bool:
        """Whether the drawn frame is one of the present settings: other channels, for instance, may still be loading."""
        return self.frame is not None and self._fits(self.frame)

    @property
    def shown_state(self) -> ImageState | None:
        """The state as far as it is on the screen: the picture of the newest one may still be read or painted."""
        painted, here = self.painted_state, None if self.frame is None else self._state_of(self.frame)
        if painted is None or here is None:
            return painted
        return painted if changes(painted, here) & _OTHER_PICTURE else here

    def show_state(self, state: ImageState, change: Change | None = None) -> None:
        """Show a state.

        Args:
            change: the parts that changed; by default, those in which it differs from the state before.
        """
        change = changes(self.state, state) if change is None else change
        if Change.IMAGE in change:
            self.clear()
        earlier, self.state = self.settings, state
        self.describe()
        if change & (Change.IMAGE | Change.AXES):
            self._show_plane(state)
            return
        if Change.ORIENTATION in change:
            self._show_flips(state)
        may_read_more = earlier is not None and state.settings.may_read_bytes > earlier.may_read_bytes
        if change & (Change.POSITION | Change.CHANNELS | Change.DERIVATION) or may_read_more:
            self.refresh()
        if change & (Change.VALUES | Change.MEASURE) and self.fits_settings:
            self.painter.measure(is_wish=Change.MEASURE in change)
        elif change & _OTHER_PICTURE:
            self.paint()
        if Change.LABELS in change:
            self.overlay.follow(state)
        if change & (Change.CONTOURS | Change.MAP):
            self._draw_contours()
        if change & (Change.MAP | Change.ORIENTATION):
            self.canvas.show_proportion(state.proportion)
            self.map.follow(state)
            self.projection.follow(state)

    def describe(self, pointed: str = "") -> None:
        """Say for screen readers what is shown, and the value under the pointer."""
        state, text = self.state, ""
        if state is not None:
            axes = state.settings.axes
            names, shape = axes.names, axes.shape
            sides = " × ".join([f"{shape[axis]:,} {names[axis]}" for axis in (axes.rows, axes.columns)])
            parts = (state.image.path, sides, state.settings.describe(state.image), pointed)
            text = ", ".join([one for one in parts if one])
        for canvas in (self.canvas, self.projection.canvas):
            if canvas is not None:
                canvas.setAccessibleDescription(text)

    def follow(self, leader: PlaneView | None) -> None:
        """Use the contrast of another view, so that colours mean the same in both; None for its own contrast."""
        self._leader = leader

    def refresh(self) -> None:
        """Read and draw the part in view."""
        state = self.state
        if state is None or not self.canvas.size_shown[0]:
            return
        self.overlay.follow(state)
        self.map.follow(state)
        self._draw_contours()
        frame = self._planned(state)
        if self.reader.is_wanted(frame):
            return
        self.reader.want(frame, reading(state.image, state.settings))
        if frame.is_held_back and self.frame is None and self.canvas.is_fitted:
            self.withheld = frame.cost
            self.canvas.actual_size()  # show the middle while the user is asked
        self.reader.read()

    def look_ahead(self, planes: Sequence[Axes]) -> None:
        """Read other planes ahead for this view: the next ones to play."""
        state = self.state
        if state is not None and self.is_complete:
            self.reader.look_ahead([self._planned(state.with_axes(axes)) for axes in planes])

    def forget_statistics(self) -> None:
        """Let the plane on the screen not count for the range of those after it: the user has not chosen it."""
        self.reader.drawn = self.reader.drawn.without_statistics()

    def retry(self) -> None:
        """Repeat failed reads."""
        self.reader.retry()
        self.refresh()

    def pause(self, *, is_on: bool) -> None:
        """Pause or resume reading."""
        self.reader.pause(is_on=is_on)
        if is_on:
            self.overlay.loader.forget()
        else:
            self.overlay.follow(self.state)

    def picture_style(self) -> Style:
        """The present mapping from numbers to colours."""
        measured = self.colours_from
        if self.state is None or measured is None or not self.fits_settings:
            return Style()
        return style_of(self.state, measured, *self._marks)

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._forget()
        self.loader.retry()
        self.state = None
        self.overlay.follow(None)
        self.map.follow(None)
        self.projection.follow(None)
        self.canvas.clear_plane()
        self.canvas.setAccessibleDescription("")

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self._marks = (_rgba(colours.missing), _rgba(colours.fill))
        self.canvas.set_colours(colours)
        if self.projection.canvas is not None:
            self.projection.canvas.set_colours(colours)
        self.paint()

    def paint(self) -> None:
        """Draw the loaded numbers in the present colours."""
        self.painter.paint()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the map over the picture."""
        super().resizeEvent(event)
        self.projection.resize()

    def fit(self) -> None:
        """Fit the whole plane, or its map, into view."""
        if not self.projection.fit():
            self.canvas.fit()

    def _fits(self, frame: Frame) -> bool:
        return self._state_of(frame) is not None

    def _state_of(self, frame: Frame) -> ImageState | None:
        """The state to show at the position of a frame; None if the frame has other channels, or was computed otherwise."""
        state = self.state
        if state is None or _is_of(frame, state):
            return state
        settings, there = state.settings, frame.planes[0].index
        own = {*settings.axes.shown, None if settings.reduction is None else settings.reduction.axis}
        if settings.is_blended:
            own.add(state.image.channel_axis)
        index = tuple(
            mine if axis in own else place
            for axis, (mine, place) in enumerate(zip(settings.axes.index, there, strict=True))
        )
        moved = state.with_axes(replace(settings.axes, index=index))
        return moved if _is_of(frame, moved) else None

    def _planned(self, state: ImageState) -> Frame:
        """The frame of a state for the part in view."""
        planes, cached = state.settings.planes(state.image), self._cache.__contains__
        image = state.settings.drawn_image(state.image)
        return plan(image, planes, self.canvas.visible(), cached, state.settings.may_read_bytes)

    @property
    def colours_from(self) -> Measured | None:
        """The statistics that the colours follow: those of the leader, if there is one."""
        leading = self._leader.measured if self._leader is not None else None
        mine = self.measured
        fits = leading is not None and mine is not None and len(leading.statistics) == len(mine.statistics)
        return leading if fits else mine

    def _show_plane(self, state: ImageState) -> None:
        """Show another image, or other axes of it, with the whole plane in view."""
        self._forget()
        self.projection.follow(None)
        self.begun.emit()
        self._show_flips(state)
        axes = state.settings.axes
        self.canvas.show_plane(axes.height, axes.width, state.proportion)
        self.refresh()
        self.projection.follow(state)

    def _show_flips(self, state: ImageState) -> None:
        rows, columns = state.flips
        self.canvas.set_flips(rows=rows, columns=columns)

    def _forget(self) -> None:
        self.reader.forget()
        self.painter.forget()
        self.painted_state = None
        self._draw_contours()
        self.withheld = None
        self.words.hide()

    def _draw(self, frame: Frame, is_whole: bool) -> None:
        drawn = self.reader.drawn
        is_drawn = drawn.is_whole and drawn.frame is frame
        if self._fits(frame) and not is_drawn and not self.painter.is_drawing(frame):
            self.painter.draw(frame, is_whole=is_whole)

    def _task_for(self, frame: Frame | None) -> Task | None:
        """What to paint, with a frame that is due or without one."""
        drawn, leader = self.reader.drawn, self._leader
        of = frame or drawn.frame
        state = None if of is None else self._state_of(of)
        if state is None:
            return None
        leading = leader.measured if leader is not None else None
        return Task(
            drawn, state, frame, keeps_contrast=self.keeps_contrast(), leading=leading, marks=self._marks
        )

    def _show_painted(self, painted: Painted) -> None:
        made = painted.composition
        if made.frame is None or not self._fits(made.frame):
            return  # other channels were chosen in the meantime
        self.reader.drawn, self.painted_state = made, painted.state
        self.words.hide()
        view, mosaics = self.canvas.visible(), made.mosaics
        raster = mosaics[0].raster
        is_fine = all(
            view.density(side) * 1.001 < raster.to_base(side, 1) - raster.to_base(side, 0) for side in (0, 1)
        )
        is_smooth = not is_fine and not painted.style.is_labels
        self.canvas.show_picture(painted.colours, mosaics[0].rect, is_smooth=is_smooth)
        holes = [rect_of(one.raster, hole) for one in mosaics for hole in one.holes]
        self.canvas.show_holes(list(dict.fromkeys(holes)))  # a set cannot hold slices before Python 3.12
        self._draw_contours()
        self.projection.repaint()
        self.drawn.emit()
        if painted.is_new and self.is_complete:
            self.took_s = self.reader.took_s
            self.frame_shown.emit()

    def _draw_contours(self) -> None:
        """Draw the contours of the picture on the screen, on its map if it has one."""
        is_wanted, projection = self.state is not None and self.state.settings.contours, self.projection
        state, measured = (self.shown_state, self.colours_from) if is_wanted else (None, None)
        subject, canvas = None, self.canvas
        if state is not None and measured is not None and may_contour(state):
            style, chart = style_of(state, measured), projection.chart
            subject = Contoured(state.settings, self.mosaics[0], style, state.geography, chart)
            if projection.canvas is not None and chart is not None:
                canvas = projection.canvas
        self.contours.follow(subject, canvas)

    def _fail_to_paint(self, error: Exception) -> None:
        """Show no picture: the one before is not of the present state."""
        self.reader.drawn, self.painted_state = Composition(), None
        self.canvas.clear_picture()
        self._draw_contours()
        self.projection.repaint()
        self._say(sentence(error))
        self.failed.emit(error)

    def _say(self, text: str) -> None:
        """Show a message in the middle of an empty view."""
        self.words.setText(text)
        self.words.adjustSize()
        self.words.move(self.rect().center() - self.words.rect().center())
        self.words.show()
        self.words.raise_()


def _is_of(frame: Frame, state: ImageState) -> bool:
    return frame.planes == tuple(state.settings.planes(state.image))


def _rgba(colour: str) -> Rgba:
    found = QColor(colour)
    return found.red(), found.green(), found.blue(), 255
