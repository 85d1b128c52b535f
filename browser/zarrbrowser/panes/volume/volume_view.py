"""The picture of a volume, in a box with the names of its axes: turned, zoomed and moved by mouse and keys."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from zarrbrowser.panes.volume.renderer import Drawn, View
from zarrbrowser.panes.volume.scene_painter import GROUND, Scene, paint_scene
from zarrbrowser.volume.box import AxisText
from zarrbrowser.volume.camera import Camera, Projection, Side
from zarrbrowser.volume.look import Look

_TURN_PER_PX = 0.008
_KEY_TURN = math.radians(10)
_ZOOM = 1.25
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
        look_changed: the volume is drawn in another way, or from elsewhere.
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
        self.request_picture()

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
        self.request_picture()
        self.look_changed.emit()

    def set_camera(self, camera: Camera) -> None:
        """Move the viewer, for the user."""
        self.set_look(replace(self.look, camera=camera))

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

    def scene(self) -> Scene | None:
        """What is around the picture; None without a volume."""
        projection = self.projection()
        if projection is None or self._texts is None:
            return None
        return Scene(projection, self._texts, self._unit)

    def wanted_view(self) -> View | None:
        """The view to draw; None without a volume."""
        projection = self.projection()
        if projection is None:
            return None
        return View(projection, self._reverses, self.look, self.devicePixelRatioF())

    def request_picture(self) -> None:
        """Ask for a picture of the present view."""
        view = self.wanted_view()
        if view is not None:
            self.wanted.emit(view)
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
        self.request_picture()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the edges behind the volume, the volume, and the edges and texts before it."""
        painter = QPainter(self)
        scene = self.scene()
        if scene is None:
            painter.fillRect(self.rect(), QColor(GROUND))
            return
        paint_scene(painter, scene, self._drawn.image if self._drawn is not None else None)
