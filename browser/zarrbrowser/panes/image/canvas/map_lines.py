"""Lines with labels over the picture: coastlines, lines of longitude and latitude, and contours.

A worker draws the lines into an image, because that takes up to a second; the window draws the image and the labels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QPolygonF

from zarrbrowser.drawing.map_lines import COAST, CONTOUR, GRID, GROUND, LONGEST, SHADOW, TEXT
from zarrbrowser.image.contours import NOTHING as NO_CONTOURS
from zarrbrowser.image.contours import ContourLabel, Contours
from zarrbrowser.image.tiles.frames import View
from zarrbrowser.maps.graticule import Label
from zarrbrowser.maps.lines import PlaneLines
from zarrbrowser.maps.sketch import NOTHING, Sketch

_PAD = 3
_MARGIN = 0.25
"""What is drawn beyond each edge of the view, as a fraction of it, so that panning shows no blank."""
_FARTHEST_PX = 1e6
"""Lines end at this distance: Qt's painters have limits."""


Stroke = tuple[PlaneLines, QColor, float]
"""Lines, their colour and their width."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnLines:
    """Lines as an image, and their labels."""

    image: QImage
    """Empty without lines."""
    rect: QRectF
    """The part of the plane that the image covers, in elements."""
    labels: Sequence[Label | ContourLabel] = ()


@dataclass(frozen=True, slots=True, eq=False)
class DrawnSketch(DrawnLines):
    """A drawn sketch."""

    sketch: Sketch = NOTHING


@dataclass(frozen=True, slots=True, eq=False)
class DrawnContours(DrawnLines):
    """Drawn contours."""

    contours: Contours = NO_CONTOURS


NOTHING_DRAWN = DrawnSketch(QImage(), QRectF())


def draw_sketch(sketch: Sketch, view: View, size: tuple[int, int], ratio: float = 1.0) -> DrawnSketch:
    """Draw the lines of a map as `draw_lines` does."""
    strokes = (sketch.graticule.lines, GRID, 1.0), (sketch.coastlines, COAST, 1.3)
    return DrawnSketch(*draw_lines(strokes, view, size, ratio), sketch.graticule.labels, sketch)


def draw_contours(contours: Contours, view: View, size: tuple[int, int], ratio: float = 1.0) -> DrawnContours:
    """Draw contours as `draw_lines` does."""
    drawn = draw_lines([(lines, CONTOUR, 1.0) for _, lines in contours.levels], view, size, ratio)
    labels = contours.labels((view.rows[0], view.columns[0], view.rows[1], view.columns[1]))
    return DrawnContours(*drawn, labels, contours)


def draw_lines(
    strokes: Iterable[Stroke], view: View, size: tuple[int, int], ratio: float
) -> tuple[QImage, QRectF]:
    """An image of lines for a view, and its place. Any thread may call it.

    Dark lines on light ones are visible in all colour maps.

    Args:
        size: the elements of the plane down and to the right; nothing is drawn beyond its edges.
        ratio: pixels of the image for a width of 1.
    """
    shown = [stroke for stroke in strokes if stroke[0].rows.size > 1]
    down, right = (1 / max(view.density(axis), 1e-12) for axis in (0, 1))
    top, height = _pixels(view.rows, down, size[0])
    left, width = _pixels(view.columns, right, size[1])
    if not shown or height < 1 or width < 1:
        return QImage(), QRectF()
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setClipRect(QRectF((-0.5 - left) * right, (-0.5 - top) * down, size[1] * right, size[0] * down))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for lines, colour, thick in shown:
        polylines = polylines_of(lines, (top, left), (down, right))
        for one, thickness in ((SHADOW, thick + 1.4), (colour, thick)):
            painter.setPen(QPen(one, thickness * ratio))
            # One path with all of them takes ten times as long, and the interpreter waits for it.
            for polyline in polylines:
                painter.drawPolyline(polyline)
    painter.end()
    return image, QRectF(left, top, width / right, height / down)


def polylines_of(
    lines: PlaneLines, origin: tuple[float, float], scale: tuple[float, float]
) -> list[QPolygonF]:
    """Lines in pixels, long ones in parts: the interpreter waits while one is drawn.

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
    return [
        pg.functions.arrayToQPolygonF(one[start : start + LONGEST + 1], other[start : start + LONGEST + 1])
        for one, other in zip(np.split(x, ends), np.split(y, ends), strict=True)
        for start in range(0, one.size - 1, LONGEST)
    ]


def _leave_out(painter: QPainter, boxes: Sequence[QRectF]) -> None:
    """Paint nothing in boxes, which are in pixels of the screen."""
    if not boxes:
        return
    transform, device = painter.worldTransform(), painter.device()
    painter.resetTransform()
    rest = QPainterPath()
    rest.addRect(QRectF(0, 0, device.width(), device.height()))
    holes = QPainterPath()
    for box in boxes:
        holes.addRoundedRect(box, 3, 3)
    painter.setClipPath(rest - holes, Qt.ClipOperation.IntersectClip)
    painter.setWorldTransform(transform)


class LinesItem(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph has no types
    """Drawn inside the plane, in its elements.

    Attributes:
        labels: the texts of the labels that had room when it was drawn last.
    """

    def __init__(self) -> None:
        super().__init__()
        self.labels: list[str] = []
        self.shown: DrawnLines = NOTHING_DRAWN
        """What is drawn."""
        self._plane = QRectF()

    def show_drawn(self, drawn: DrawnLines, height: int, width: int) -> None:
        """Show these lines on a plane of that many elements."""
        self.prepareGeometryChange()
        self.shown = drawn
        self._plane = QRectF(-0.5, -0.5, width, height)
        self.update()

    def clear(self) -> None:
        """Show nothing."""
        self.show_drawn(NOTHING_DRAWN, 0, 0)

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        return self._plane

    def paint(self, painter: QPainter, *_args: Any) -> None:
        above, below = self._others()
        taken = list[QRectF]()
        for other in above:
            other.place_labels(painter, taken)
        placed = self.place_labels(painter, taken)
        if not self.shown.image.isNull():
            covered = [rect for other in below for rect, _ in other.place_labels(painter, taken)]
            painter.save()
            _leave_out(painter, covered)
            painter.drawImage(self.shown.rect, self.shown.image)
            painter.restore()
        self._write(painter, placed)

    def _others(self) -> tuple[list[LinesItem], list[LinesItem]]:
        """Other lines over the same picture: those above these, and those below, whose labels these must not cross."""
        parent = self.parentItem()
        others = [
            one
            for one in (() if parent is None else parent.childItems())
            if isinstance(one, LinesItem) and one is not self and one.isVisible()
        ]
        return [one for one in others if one.zValue() > self.zValue()], [
            one for one in others if one.zValue() < self.zValue()
        ]

    def _write(self, painter: QPainter, placed: Sequence[tuple[QRectF, str]]) -> None:
        """Write the labels in pixels of the screen: those that have room, also beside those of the lines above these."""
        self.labels = [text for _, text in placed]
        painter.save()
        painter.resetTransform()
        painter.setClipping(False)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for rect, text in placed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(GROUND)
            painter.drawRoundedRect(rect, 3, 3)
            painter.setPen(TEXT)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    def place_labels(self, painter: QPainter, taken: list[QRectF]) -> list[tuple[QRectF, str]]:
        """The labels that have room beside those that have taken theirs, which they join; in pixels of the screen."""
        transform, metrics = painter.worldTransform(), painter.fontMetrics()
        inside, device = transform.mapRect(self._plane), painter.device()
        inside &= QRectF(0, 0, device.width(), device.height()) if device is not None else inside
        box = self.getViewBox()
        if self.scene() is not None and box is not None:
            inside &= box.mapRectToScene(box.rect())
        placed = []
        for label in self.shown.labels:
            at = transform.map(QPointF(label.column, label.row))
            room = QRectF(0, 0, metrics.horizontalAdvance(label.text) + 2 * _PAD, metrics.height())
            rect = _place_of(label, at, room, inside)
            if rect is not None and not any(rect.intersects(other) for other in taken):
                taken.append(rect)
                placed.append((rect, label.text))
        return placed


class MapLines(LinesItem):
    """The lines of a map."""

    def __init__(self) -> None:
        super().__init__()
        self.setZValue(4.5)

    @property
    def sketch(self) -> Sketch:
        """What is drawn."""
        return self.shown.sketch if isinstance(self.shown, DrawnSketch) else NOTHING


class ContourLines(LinesItem):
    """Contours, below the lines of a map, whose labels matter more: places are read from them."""

    def __init__(self) -> None:
        super().__init__()
        self.setZValue(4.25)

    @property
    def contours(self) -> Contours:
        """What is drawn."""
        return self.shown.contours if isinstance(self.shown, DrawnContours) else NO_CONTOURS


def _place_of(label: Label | ContourLabel, at: QPointF, room: QRectF, inside: QRectF) -> QRectF | None:
    """Where a label is written: on its contour, or else beside a line of the graticule, within the picture."""
    rect = QRectF(room)
    if isinstance(label, ContourLabel):
        rect.moveCenter(at)
        return rect if inside.contains(rect) else None
    if label.is_meridian:
        rect.moveTopLeft(QPointF(at.x() - room.width() / 2, at.y() - room.height() - 2))
    else:
        rect.moveTopLeft(QPointF(at.x() + 2, at.y() - room.height() / 2))
    rect.moveLeft(min(max(rect.left(), inside.left()), inside.right() - rect.width()))
    rect.moveTop(min(max(rect.top(), inside.top()), inside.bottom() - rect.height()))
    return rect


def _pixels(ends: tuple[float, float], scale: float, length: int) -> tuple[float, int]:
    """Where an image of a view and its margin begins along an axis, in elements, and its pixels.

    It begins whole pixels before the view, so that its pixels are those of the screen.
    """
    margin = (ends[1] - ends[0]) * _MARGIN
    first = math.floor((max(ends[0] - margin, -0.5) - ends[0]) * scale)
    last = math.ceil((min(ends[1] + margin, length - 0.5) - ends[0]) * scale)
    return ends[0] + first / scale, last - first
