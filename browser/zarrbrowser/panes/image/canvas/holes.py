"""Hatching over parts of the picture that could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QTransform

_HATCHING = QColor(255, 70, 70, 190)


class Holes(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph has no types
    """Drawn in elements of the base.

    Attributes:
        rects: the hatched rectangles.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rects: list[QRectF] = []
        self.setZValue(4)

    def show(self, rects: Sequence[tuple[float, float, float, float]]) -> None:
        """Hatch only these rectangles (top, left, bottom, right)."""
        self.prepareGeometryChange()
        self.rects = [QRectF(left, top, right - left, bottom - top) for top, left, bottom, right in rects]
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        found = QRectF()
        for rect in self.rects:
            found = found.united(rect)
        return found

    def paint(self, painter: QPainter, *_args: Any) -> None:
        brush = QBrush(_HATCHING, Qt.BrushStyle.DiagCrossPattern)
        # The hatching is in pixels of the screen at any zoom.
        brush.setTransform(QTransform(painter.worldTransform().inverted()[0]))
        for rect in self.rects:
            painter.fillRect(rect, brush)
