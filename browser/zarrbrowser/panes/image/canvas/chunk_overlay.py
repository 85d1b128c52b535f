"""Lines between chunks over the picture, and hatching on chunks that are not stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QTransform

from zarrbrowser.chunks.chunk_grid import ChunkGrid, Index

_LINE = QColor(255, 255, 255, 120)
_SHADOW = QColor(0, 0, 0, 110)
_MISSING = QColor(255, 170, 60, 170)


class ChunkOverlay(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph has no types
    """Drawn in elements of the base."""

    def __init__(self) -> None:
        super().__init__()
        self.grid: ChunkGrid | None = None
        self.known: Mapping[Index, bool] = {}
        """Which chunks are stored, if known."""
        self.setZValue(5)

    def show_grid(self, grid: ChunkGrid | None, known: Mapping[Index, bool]) -> None:
        """Draw the lines of these chunks."""
        self.prepareGeometryChange()
        self.grid, self.known = grid, known
        self.update()

    @property
    def missing(self) -> list[tuple[int, int]]:
        """Row and column of the chunks in view that are not stored."""
        grid = self.grid
        return [] if grid is None else [at for at in grid.cells if self.known.get(grid.index(*at)) is False]

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        grid = self.grid
        if grid is None:
            return QRectF()
        top, bottom = grid.edge(0, grid.rows.start), grid.edge(0, grid.rows.stop)
        left, right = grid.edge(1, grid.columns.start), grid.edge(1, grid.columns.stop)
        return QRectF(left, top, right - left, bottom - top)

    def paint(self, painter: QPainter, *_args: Any) -> None:
        grid = self.grid
        if grid is None:
            return
        brush = QBrush(_MISSING, Qt.BrushStyle.BDiagPattern)
        # The hatching is in pixels of the screen at any zoom.
        brush.setTransform(QTransform(painter.worldTransform().inverted()[0]))
        for row, column in self.missing:
            left, top = grid.edge(1, column), grid.edge(0, row)
            painter.fillRect(
                QRectF(left, top, grid.edge(1, column + 1) - left, grid.edge(0, row + 1) - top), brush
            )
        rect = self.boundingRect()
        for colour, width in ((_SHADOW, 3), (_LINE, 1)):
            painter.setPen(pg.mkPen(colour, width=width))
            for row in range(grid.rows.start, grid.rows.stop + 1):
                at = grid.edge(0, row)
                painter.drawLine(pg.QtCore.QLineF(rect.left(), at, rect.right(), at))
            for column in range(grid.columns.start, grid.columns.stop + 1):
                at = grid.edge(1, column)
                painter.drawLine(pg.QtCore.QLineF(at, rect.top(), at, rect.bottom()))
