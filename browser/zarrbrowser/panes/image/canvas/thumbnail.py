"""A small picture of what a canvas shows, from what is drawn already."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from zarrbrowser.panes.image.canvas.canvas import Canvas

_FINER = 3
"""It is drawn this much larger first: a painter reduces pictures by leaving samples out."""


def thumbnail(canvas: Canvas, size: QSize) -> QImage | None:
    """The part of the plane in view, in its proportions on the screen; None if nothing is drawn.

    Args:
        size: the largest width and height, in pixels.
    """
    seen = canvas.seen()
    if canvas.image.image is None or seen.width() < 1 or seen.height() < 1:
        return None
    small = seen.size().scaled(size, Qt.AspectRatioMode.KeepAspectRatio).toSize().expandedTo(QSize(1, 1))
    finer = QImage(small * _FINER, QImage.Format.Format_RGB32)
    finer.fill(QColor(canvas.backgroundBrush().color()))
    painter = QPainter(finer)
    canvas.scene().render(painter, QRectF(finer.rect()), seen, Qt.AspectRatioMode.IgnoreAspectRatio)
    painter.end()
    return finer.scaled(
        small, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
