"""Dragging with the mouse over what pyqtgraph draws."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget


def drag_to(screen: QWidget, place: QPoint, *, pressed: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
    """Move the mouse with a button pressed, which `QTest.mouseMove` cannot. Windows above this one do not get the event."""
    there = QPointF(screen.mapToGlobal(place))
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        there,
        Qt.MouseButton.NoButton,
        pressed,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(screen, event)
    QTest.qWait(50)  # pyqtgraph follows the mouse at a limited rate
