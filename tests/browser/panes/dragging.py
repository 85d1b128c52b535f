"""Dragging with the mouse over what pyqtgraph draws."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget


def drag_to(screen: QWidget, place: QPoint) -> None:
    """Move the mouse with its left button pressed, which `QTest.mouseMove` cannot."""
    left = Qt.MouseButton.LeftButton
    there = QPointF(screen.mapToGlobal(place))
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        there,
        Qt.MouseButton.NoButton,
        left,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(screen, event)
    QTest.qWait(50)  # pyqtgraph follows the mouse at a limited rate
