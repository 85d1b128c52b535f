"""Paints a volume with its box, the names of its axes and a scale bar: on the screen, and for figures."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from zarrbrowser.coordinates.scale_bar import bar
from zarrbrowser.theme.colours import DARK
from zarrbrowser.volume.box import AxisText, Edge, edges, labels
from zarrbrowser.volume.camera import Projection

_APART = 8.0
_BAR_PX = 140
_COLOURS = DARK
"""In both appearances: samples give light, and on a bright ground one would see only their shadows."""
GROUND = _COLOURS.canvas


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What is around the picture of a volume."""

    projection: Projection
    texts: tuple[AxisText, AxisText, AxisText]
    """What is written along x, y and z."""
    unit: str
    """Of the lengths; empty if they are no lengths in metres."""


def paint_scene(painter: QPainter, scene: Scene, image: QImage | None) -> None:
    """Draw the edges behind the volume, the volume, and the edges and texts before it.

    Args:
        painter: one unit is a pixel of the projection.
        image: the picture of the volume, over the whole window; None while there is none.
    """
    projection = scene.projection
    whole = QRectF(0, 0, projection.width, projection.height)
    painter.fillRect(whole, QColor(GROUND))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    box = edges(projection)
    _draw_edges(painter, [edge for edge in box if edge.is_behind], QColor(_COLOURS.muted))
    if image is not None:
        painter.drawImage(whole, image)
    front = QColor(_COLOURS.accent)
    front.setAlpha(150)
    _draw_edges(painter, [edge for edge in box if not edge.is_behind], front)
    _draw_texts(painter, scene)
    if scene.unit:
        _draw_bar(painter, scene)


def _draw_texts(painter: QPainter, scene: Scene) -> None:
    metrics, projection = painter.fontMetrics(), scene.projection
    painter.setPen(QColor(_COLOURS.text))
    for label in labels(projection, scene.texts):
        right, down = label.out
        for text, place in (
            (label.text.low, label.low),
            (label.text.name, label.middle),
            (label.text.high, label.high),
        ):
            width, height = metrics.horizontalAdvance(text) + 2, metrics.height()
            x = place[0] + right * (width / 2 + _APART)
            y = place[1] + down * (height / 2 + _APART)
            x = min(max(x, width / 2 + 2), projection.width - width / 2 - 2)
            y = min(max(y, height / 2 + 2), projection.height - height / 2 - 2)
            rect = QRectF(x - width / 2, y - height / 2, width, height)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, text)


def _draw_bar(painter: QPainter, scene: Scene) -> None:
    projection = scene.projection
    length, text = bar(1 / projection.pixels, scene.unit, _BAR_PX)
    right, base = projection.width - 22.0, 34.0  # above: the names of the axes are below
    painter.setPen(QPen(QColor(_COLOURS.text), 2.5))
    painter.drawLine(QPointF(right - length, base), QPointF(right, base))
    above = QRectF(right - length - 40, base - 6 - painter.fontMetrics().height(), length + 80, 20)
    painter.drawText(above, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, text)


def _draw_edges(painter: QPainter, found: list[Edge], colour: QColor) -> None:
    painter.setPen(QPen(colour, 1.2))
    for edge in found:
        painter.drawLine(QPointF(*edge.start), QPointF(*edge.end))
