"""Coastlines, and lines of longitude and latitude with their labels, over the picture.

A worker draws the lines into an image, because that takes up to a second; the window draws the image and the labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen, QPolygonF

from zarrbrowser.drawing.map_lines import COAST, GRID, GROUND, SHADOW, TEXT
from zarrbrowser.image.tiles.frames import View
from zarrbrowser.maps.lines import PlaneLines
from zarrbrowser.maps.sketch import NOTHING, Sketch

_PAD = 3
_MARGIN = 0.25
"""What is drawn beyond each edge of the view, as a fraction of it, so that panning shows no blank."""
_FARTHEST_PX = 1e6
"""Lines end at this distance: Qt's painters have limits."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnSketch:
    """A sketch, and its lines as an image."""

    sketch: Sketch
    image: QImage
    """Empty without lines."""
    rect: QRectF
    """The part of the plane that the image covers, in elements."""


NOTHING_DRAWN = DrawnSketch(NOTHING, QImage(), QRectF())


def draw_sketch(sketch: Sketch, view: View, size: tuple[int, int], ratio: float = 1.0) -> DrawnSketch:
    """Draw lines for a view. Dark lines on light ones are visible in all colour maps. Any thread may call it.

    Args:
        size: the elements of the plane down and to the right; nothing is drawn beyond its edges.
        ratio: pixels of the image for a width of 1.
    """
    if max(sketch.coastlines.rows.size, sketch.graticule.lines.rows.size) < 2:
        return DrawnSketch(sketch, QImage(), QRectF())
    down, right = (1 / max(view.density(axis), 1e-12) for axis in (0, 1))
    top, height = _pixels(view.rows, down, size[0])
    left, width = _pixels(view.columns, right, size[1])
    if height < 1 or width < 1:
        return DrawnSketch(sketch, QImage(), QRectF())
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setClipRect(QRectF((-0.5 - left) * right, (-0.5 - top) * down, size[1] * right, size[0] * down))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for lines, colour, thick in ((sketch.graticule.lines, GRID, 1.0), (sketch.coastlines, COAST, 1.3)):
        polylines = polylines_of(lines, (top, left), (down, right))
        for one, thickness in ((SHADOW, thick + 1.4), (colour, thick)):
            painter.setPen(QPen(one, thickness * ratio))
            # One path with all of them takes ten times as long, and the interpreter waits for it.
            for polyline in polylines:
                painter.drawPolyline(polyline)
    painter.end()
    return DrawnSketch(sketch, image, QRectF(left, top, width / right, height / down))


def polylines_of(
    lines: PlaneLines, origin: tuple[float, float], scale: tuple[float, float]
) -> list[QPolygonF]:
    """Lines in pixels.

    Args:
        origin: the row and the column at the upper left corner.
        scale: pixels per element, down and to the right.
    """
    if lines.rows.size < 2:
        return []
    y, x = (
        np.clip((values - first) * pixels, -_FARTHEST_PX, _FARTHEST_PX)
        for values, first, pixels in zip((lines.rows, lines.columns), origin, scale, strict=True)
    )
    ends = np.flatnonzero(~lines.connected[:-1]) + 1
    runs = zip(np.split(x, ends), np.split(y, ends), strict=True)
    return [pg.functions.arrayToQPolygonF(one, other) for one, other in runs if one.size > 1]


class MapLines(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph has no types
    """Drawn inside the plane, in its elements.

    Attributes:
        labels: the texts of the labels that had room when it was drawn last.
    """

    def __init__(self) -> None:
        super().__init__()
        self.labels: list[str] = []
        self._drawn = NOTHING_DRAWN
        self._plane = QRectF()
        self.setZValue(4.5)

    @property
    def sketch(self) -> Sketch:
        """What is drawn."""
        return self._drawn.sketch

    def show_drawn(self, drawn: DrawnSketch, height: int, width: int) -> None:
        """Show these lines on a plane of that many elements."""
        self.prepareGeometryChange()
        self._drawn = drawn
        self._plane = QRectF(-0.5, -0.5, width, height)
        self.update()

    def clear(self) -> None:
        """Show nothing."""
        self.show_drawn(NOTHING_DRAWN, 0, 0)

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        return self._plane

    def paint(self, painter: QPainter, *_args: Any) -> None:
        if not self._drawn.image.isNull():
            painter.drawImage(self._drawn.rect, self._drawn.image)
        self._write(painter)

    def _write(self, painter: QPainter) -> None:
        """Write the labels in pixels of the screen, those that have room."""
        transform = painter.worldTransform()
        inside = transform.mapRect(self._plane)
        painter.save()
        painter.resetTransform()
        painter.setClipping(False)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
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


def _pixels(ends: tuple[float, float], scale: float, length: int) -> tuple[float, int]:
    """Where an image of a view and its margin begins along an axis, in elements, and its pixels.

    It begins whole pixels before the view, so that its pixels are those of the screen.
    """
    margin = (ends[1] - ends[0]) * _MARGIN
    first = math.floor((max(ends[0] - margin, -0.5) - ends[0]) * scale)
    last = math.ceil((min(ends[1] + margin, length - 0.5) - ends[0]) * scale)
    return ends[0] + first / scale, last - first
