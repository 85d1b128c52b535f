"""Lines with labels over the picture of a figure: coastlines, lines of longitude and latitude, and contours."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen, QPolygonF

from zarrbrowser.drawing.axes import place_of
from zarrbrowser.drawing.canvas import FigureCanvas
from zarrbrowser.drawing.clipping import polylines_within
from zarrbrowser.export.figures.figure import Picture
from zarrbrowser.image.contours import ContourLabel
from zarrbrowser.maps.graticule import Label
from zarrbrowser.maps.lines import PlaneLines

SHADOW = QColor(255, 255, 255, 120)
COAST, GRID, CONTOUR = QColor(20, 20, 20, 235), QColor(30, 30, 30, 190), QColor(20, 20, 20, 215)
GROUND, TEXT = QColor(255, 255, 255, 205), QColor(20, 20, 20)
LONGEST = 500
"""Parts of a line that are drawn at once."""
_COAST_EM, _GRID_EM, _CONTOUR_EM, _SHADOW_EM = 0.07, 0.05, 0.05, 0.08
"""Widths of lines, in heights of a text."""


def draw_map(canvas: FigureCanvas, panel: Picture, data: QRectF) -> None:
    """Draw contours, and the lines of a map. Dark lines on light ones are visible in all colour maps."""
    sketch = panel.map_lines
    for lines, colour, width in (
        *((lines, CONTOUR, _CONTOUR_EM) for _, lines in panel.contours.levels),
        (sketch.graticule.lines, GRID, _GRID_EM),
        (sketch.coastlines, COAST, _COAST_EM),
    ):
        polylines = polylines_of(lines, panel, data)
        for one, em in ((SHADOW, width + _SHADOW_EM), (colour, width)):
            canvas.painter.setPen(QPen(one, em * canvas.em, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            for polyline in polylines:
                canvas.painter.drawPolyline(polyline)
    _write(canvas, panel, data)


def polylines_of(lines: PlaneLines, panel: Picture, data: QRectF) -> list[QPolygonF]:
    """Lines of a panel in its box, long ones in parts: the interpreter, and so the window, waits while one is drawn."""
    if lines.rows.size < 2:
        return []
    x = np.asarray(place_of(panel.columns, lines.columns, data.left(), data.right()))
    y = np.asarray(place_of(panel.rows, lines.rows, data.top(), data.bottom()))
    return [
        QPolygonF(one.mid(start, LONGEST + 1))
        for one in polylines_within(x, y, lines.connected, data)
        for start in range(0, one.size() - 1, LONGEST)
    ]


def _write(canvas: FigureCanvas, panel: Picture, data: QRectF) -> None:
    """Write the labels that have room."""
    painter, taken, em = canvas.painter, list[QRectF](), canvas.em
    (top, bottom), (left, right) = (sorted((one.low, one.high)) for one in (panel.rows, panel.columns))
    contour_labels = panel.contours.labels((top, left, bottom, right))
    labels: tuple[Label | ContourLabel, ...] = (*panel.map_lines.graticule.labels, *contour_labels)
    for label in labels:
        x = float(place_of(panel.columns, label.column, data.left(), data.right()))
        y = float(place_of(panel.rows, label.row, data.top(), data.bottom()))
        box = QRectF(0, 0, canvas.width(label.text) + 0.4 * em, em)
        if isinstance(label, ContourLabel):
            box.moveCenter(QPointF(x, y))
            if not data.contains(box):
                continue
        elif label.is_meridian:
            box.moveCenter(QPointF(x, y - 0.6 * em))
        else:
            box.moveCenter(QPointF(x + box.width() / 2, y))
        box.moveLeft(min(max(box.left(), data.left()), data.right() - box.width()))
        box.moveTop(min(max(box.top(), data.top()), data.bottom() - box.height()))
        if any(box.intersects(other) for other in taken):
            continue
        taken.append(box)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(GROUND)
        painter.drawRoundedRect(box, 0.2 * em, 0.2 * em)
        canvas.text_in(box, label.text, TEXT)
    painter.setBrush(Qt.BrushStyle.NoBrush)
