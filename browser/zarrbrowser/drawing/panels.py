"""The panels of a figure: pictures and plots within their frames."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from zarrbrowser.coordinates.scale_bar import bar
from zarrbrowser.drawing.axes import place_of, room_below, room_on_left, ticks_across, ticks_down
from zarrbrowser.drawing.canvas import THIN, UNITS_PER_INCH, FigureCanvas, image_of
from zarrbrowser.drawing.clipping import pixels_within, polylines_within
from zarrbrowser.drawing.map_lines import draw_map
from zarrbrowser.export.figures.figure import FigureOptions, Layer, Line, Picture, Plot, Rect
from zarrbrowser.export.figures.scales import Scale

_GRID = QColor("#e3e7eb")
_HATCHING = QColor(220, 40, 40)
_GROUND = QColor(0, 0, 0, 130)
_LINE, _POINT = 12.0, 18.0
_MOST_UPSAMPLED = 2**23
"""Pixels that enlarged elements may take."""


def scales_of(panel: Picture | Plot) -> tuple[Scale, Scale]:
    """The scales to the right and down."""
    return (panel.columns, panel.rows) if isinstance(panel, Picture) else (panel.x, panel.y)


def places_of(panels: Sequence[tuple[int, int]], room: QRectF, gap: float) -> list[QRectF]:
    """A place of equal size for each panel of a grid.

    Args:
        panels: row and column of each.
        gap: the distance of two places.
    """
    rows, columns = (1 + max(one[side] for one in panels) for side in (0, 1))
    width = (room.width() - (columns - 1) * gap) / columns
    height = (room.height() - (rows - 1) * gap) / rows
    return [
        QRectF(room.left() + column * (width + gap), room.top() + row * (height + gap), width, height)
        for row, column in panels
    ]


def has_axes(panel: Picture | Plot, options: FigureOptions) -> bool:
    """Whether axes are drawn beside a panel."""
    return options.has_axes and (not isinstance(panel, Picture) or panel.has_axes)


def data_box(canvas: FigureCanvas, panel: Picture | Plot, place: QRectF, options: FigureOptions) -> QRectF:
    """The box of a panel's data: beside its axes, and in its proportions."""
    box, em = QRectF(place), canvas.em
    if has_axes(panel, options):
        across, down = scales_of(panel)
        box.setBottom(box.bottom() - room_below(canvas, across))
        box.setLeft(box.left() + room_on_left(canvas, down, box.height()))
        box.adjust(0, 0.5 * em, -1.2 * em, 0)  # numbers at the ends reach beyond the axes
    box.setSize(box.size().expandedTo(QRectF(0, 0, em, em).size()))
    if not isinstance(panel, Picture) or panel.proportion is None:
        return box
    rows, columns = (abs(one.high - one.low) for one in (panel.rows, panel.columns))
    wanted = columns * panel.proportion / max(rows, 1e-9)
    fitted = QRectF(0, 0, min(box.width(), box.height() * wanted), min(box.height(), box.width() / wanted))
    fitted.moveCenter(box.center())
    return fitted


def draw_panel(canvas: FigureCanvas, panel: Picture | Plot, data: QRectF, options: FigureOptions) -> None:
    """Draw the data of a panel and their frame."""
    painter = canvas.painter
    if isinstance(panel, Plot):
        _draw_grid(canvas, panel, data)
    painter.save()
    painter.setClipRect(data)
    if isinstance(panel, Plot):
        if panel.points is not None:
            _draw_layer(canvas, panel.points, panel, data, options.dpi)
        for line in panel.lines:
            _draw_line(canvas, line, panel, data)
    else:
        for layer in panel.layers if options.has_labels else panel.layers[:1]:
            _draw_layer(canvas, layer, panel, data, options.dpi)
        _draw_holes(canvas, panel, data)
        draw_map(canvas, panel, data)
    painter.restore()
    if not isinstance(panel, Picture) or panel.has_axes:
        canvas.frame(data)
    if isinstance(panel, Picture) and panel.scale is not None and options.has_scale_bar:
        _draw_scale_bar(canvas, panel, panel.scale, data)


def _draw_layer(canvas: FigureCanvas, layer: Layer, panel: Picture | Plot, data: QRectF, dpi: int) -> None:
    if not layer.pixels.size:
        return
    target = _box_of(panel, layer.rect, data)
    across, down = scales_of(panel)
    pixels = layer.pixels[
        :: -1 if down.low > down.high else 1,
        :: -1 if across.low > across.high else 1,
    ]
    painter = canvas.painter
    painter.setOpacity(layer.opacity)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, layer.is_smooth)
    shown, place = pixels_within(pixels if layer.is_smooth else enlarged(pixels, target, dpi), target, data)
    if shown.size:
        painter.drawImage(place, image_of(shown))
    painter.setOpacity(1.0)


def _draw_holes(canvas: FigureCanvas, panel: Picture, data: QRectF) -> None:
    """Hatch what could not be read."""
    canvas.painter.setPen(QPen(_HATCHING, THIN))
    for rect in panel.holes:
        box = _box_of(panel, rect, data) & data
        canvas.painter.save()
        canvas.painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
        for number in range(math.ceil((box.width() + box.height()) / canvas.em)):
            right = box.left() + number * canvas.em
            left = right - box.height()
            canvas.painter.drawLine(QPointF(left, box.bottom()), QPointF(right, box.top()))
            canvas.painter.drawLine(QPointF(left, box.top()), QPointF(right, box.bottom()))
        canvas.painter.restore()


def _box_of(panel: Picture | Plot, rect: Rect, data: QRectF) -> QRectF:
    """Where a part of a panel is drawn."""
    top, left, bottom, right = rect
    across, down = scales_of(panel)
    corners = (
        QPointF(
            float(place_of(across, x, data.left(), data.right())),
            float(place_of(down, y, data.top(), data.bottom())),
        )
        for x, y in ((left, top), (right, bottom))
    )
    return QRectF(*corners).normalized()


def enlarged(pixels: NDArray[np.uint8], target: QRectF, dpi: int) -> NDArray[np.uint8]:
    """Elements as squares of pixels: programs that show PDF or SVG files blur large elements."""
    sizes = (target.height(), target.width())
    times = [
        max(1, math.ceil(size * dpi / UNITS_PER_INCH / length))
        for size, length in zip(sizes, pixels.shape[:2], strict=True)
    ]
    while pixels.shape[0] * times[0] * pixels.shape[1] * times[1] > _MOST_UPSAMPLED and max(times) > 1:
        times = [max(1, one // 2) for one in times]
    return np.repeat(np.repeat(pixels, times[0], axis=0), times[1], axis=1)


def _draw_scale_bar(canvas: FigureCanvas, panel: Picture, scale: tuple[float, str], data: QRectF) -> None:
    length, unit = scale
    per_unit = length * abs(panel.columns.high - panel.columns.low) / data.width()
    width, text = bar(per_unit, unit, data.width() / 4)
    em = canvas.em
    box = QRectF(0, 0, max(width, canvas.width(text)) + 0.8 * em, 1.8 * em)
    box.moveBottomRight(data.bottomRight() - QPointF(0.5 * em, 0.5 * em))
    canvas.painter.fillRect(box, _GROUND)
    middle, y = box.center().x(), box.bottom() - 0.35 * em
    white = QColor("white")
    canvas.line(QPointF(middle - width / 2, y), QPointF(middle + width / 2, y), white, 0.16 * em)
    canvas.text_in(box.adjusted(0, 0.1 * em, 0, -0.5 * em), text, white)


def _draw_grid(canvas: FigureCanvas, panel: Plot, data: QRectF) -> None:
    for at, _ in ticks_across(canvas, panel.x, data.width()):
        x = float(place_of(panel.x, at, data.left(), data.right()))
        canvas.line(QPointF(x, data.top()), QPointF(x, data.bottom()), _GRID)
    for at, _ in ticks_down(canvas, panel.y, data.height()):
        y = float(place_of(panel.y, at, data.top(), data.bottom()))
        canvas.line(QPointF(data.left(), y), QPointF(data.right(), y), _GRID)


def _draw_line(canvas: FigureCanvas, line: Line, panel: Plot, data: QRectF) -> None:
    painter, colour = canvas.painter, QColor(*line.colour)
    is_known = np.isfinite(line.x) & np.isfinite(line.y)
    x = np.asarray(place_of(panel.x, line.x, data.left(), data.right()))
    y = np.asarray(place_of(panel.y, line.y, data.top(), data.bottom()))
    after, before = np.append(is_known[1:], False), np.append(False, is_known[:-1])
    pen = QPen(colour, _LINE, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(colour)
    if line.has_line:
        for polyline in polylines_within(x, y, is_known & after, data):
            painter.drawPolyline(polyline)
    marked = is_known if line.has_points else is_known & ~after & ~before
    for point in map(QPointF, x[marked].tolist(), y[marked].tolist()):
        if data.contains(point):
            painter.drawEllipse(point, _POINT, _POINT)
