"""The axes of a panel: marks, numbers and names below it and on its left."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF

from zarrbrowser.drawing.canvas import TICK, FigureCanvas
from zarrbrowser.export.figures.scales import Scale
from zarrbrowser.values.ticks import Tick
from zarrcore.typing import AnyArray

_LINES_APART = 2.2
"""Heights of a line from one number to the next below it."""


def place_of(scale: Scale, position: float | AnyArray, start: float, end: float) -> float | AnyArray:
    """Where a position lies between the two ends of an axis."""
    return start + (position - scale.low) / (scale.high - scale.low) * (end - start)


def room_below(canvas: FigureCanvas, across: Scale) -> float:
    """The height that numbers and name take below a panel."""
    return TICK + (2.7 if across.label else 1.3) * canvas.em


def room_on_left(canvas: FigureCanvas, down: Scale, height: float) -> float:
    """The width that numbers and name take on the left."""
    widest = canvas.widest(ticks_down(canvas, down, height))
    return TICK + (1.9 if down.label else 0.4) * canvas.em + widest


def ticks_down(canvas: FigureCanvas, down: Scale, height: float) -> list[Tick]:
    """The numbers on the left of a panel."""
    return down.ticks(max(2.0, height / (_LINES_APART * canvas.em)))


def ticks_across(canvas: FigureCanvas, across: Scale, width: float) -> list[Tick]:
    """The numbers below a panel, so few that they do not touch each other."""
    most = max(1.0, width / (6.0 * canvas.em))
    while True:
        ticks = across.ticks(most)
        places = sorted(float(place_of(across, at, 0.0, width)) for at, _ in ticks)
        apart = min((after - before for before, after in pairwise(places)), default=width)
        if apart >= canvas.widest(ticks) + 0.6 * canvas.em:
            return ticks
        if most <= 1.0:
            return ticks[:1]
        most = max(1.0, most / 1.5)


def draw_below(canvas: FigureCanvas, across: Scale, data: QRectF) -> None:
    """Draw the axis below a panel's data."""
    for at, text in ticks_across(canvas, across, data.width()):
        x = float(place_of(across, at, data.left(), data.right()))
        canvas.line(QPointF(x, data.bottom()), QPointF(x, data.bottom() + TICK))
        base = data.bottom() + TICK + 0.2 * canvas.em + canvas.metrics.ascent()
        canvas.text_at(QPointF(x - canvas.width(text) / 2, base), text)
    if across.label:
        top = data.bottom() + TICK + 1.35 * canvas.em
        canvas.text_in(QRectF(data.left(), top, data.width(), 1.3 * canvas.em), across.label)


def draw_on_left(canvas: FigureCanvas, down: Scale, data: QRectF) -> None:
    """Draw the axis on the left of a panel's data."""
    ticks = ticks_down(canvas, down, data.height())
    for at, text in ticks:
        y = float(place_of(down, at, data.top(), data.bottom()))
        canvas.line(QPointF(data.left() - TICK, y), QPointF(data.left(), y))
        x = data.left() - TICK - 0.3 * canvas.em - canvas.width(text)
        canvas.text_at(QPointF(x, y + canvas.metrics.capHeight() / 2), text)
    if down.label:
        x = data.left() - TICK - 1.8 * canvas.em - canvas.widest(ticks)
        canvas.upright_text(QRectF(x, data.top(), 1.3 * canvas.em, data.height()), down.label)
