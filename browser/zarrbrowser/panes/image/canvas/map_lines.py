"""Coastlines, and lines of longitude and latitude with their labels, over the picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from zarrbrowser.drawing.map_lines import COAST, GRID, GROUND, SHADOW, TEXT
from zarrbrowser.maps.lines import PlaneLines
from zarrbrowser.maps.sketch import NOTHING, Sketch

_PAD = 3


class MapLines(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph has no types
    """Drawn in elements of the base, inside the plane. Dark lines on light ones are visible in all colour maps.

    Attributes:
        sketch: what is drawn.
        labels: the texts of the labels that had room when it was drawn last.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sketch: Sketch = NOTHING
        self.labels: list[str] = []
        self._plane = QRectF()
        self._coast, self._grid = QPainterPath(), QPainterPath()
        self.setZValue(4.5)

    def show_sketch(self, sketch: Sketch, height: int, width: int) -> None:
        """Draw these lines on a plane of that many elements."""
        self.prepareGeometryChange()
        self.sketch = sketch
        self._plane = QRectF(-0.5, -0.5, width, height)
        self._coast, self._grid = path_of(sketch.coastlines), path_of(sketch.graticule.lines)
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        return self._plane

    def paint(self, painter: QPainter, *_args: Any) -> None:
        painter.setClipRect(self._plane, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for path, colour, width in ((self._grid, GRID, 1.0), (self._coast, COAST, 1.3)):
            for pen in (_pen(SHADOW, width + 1.4), _pen(colour, width)):
                painter.setPen(pen)
                painter.drawPath(path)
        self._write(painter)

    def _write(self, painter: QPainter) -> None:
        """Write the labels in pixels of the screen, those that have room."""
        transform = painter.worldTransform()
        inside = transform.mapRect(self._plane)
        painter.save()
        painter.resetTransform()
        painter.setClipping(False)
        metrics, taken = painter.fontMetrics(), list[QRectF]()
        self.labels = []
        device = painter.device()
        inside &= QRectF(0, 0, device.width(), device.height()) if device is not None else inside
        scene = self.scene()
        box = self.getViewBox()
        if scene is not None and box is not None:
            inside &= box.mapRectToScene(box.rect())
        for label in self.sketch.graticule.labels:
            at = transform.map(QPointF(label.column, label.row))
            width = metrics.horizontalAdvance(label.text) + 2 * _PAD
            height = float(metrics.height())
            left, top = at.x() - width / 2, at.y() - height - 2
            if not label.is_meridian:
                left, top = at.x() + 2, at.y() - height / 2
            rect = QRectF(left, top, width, height)
            rect.moveLeft(min(max(rect.left(), inside.left()), inside.right() - width))
            rect.moveTop(min(max(rect.top(), inside.top()), inside.bottom() - height))
            if any(rect.intersects(other) for other in taken):
                continue
            taken.append(rect)
            self.labels.append(label.text)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(GROUND)
            painter.drawRoundedRect(rect, 3, 3)
            painter.setPen(TEXT)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label.text)
        painter.restore()


def path_of(lines: PlaneLines) -> QPainterPath:
    """Lines as a path of Qt."""
    if lines.rows.size < 2:
        return QPainterPath()
    path: QPainterPath = pg.arrayToQPath(
        np.ascontiguousarray(lines.columns, np.float64),
        np.ascontiguousarray(lines.rows, np.float64),
        connect=lines.connected.astype(np.int32),
        finiteCheck=False,
    )
    return path


def _pen(colour: QColor, width: float) -> QPen:
    pen = QPen(colour, width)
    pen.setCosmetic(True)
    return pen
