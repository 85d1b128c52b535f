"""Draws a figure with any painter: on the screen, in a file, on paper. Text, axes and lines stay vectors."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from zarrbrowser.drawing.axes import draw_below, draw_on_left
from zarrbrowser.drawing.canvas import TEXT, TICK, UNITS_PER_INCH, FigureCanvas, image_of
from zarrbrowser.drawing.panels import data_box, draw_panel, has_axes, places_of, scales_of
from zarrbrowser.export.figures.figure import MM_PER_INCH, ColourBar, Figure, FigureOptions
from zarrbrowser.export.figures.scales import colour_ticks
from zarrbrowser.values.ticks import Tick


def size_in_units(options: FigureOptions) -> tuple[float, float]:
    """The width and height of a figure in tenths of a point."""
    per_mm = UNITS_PER_INCH / MM_PER_INCH
    return options.width_mm * per_mm, options.height_mm * per_mm


def draw_figure(painter: QPainter, figure: Figure, options: FigureOptions) -> None:
    """Draw a figure.

    Args:
        painter: one unit is a tenth of a point.
    """
    whole = QRectF(0, 0, *size_in_units(options))
    if not options.is_transparent:
        painter.fillRect(whole, QColor("white"))
    canvas = FigureCanvas(painter, options.font_pt)
    em = canvas.em
    rest = whole.adjusted(0.6 * em, 0.6 * em, -0.6 * em, -0.6 * em)
    if options.title.strip():
        rest = _draw_title(canvas, options.title, rest)
    if figure.legend and options.has_colour_bar:
        rest = _draw_legend(canvas, figure, rest)
    colours = figure.colour_bar if options.has_colour_bar else None
    if colours is not None:
        rest.setRight(rest.right() - _bar_room(canvas, colours, rest.height()))
    drawn = _draw_panels(canvas, figure, options, rest)
    if colours is not None:
        box = QRectF(drawn.right() + em, drawn.top(), 1.1 * em, drawn.height())
        _draw_colour_bar(canvas, colours, box, rest)


def _draw_title(canvas: FigureCanvas, title: str, rest: QRectF) -> QRectF:
    painter = canvas.painter
    painter.save()
    painter.setFont(canvas.font(1.2, is_bold=True))
    painter.setPen(TEXT)
    flags = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
    needed = painter.boundingRect(rest, flags, title)
    painter.drawText(rest, flags, title)
    painter.restore()
    return rest.adjusted(0, needed.height() + 0.5 * canvas.em, 0, 0)


def _draw_legend(canvas: FigureCanvas, figure: Figure, rest: QRectF) -> QRectF:
    """The names of channels or lines, each beside its colour."""
    em, x, y = canvas.em, rest.left(), rest.top()
    for name, colour in figure.legend:
        width = em + canvas.width(name)
        if x + width > rest.right() and x > rest.left():
            x, y = rest.left(), y + 1.2 * em
        box = QRectF(x, y + 0.2 * em, 0.6 * em, 0.6 * em)
        canvas.painter.fillRect(box, QColor(*colour))
        canvas.frame(box)
        canvas.text_at(QPointF(x + 0.85 * em, y + canvas.metrics.ascent()), name)
        x += width + em
    return rest.adjusted(0, y + 1.5 * em - rest.top(), 0, 0)


def _draw_panels(canvas: FigureCanvas, figure: Figure, options: FigureOptions, rest: QRectF) -> QRectF:
    """Draw all panels; returns the box around their data."""
    around, em = QRectF(), canvas.em
    places = places_of([(row, column) for row, column, _ in figure.panels], rest, em)
    for (_, _, panel), place in zip(figure.panels, places, strict=True):
        if panel.title:
            canvas.text_in(QRectF(place.left(), place.top(), place.width(), 1.2 * em), panel.title)
            place.setTop(place.top() + 1.3 * em)
        data = data_box(canvas, panel, place, options)
        draw_panel(canvas, panel, data, options)
        if has_axes(panel, options):
            across, down = scales_of(panel)
            draw_below(canvas, across, data)
            draw_on_left(canvas, down, data)
        around = around.united(data)
    return around


def _bar_ticks(canvas: FigureCanvas, colours: ColourBar, height: float) -> list[Tick]:
    return colour_ticks(colours.norm, colours.levels, max(2.0, height / (2.2 * canvas.em)))


def _bar_room(canvas: FigureCanvas, colours: ColourBar, height: float) -> float:
    """The width of the colour bar with its numbers and its label."""
    widest = canvas.widest(_bar_ticks(canvas, colours, height))
    return TICK + widest + (2.4 + (1.7 if colours.label else 0.0)) * canvas.em


def _draw_colour_bar(canvas: FigureCanvas, colours: ColourBar, box: QRectF, rest: QRectF) -> None:
    """Draw the colours in a box, and beside them numbers and label, which may be longer than the box."""
    em = canvas.em
    table = colours.table[::-1, None, :]
    pixels = np.concatenate([table, np.full((*table.shape[:2], 1), 255, np.uint8)], axis=2)
    canvas.painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    canvas.painter.drawImage(box, image_of(np.repeat(pixels, 16, axis=1)))
    canvas.frame(box)
    ticks = _bar_ticks(canvas, colours, box.height())
    for place, text in ticks:
        y = box.bottom() - place * box.height()
        canvas.line(QPointF(box.right(), y), QPointF(box.right() + TICK, y))
        at = QPointF(box.right() + TICK + 0.3 * em, y + canvas.metrics.capHeight() / 2)
        canvas.text_at(at, text)
    if colours.label:
        x = box.right() + TICK + 0.5 * em + canvas.widest(ticks)
        half = min(box.center().y() - rest.top(), rest.bottom() - box.center().y())
        canvas.upright_text(QRectF(x, box.center().y() - half, 1.3 * em, 2 * half), colours.label)
