"""The keys of a picture or plot: they pan, zoom, move a point as the mouse moves the pointer, and what the mouse can drag."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem

_PAN = 0.125
"""The fraction of the view that each arrow key pans."""
WAYS: dict[int, tuple[int, int]] = {
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
}
_ZOOMS: dict[int, float] = {Qt.Key.Key_Plus: 0.8, Qt.Key.Key_Equal: 0.8, Qt.Key.Key_Minus: 1.25}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEP = 4
"""Pixels between two positions of the point, if elements are not wider."""
FAR = 10
"""The steps that are taken at once with another key held."""
_REACH = 9


@dataclass(frozen=True, slots=True)
class Movable:
    """What the mouse can drag in a view, and keys can move."""

    key: object
    """Stays the same while it is moved."""
    name: str
    place: Callable[[], QPointF]
    """Where it is, in numbers of the axes."""
    told: Callable[[], str]
    """Its place and size as text."""
    move: Callable[[float, float], None]
    """Moves it to the right and down, in numbers of the axes."""
    resize: Callable[[float, float], None] | None = None
    """Moves its right and lower edges on the screen so; None if it has none."""
    choose: Callable[[], None] = lambda: None
    """Called when keys reach it."""

    @property
    def help(self) -> str:
        """Which keys do what."""
        resize = ", with Ctrl resize it" if self.resize is not None else ""
        return f"arrow keys move it{resize}, with Shift by ten; Esc leaves it"


class _Mark(QGraphicsPathItem):
    """Dark lines with light borders, to be seen over any colours."""

    def __init__(self, path: QPainterPath) -> None:
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


def _cross() -> QPainterPath:
    path = QPainterPath()
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        path.moveTo(3 * x, 3 * y)
        path.lineTo(_REACH * x, _REACH * y)
    return path


def _ring() -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(0, 0), _REACH, _REACH)
    return path


class ViewKeys(QObject):
    """The keys of one view of pyqtgraph.

    Args:
        view: the view.
        counted: whether the axes across and up count elements, so that the point steps from element to element.

    Signals:
        looked: another part is in view.
        picked: Enter was pressed, as a click at this position of the scene.
        held: what the arrow keys move now, and where it is, as text; empty once they pan again.
    """

    looked = Signal()
    picked = Signal(QPointF)
    held = Signal(str)

    def __init__(self, view: Any, counted: tuple[bool, bool], parent: QObject) -> None:
        super().__init__(parent)
        self._view, self._counted = view, counted
        self._cross, self._ring = _Mark(_cross()), _Mark(_ring())
        self._offers: list[Callable[[], Sequence[Movable]]] = []
        self._key: object = None
        """That of what the arrow keys move; None while they pan."""
        self._is_ours = False
        for mark in (self._cross, self._ring):
            view.addItem(mark, ignoreBounds=True)
        view.scene().sigMouseMoved.connect(lambda _at: None if self._is_ours else self.forget())

    @property
    def point(self) -> QPointF | None:
        """Where the point is; None while the mouse has the pointer."""
        return self._cross.pos() if self._cross.isVisible() else None

    def forget(self) -> None:
        """Remove the point, and let the arrow keys pan."""
        self._cross.hide()
        self.hold(None)

    def offer(self, movables: Callable[[], Sequence[Movable]]) -> None:
        """Let Tab lead to what a function returns each time that it is called."""
        self._offers.append(movables)

    def hold_next(self, *, is_next: bool) -> bool:
        """Let the arrow keys move the next thing, or the one before; before the first, they pan.

        Returns:
            Whether there is one; otherwise Tab is to lead to another widget.
        """
        offered = self._offered()
        held = next((number for number, one in enumerate(offered) if one.key is self._key), -1)
        following = held + (1 if is_next else -1)
        is_there = -1 <= following < len(offered)
        self.hold(offered[following] if is_there and following >= 0 else None)
        return is_there

    def hold(self, movable: Movable | None) -> None:
        """Let the arrow keys move something; None lets them pan."""
        was_held, self._key = self._key, None if movable is None else movable.key
        if movable is not None:
            movable.choose()
            self._cross.hide()
            self._show_held(movable, movable.help)
        elif was_held is not None:
            self._ring.hide()
            self.held.emit("")

    def leave(self, event: QFocusEvent) -> None:
        """Let the arrow keys pan once another widget has the focus; a menu or another window gives it back."""
        if event.reason() not in (
            Qt.FocusReason.ActiveWindowFocusReason,
            Qt.FocusReason.PopupFocusReason,
            Qt.FocusReason.MenuBarFocusReason,
        ):
            self.hold(None)

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key that is a shortcut elsewhere moves or leaves what is held."""
        is_navigation = event.modifiers() & Qt.KeyboardModifier.AltModifier
        return self._key is not None and event.key() in (*WAYS, Qt.Key.Key_Escape) and not is_navigation

    def _offered(self) -> list[Movable]:
        return [one for offer in self._offers for one in offer()]

    def _show_held(self, movable: Movable, more: str = "") -> None:
        self._ring.setPos(movable.place())
        self._ring.show()
        told = f"{movable.name}: {movable.told()}"
        self.held.emit(f"{told}; {more}" if more else told)

    def _move_held(self, movable: Movable, key: int, held: Qt.KeyboardModifier) -> bool:
        """Move or resize it, by whole elements along axes that count them."""
        steps = FAR if held & Qt.KeyboardModifier.ShiftModifier else 1
        act = movable.resize if held & Qt.KeyboardModifier.ControlModifier else movable.move
        if key == Qt.Key.Key_Escape:
            self.hold(None)
        elif key not in WAYS:
            return False
        elif act is not None:
            ways, pixels = self._way(*WAYS[key]), self._view.viewPixelSize()
            sizes = [
                max(1, round(pixel)) if is_counted else pixel
                for is_counted, pixel in zip(self._counted, pixels, strict=True)
            ]
            act(ways[0] * sizes[0] * steps, ways[1] * sizes[1] * steps)
            self._show_held(movable)
        return True

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key asks for; whether it asks for anything."""
        key, held = event.key(), event.modifiers()
        is_shifted = bool(held & Qt.KeyboardModifier.ShiftModifier)
        movable = next((one for one in self._offered() if one.key is self._key), None)
        if movable is None and self._key is not None:
            self.hold(None)  # it is gone
        if movable is not None and self._move_held(movable, key, held):
            pass
        elif key in WAYS and is_shifted:
            self._step(*WAYS[key], FAR if held & Qt.KeyboardModifier.ControlModifier else 1)
        elif key in WAYS:
            range_, (x, y) = self._view.viewRect(), self._way(*WAYS[key])
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
