"""The keys of a picture or plot: they pan, zoom, and move a point as the mouse moves the pointer."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem

_PAN = 0.125
"""The fraction of the view that each arrow key pans."""
_WAYS: dict[int, tuple[int, int]] = {
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
}
_ZOOMS: dict[int, float] = {Qt.Key.Key_Plus: 0.8, Qt.Key.Key_Equal: 0.8, Qt.Key.Key_Minus: 1.25}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEP, _FAR = 4, 10
"""Pixels between two positions of the point, if elements are not wider; the steps that Ctrl takes at once."""
_REACH = 9


class _Cross(QGraphicsPathItem):
    """The point: dark lines with light borders, to be seen over any colours."""

    def __init__(self) -> None:
        path = QPainterPath()
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            path.moveTo(3 * x, 3 * y)
            path.lineTo(_REACH * x, _REACH * y)
        super().__init__(path)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self.setZValue(20)
        self.hide()

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        side = _REACH + 3
        return QRectF(-side, -side, 2 * side, 2 * side)

    def paint(self, painter: QPainter, *_args: Any) -> None:
        for colour, width in (("white", 4.0), ("black", 1.5)):
            painter.setPen(QPen(QColor(colour), width))
            painter.drawPath(self.path())


class ViewKeys(QObject):
    """The keys of one view of pyqtgraph.

    Args:
        view: the view.
        counted: whether the axes across and up count elements, so that the point steps from element to element.

    Signals:
        looked: another part is in view.
        picked: Enter was pressed, as a click at this position of the scene.
    """

    looked = Signal()
    picked = Signal(QPointF)

    def __init__(self, view: Any, counted: tuple[bool, bool], parent: QObject) -> None:
        super().__init__(parent)
        self._view, self._counted, self._cross = view, counted, _Cross()
        self._is_ours = False
        view.addItem(self._cross, ignoreBounds=True)
        view.scene().sigMouseMoved.connect(lambda _at: None if self._is_ours else self.forget())

    @property
    def point(self) -> QPointF | None:
        """Where the point is; None while the mouse has the pointer."""
        return self._cross.pos() if self._cross.isVisible() else None

    def forget(self) -> None:
        """Remove the point."""
        self._cross.hide()

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key asks for; whether it asks for anything."""
        key, held = event.key(), event.modifiers()
        is_shifted = bool(held & Qt.KeyboardModifier.ShiftModifier)
        if key in _WAYS and is_shifted:
            self._step(*_WAYS[key], _FAR if held & Qt.KeyboardModifier.ControlModifier else 1)
        elif key in _WAYS:
            range_, (x, y) = self._view.viewRect(), self._way(*_WAYS[key])
            self._look(
                lambda: self._view.translateBy(x=x * range_.width() * _PAN, y=y * range_.height() * _PAN)
            )
        elif key in _ZOOMS:
            self._look(lambda: self._view.scaleBy((_ZOOMS[key], _ZOOMS[key]), center=self.point))
        elif key in _ENTER and self.point is not None:
            self.picked.emit(self._view.mapViewToScene(self._cross.pos()))
        else:
            return False
        event.accept()
        return True

    def _look(self, move: Any) -> None:
        move()
        self.looked.emit()

    def _way(self, right: int, down: int) -> tuple[int, int]:
        """A direction of the screen along the axes of the view."""
        state = self._view.state
        return (-right if state["xInverted"] else right), (down if state["yInverted"] else -down)

    def _step(self, right: int, down: int, steps: int) -> None:
        """Move the point, which begins in the middle, and let all that follow the mouse follow it."""
        seen, start = self._view.viewRect(), self.point
        at = [seen.center().x(), seen.center().y()] if start is None else [start.x(), start.y()]
        for axis, (way, pixel) in enumerate(
            zip(self._way(right, down), self._view.viewPixelSize(), strict=True)
        ):
            is_counted = self._counted[axis]
            step = max(1, math.floor(_STEP * pixel)) if is_counted else _STEP * pixel
            at[axis] += way * step * steps if start is not None else 0
            at[axis] = float(round(at[axis])) if is_counted else at[axis]
            ends = (seen.left(), seen.right()) if axis == 0 else (seen.top(), seen.bottom())
            at[axis] = min(max(at[axis], ends[0]), ends[1])
        self._cross.setPos(*at)
        self._cross.show()
        self._is_ours = True
        self._view.scene().sigMouseMoved.emit(self._view.mapViewToScene(self._cross.pos()))
        self._is_ours = False
