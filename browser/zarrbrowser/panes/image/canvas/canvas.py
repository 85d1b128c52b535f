"""The picture: colours drawn at their place in the plane, zoomed with the wheel, panned by dragging.

Positions are elements of the base; element ``i`` covers ``[i − ½, i + ½)``, so that the axes' numbers are at the centres of
elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QImage, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QGraphicsRectItem, QWidget

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.tiles.frames import View
from zarrbrowser.panes.image.canvas.holes import Holes
from zarrbrowser.panes.image.canvas.scale_bar import ScaleBar
from zarrbrowser.theme.colours import Colours
from zarrbrowser.theme.fonts import text_points
from zarrbrowser.widgets.number_axis import NumberAxis
from zarrbrowser.widgets.view_keys import ViewKeys

_SCREEN = 4096
"""Space around a small picture, in elements: a screen's width, for one element per pixel."""
_SLENDER = 8
"""A picture with a larger aspect ratio is stretched, because it would be too thin to see."""


class Picture(pg.ImageItem):  # type: ignore[misc] # pyqtgraph has no types
    """Colours, drawn smoothly if samples are smaller than pixels.

    Attributes:
        is_smooth: whether pixels are means of several samples.
    """

    is_smooth = False
    qimage: QImage | None

    def paint(self, painter: QPainter, *args: Any) -> None:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, self.is_smooth)
        super().paint(painter, *args)

    def render(self) -> None:
        """Convert the colours once to the format of the screen, not each time that they are painted."""
        super().render()
        image: QImage | None = self.qimage
        if image is not None:
            self.qimage = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


class Canvas(pg.GraphicsLayoutWidget):  # type: ignore[misc] # pyqtgraph has no types
    """Shows one plane.

    Signals:
        pointed: position down and to the right under the pointer, as floats, or None off the picture.
        picked: the same for a click.
        drawn: the same for where a drag began and where it is, and whether it ended there; only while dragging draws.
        moved: another part of the plane is in view, or the canvas was resized.
        square_changed: whether elements are drawn as squares, if the plane's shape decided it.
    """

    pointed = Signal(object)
    picked = Signal(object)
    drawn = Signal(object, object, bool)
    moved = Signal()
    square_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("picture of the plane")
        for part in (self, self.viewport()):  # what is dropped on the picture is for the pane around it
            part.setAcceptDrops(False)
        self.ci.layout.setContentsMargins(8, 12, 16, 8)
        self.plot = self.addPlot(
            axisItems={side: NumberAxis(side, whole=True) for side in ("left", "bottom")}, enableMenu=False
        )
        self.view = self.plot.getViewBox()
        self.image = Picture(axisOrder="row-major")
        self.holes = Holes()
        self._ground = QGraphicsRectItem()
        self.scale_bar = ScaleBar(self)
        self.title = ""
        """The title above the plane."""
        self._scale: tuple[float, str] | None = None
        self._size, self._proportion = (0, 0), 1.0
        self.cross = [pg.InfiniteLine(angle=angle) for angle in (0, 90)]
        self.keys = ViewKeys(self.view, (True, True), self)
        self._fitted = True
        self._draws = False
        self._later = QTimer(self, singleShot=True, interval=0)
        self._set_up()

    @property
    def size_shown(self) -> tuple[int, int]:
        """Elements of the plane down and to the right; 0 without a plane."""
        return self._size

    def show_plane(
        self, height: int, width: int, proportion: float = 1.0, *, has_ground: bool = True
    ) -> None:
        """Fit another plane into view, with nothing drawn yet.

        Args:
            has_ground: whether the plane is visible where nothing is drawn.
            proportion: the ratio of width to height of an element.
        """
        self._size, self._proportion = (height, width), proportion
        self.keys.forget()
        self.image.clear()
        self._ground.setRect(QRectF(-0.5, -0.5, width, height))
        self._ground.setVisible(has_ground)
        long = max(width, height)
        ratio = width * proportion / max(1, height)
        self.set_square(1 / _SLENDER < ratio < _SLENDER)
        self.square_changed.emit(1 / _SLENDER < ratio < _SLENDER)
        reach = max(5 * long, _SCREEN)  # square elements need space beyond the short side too
        self.view.setLimits(
            xMin=-reach, xMax=width + reach, yMin=-reach, yMax=height + reach, minXRange=2, minYRange=2
        )
        self.fit()

    def show_picture(
        self, colours: NDArray[np.uint8], rect: tuple[float, float, float, float], *, is_smooth: bool
    ) -> None:
        """Draw colours, shape (h, w, 4), over top, left, bottom, right of the plane."""
        top, left, bottom, right = rect
        self.image.is_smooth = is_smooth
        if not colours.size:
            self.image.clear()
            return
        self.image.setImage(colours, autoLevels=False, levels=None)
        self.image.setRect(QRectF(left, top, right - left, bottom - top))

    def show_holes(self, rects: Sequence[tuple[float, float, float, float]]) -> None:
        """Hatch the rectangles (top, left, bottom, right) that could not be read."""
        self.holes.show(rects)

    def clear_picture(self) -> None:
        """Draw nothing on the plane."""
        self.holes.show(())
        self.image.clear()

    def clear_plane(self) -> None:
        """Show nothing."""
        self._size = (0, 0)
        self.clear_picture()
        self._ground.setVisible(False)
        self.show_scale(None)

    def visible(self) -> View:
        """The part in view, and its scale."""
        (left, right), (top, bottom) = self.view.viewRange()
        ratio = self.devicePixelRatioF()
        return View((top, bottom), (left, right), self.view.height() * ratio, self.view.width() * ratio)

    def seen(self) -> QRectF:
        """The part of the plane in view, in the coordinates of the scene; empty without a plane."""
        height, length = self._size
        ends = [
            self.view.mapViewToScene(QPointF(*end)) for end in ((-0.5, -0.5), (length - 0.5, height - 0.5))
        ]
        return QRectF(*ends).normalized().intersected(self.view.sceneBoundingRect())

    def show_coordinates(
        self, names: tuple[str, str], coordinates: tuple[Coordinate | None, Coordinate | None]
    ) -> None:
        """Name the axes down and to the right, and label them with coordinates, or with indices if these are None."""
        for side, name, coordinate in zip(("left", "bottom"), names, coordinates, strict=True):
            self.plot.getAxis(side).show_coordinate(name, coordinate)

    def show_title(self, text: str) -> None:
        """Set the title above the plane; hidden if empty."""
        self.title = text
        colour = self.plot.getAxis("left").textPen().color()
        self.plot.setTitle(escape(text) or None, color=colour, size=f"{text_points():g}pt")

    def show_scale(self, scale: tuple[float, str] | None) -> None:
        """Show a scale bar for elements of a width in units; hide it if None."""
        self._scale = scale
        self._place_scale_bar()

    def _place_scale_bar(self) -> None:
        width = self.view.width()
        if self._scale is None or not self._size[0] or width < 200:
            self.scale_bar.hide()
            return
        (left, right), _ = self.view.viewRange()
        corner = self.mapFromScene(self.seen().bottomRight())
        self.scale_bar.show_scale(self._scale[0] * (right - left) / width, self._scale[1], QPointF(corner))

    def show_range(self, rows: tuple[float, float] | None, columns: tuple[float, float] | None) -> None:
        """Bring a part of the plane into view; None leaves an axis as it is, as far as the proportions allow."""
        self._fitted = False
        if rows is not None or columns is not None:
            self.view.setRange(xRange=columns, yRange=rows, padding=0)

    def link(self, other: Canvas, *, rows: bool, columns: bool) -> None:
        """Show the same range of an axis as another canvas."""
        self.view.setYLink(other.view if rows else None)
        self.view.setXLink(other.view if columns else None)
        self._fitted = False

    def show_cross(self, place: tuple[float, float] | None) -> None:
        """Draw lines through a position down and to the right."""
        for line, position in zip(self.cross, place or (0, 0), strict=True):
            line.setVisible(place is not None)
            line.setValue(position)

    def set_square(self, square: bool) -> None:
        """Set whether elements are drawn in their proportions: as squares, unless a scale says otherwise."""
        self.view.setAspectLocked(square, self._proportion)

    def show_proportion(self, proportion: float) -> None:
        """Draw elements in another ratio of width to height, once it is known; the plane still fits if it did."""
        is_square, is_other = self.proportion is not None, proportion != self._proportion
        self._proportion = proportion
        if is_square and is_other:
            self.set_square(True)
            if self._fitted:
                self.fit()

    @property
    def proportion(self) -> float | None:
        """The ratio of width to height of an element; None if elements are stretched to fill the canvas."""
        return float(self.view.state["aspectLocked"]) or None

    def set_flips(self, *, rows: bool, columns: bool) -> None:
        """Set the direction of the axes; rows run down unless flipped."""
        self.view.invertY(not rows)
        self.view.invertX(columns)

    def fit(self) -> None:
        """Fit the whole plane into view."""
        height, width = self._size
        if height and width:
            self._fitted = True
            self.view.setRange(QRectF(-0.5, -0.5, width, height), padding=0.02)

    @property
    def is_fitted(self) -> bool:
        """Whether the whole plane is in view and stays so when the window changes."""
        return self._fitted

    def actual_size(self) -> None:
        """Zoom to one element per pixel of the screen, about the centre of the view."""
        self._fitted = False
        # A pending layout, for example of wider numbers, would change the size of the pixels.
        self.ci.layout.activate()
        middle, ratio = self.view.viewRect().center(), self.devicePixelRatioF()
        width, height = self.view.width() * ratio, self.view.height() * ratio
        self.view.setRange(QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height), padding=0)

    def set_colours(self, colours: Colours) -> None:
        """Apply the colours of a theme."""
        self.setBackground(colours.canvas)
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(colours.border))
            axis.setTextPen(pg.mkPen(colours.muted))
        self._ground.setBrush(pg.mkBrush(colours.hover))
        for line in self.cross:
            line.setPen(pg.mkPen(colours.accent, width=1))

    def _set_up(self) -> None:
        self.plot.hideButtons()
        self.plot.setMenuEnabled(False)
        self.view.invertY(True)
        self.view.setAspectLocked(True)
        self._pan, self.view.mouseDragEvent = self.view.mouseDragEvent, self._drag
        self._ground.setPen(QPen(pg.QtCore.Qt.PenStyle.NoPen))
        self._ground.setZValue(-1)
        self._ground.setVisible(False)
        self.view.addItem(self._ground, ignoreBounds=True)
        self.view.addItem(self.image, ignoreBounds=True)
        self.view.addItem(self.holes, ignoreBounds=True)
        for line in self.cross:
            line.setVisible(False)
            self.view.addItem(line, ignoreBounds=True)
        self._later.timeout.connect(self.moved)
        self._later.timeout.connect(self._place_scale_bar)
        self.view.sigRangeChanged.connect(lambda *_: self._later.start())
        self.view.sigRangeChangedManually.connect(lambda *_: self._looked_closer())
        self.view.sigResized.connect(lambda *_: self._resized())
        self.scene().sigMouseMoved.connect(lambda at: self.pointed.emit(self._place(at)))
        self.scene().sigMouseClicked.connect(self._clicked)
        self.keys.looked.connect(self._looked_closer)
        self.keys.picked.connect(self._pick)

    def _looked_closer(self) -> None:
        self._fitted = False

    def _resized(self) -> None:
        """Keep a plane that was wholly in view so when the window changes."""
        if self._fitted:
            self.fit()
        self._later.start()

    def _place(self, at: QPointF) -> tuple[float, float] | None:
        """The position (down, right) of a point of the scene; None off the plane."""
        if not self._size[0] or not self.view.sceneBoundingRect().contains(at):
            return None
        place = self.view.mapSceneToView(at)
        inside = -0.5 <= place.y() < self._size[0] - 0.5 and -0.5 <= place.x() < self._size[1] - 0.5
        return (place.y(), place.x()) if inside else None

    def _clicked(self, event: Any) -> None:
        if event.button() == pg.QtCore.Qt.MouseButton.LeftButton:
            self._pick(event.scenePos())

    def _pick(self, at: QPointF) -> None:
        place = self._place(at)
        if place is not None:
            self.picked.emit(place)

    def draw_by_dragging(self, *, is_on: bool) -> None:
        """Let dragging with the left button draw instead of moving the plane; the middle button still moves it."""
        self._draws = is_on

    def _drag(self, event: Any, axis: int | None = None) -> None:
        if not self._draws or axis is not None or event.button() != pg.QtCore.Qt.MouseButton.LeftButton:
            self._pan(event, axis)
            return
        event.accept()
        start, end = map(self.view.mapSceneToView, (event.buttonDownScenePos(), event.scenePos()))
        self.drawn.emit((start.y(), start.x()), (end.y(), end.x()), event.isFinish())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if not self.keys.press(event):
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Keep shortcuts of the window from what the keys of the picture hold."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self.keys.wants(event)
        ):
            event.accept()
            return True
        return bool(super().event(event))

    def focusNextPrevChild(self, is_next: bool) -> bool:  # noqa: N802 - Qt's name
        """Let Tab lead through what keys can move in the picture before it leads on."""
        return self.keys.hold_next(is_next=is_next) or super().focusNextPrevChild(is_next)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        super().focusOutEvent(event)
        self.keys.leave(event)

    def leaveEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        super().leaveEvent(event)
        self.pointed.emit(None)
