"""The picture of a volume, in a box with the names of its axes: turned, zoomed and moved by mouse and keys."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from zarrbrowser.coordinates.scale_bar import bar
from zarrbrowser.panes.volume.renderer import Drawn, View
from zarrbrowser.theme.colours import DARK
from zarrbrowser.volume.box import AxisText, Edge, edges, labels
from zarrbrowser.volume.camera import Camera, Projection, Side
from zarrbrowser.volume.look import Look

_TURN_PER_PX = 0.008
_KEY_TURN = math.radians(10)
_ZOOM = 1.25
_APART = 8.0
_BAR_PX = 140
_COLOURS = DARK
"""In both appearances: samples give light, and on a bright ground one would see only their shadows."""
_TURNS: dict[int, tuple[int, int]] = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_ZOOMS: dict[int, float] = {
    Qt.Key.Key_Plus: _ZOOM,
    Qt.Key.Key_Equal: _ZOOM,
    Qt.Key.Key_Minus: 1 / _ZOOM,
}
_SIDES: dict[int, Side] = {
    Qt.Key.Key_Z: Side.FRONT,
    Qt.Key.Key_Y: Side.TOP,
    Qt.Key.Key_X: Side.LEFT,
}


class VolumeView(QWidget):
    """Shows what a `VolumeRenderer` has drawn.

    Attributes:
        look: how the volume is drawn.

    Signals:
        wanted: a `View` to draw.
        look_changed: the user turned, zoomed or moved the volume.
    """

    wanted = Signal(object)
    look_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("picture of the volume")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(120, 90)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.look = Look()
        self._sides: tuple[float, float, float] | None = None
        self._unit = ""
        self._reverses = (False, False, False)
        self._texts: tuple[AxisText, AxisText, AxisText] | None = None
        self._drawn: Drawn | None = None
        self._grabbed: QPointF | None = None

    @property
    def drawn(self) -> Drawn | None:
        """The picture on the screen; None without one."""
        return self._drawn

    def show_box(
        self,
        sides: tuple[float, float, float],
        unit: str,
        reverses: tuple[bool, bool, bool],
        texts: tuple[AxisText, AxisText, AxisText],
    ) -> None:
        """Show the box of a volume.

        Args:
            sides: the lengths along x, y and z.
            unit: of the lengths; empty if they are no lengths in metres.
            reverses: whether columns, rows and depth run against x, y and z.
            texts: what is written along x, y and z.
        """
        self._sides, self._unit, self._reverses, self._texts = sides, unit, reverses, texts
        self.ask()

    def forget(self) -> None:
        """Show nothing."""
        self._sides = self._texts = self._drawn = None
        self.update()

    def show_picture(self, drawn: Drawn) -> None:
        """Show a picture of the volume."""
        if self._sides is not None:
            self._drawn = drawn
            self.update()

    def set_look(self, look: Look) -> None:
        """Draw the volume in another way."""
        self.look = look
        self.ask()

    def set_camera(self, camera: Camera) -> None:
        """Move the viewer, for the user."""
        self.set_look(replace(self.look, camera=camera))
        self.look_changed.emit()

    def reset(self) -> None:
        """Show the whole volume obliquely, as at first."""
        self.set_camera(Camera.initial())

    def fit(self) -> None:
        """Show the whole volume, from where the viewer is."""
        self.set_camera(Camera(self.look.camera.turn))

    def see_from(self, side: Side) -> None:
        """Show the whole volume from a side."""
        self.set_camera(Camera.of(side))

    def projection(self) -> Projection | None:
        """From the volume to the window; None without a volume."""
        if self._sides is None:
            return None
        return Projection(self.look.camera, self._sides, max(1, self.width()), max(1, self.height()))

    def ask(self) -> None:
        """Ask for a picture of the present view."""
        projection = self.projection()
        if projection is not None:
            self.wanted.emit(View(projection, self._reverses, self.look, self.devicePixelRatioF()))
            self.update()

    def picture(self) -> QImage:
        """The widget as an image, at the resolution of the screen."""
        return self.grab().toImage()

    # Events

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Take hold of the volume."""
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._grabbed = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Turn the volume; with Shift or the middle button, move it."""
        projection = self.projection()
        if self._grabbed is None or projection is None:
            return
        moved, self._grabbed = event.position() - self._grabbed, event.position()
        is_pan = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) or bool(
            event.buttons() & Qt.MouseButton.MiddleButton
        )
        camera = self.look.camera
        if is_pan:
            reach = projection.pixels_fitted * projection.diameter
            self.set_camera(camera.panned(moved.x() / reach, moved.y() / reach))
        else:
            self.set_camera(camera.turned(moved.x() * _TURN_PER_PX, moved.y() * _TURN_PER_PX))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Let the volume go."""
        self._grabbed = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Show the whole volume."""
        self.fit()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Zoom; what is under the pointer stays there."""
        projection = self.projection()
        if projection is None:
            return
        reach = projection.pixels_fitted * projection.diameter
        at = event.position() - QPointF(self.width() / 2, self.height() / 2)
        factor = _ZOOM ** (event.angleDelta().y() / 120)
        self.set_camera(self.look.camera.zoomed(factor, (at.x() / reach, at.y() / reach)))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Turn with the arrow keys, move with Shift and these, zoom with + and -."""
        key, camera = event.key(), self.look.camera
        is_plain = not event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        )
        if not is_plain:
            super().keyPressEvent(event)
        elif key in _TURNS:
            right, down = _TURNS[key]
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.set_camera(camera.panned(right / 16, down / 16))
            else:
                self.set_camera(camera.turned(right * _KEY_TURN, down * _KEY_TURN))
        elif key in _ZOOMS:
            self.set_camera(camera.zoomed(_ZOOMS[key]))
        elif key in _SIDES:
            self.see_from(_SIDES[key])
        elif key == Qt.Key.Key_R:
            self.reset()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the volume for the new size."""
        super().resizeEvent(event)
        self.ask()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the edges behind the volume, the volume, and the edges and texts before it."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(_COLOURS.canvas))
        projection = self.projection()
        if projection is None or self._texts is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        box = edges(projection)
        _draw_edges(painter, [edge for edge in box if edge.is_behind], QColor(_COLOURS.muted))
        if self._drawn is not None:
            painter.drawImage(QRectF(self.rect()), self._drawn.image)
        front = QColor(_COLOURS.accent)
        front.setAlpha(150)
        _draw_edges(painter, [edge for edge in box if not edge.is_behind], front)
        self._draw_texts(painter, projection)
        if self._unit:
            self._draw_bar(painter, projection)

    def _draw_texts(self, painter: QPainter, projection: Projection) -> None:
        if self._texts is None:
            return
        metrics = painter.fontMetrics()
        painter.setPen(QColor(_COLOURS.text))
        for label in labels(projection, self._texts):
            right, down = label.out
            for text, place in (
                (label.text.low, label.low),
                (label.text.name, label.middle),
                (label.text.high, label.high),
            ):
                width, height = metrics.horizontalAdvance(text) + 2, metrics.height()
                x = place[0] + right * (width / 2 + _APART)
                y = place[1] + down * (height / 2 + _APART)
                x = min(max(x, width / 2 + 2), self.width() - width / 2 - 2)
                y = min(max(y, height / 2 + 2), self.height() - height / 2 - 2)
                rect = QRectF(x - width / 2, y - height / 2, width, height)
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, text)

    def _draw_bar(self, painter: QPainter, projection: Projection) -> None:
        length, text = bar(1 / projection.pixels, self._unit, _BAR_PX)
        right, base = self.width() - 22.0, 34.0  # above: the names of the axes are below
        painter.setPen(QPen(QColor(_COLOURS.text), 2.5))
        painter.drawLine(QPointF(right - length, base), QPointF(right, base))
        above = QRectF(right - length - 40, base - 6 - painter.fontMetrics().height(), length + 80, 20)
        painter.drawText(above, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, text)


def _draw_edges(painter: QPainter, found: list[Edge], colour: QColor) -> None:
    painter.setPen(QPen(colour, 1.2))
    for edge in found:
        painter.drawLine(QPointF(*edge.start), QPointF(*edge.end))
