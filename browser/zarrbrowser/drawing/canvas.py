"""A painter with the lengths, colours and texts that all parts of a figure share.

Lengths are in tenths of a point, as Qt's fonts have whole numbers as sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from zarrbrowser.drawing.elided import elided
from zarrbrowser.values.ticks import Tick

UNITS_PER_INCH = 720
TEXT, LINES = QColor("#1b232d"), QColor("#3c4753")
THIN = 6.0
TICK = 28.0
"""The length of the mark at a number."""


class FigureCanvas:
    """A painter of one figure.

    Attributes:
        painter: one unit is a tenth of a point.
        em: the height of a line of text.
        metrics: those of the figure's font.
    """

    def __init__(self, painter: QPainter, font_pt: float) -> None:
        self.painter, self._font_pt = painter, font_pt
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
        painter.setFont(self.font())
        self.metrics = QFontMetricsF(painter.font(), painter.device())
        self.em = self.metrics.height()

    def font(self, factor: float = 1.0, *, is_bold: bool = False) -> QFont:
        """The figure's font in another size."""
        font = QFont(self.painter.font())
        font.setPixelSize(max(10, round(self._font_pt * 10 * factor)))
        font.setBold(is_bold)
        return font

    def width(self, text: str) -> float:
        """The width of a text."""
        return self.metrics.horizontalAdvance(text)

    def widest(self, ticks: Sequence[Tick]) -> float:
        """The width of the longest label."""
        return max((self.width(text) for _, text in ticks), default=0.0)

    def line(self, start: QPointF, end: QPointF, colour: QColor = LINES, width: float = THIN) -> None:
        """Draw a straight line."""
        self.painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        self.painter.drawLine(start, end)

    def frame(self, box: QRectF) -> None:
        """Draw the edges of a box."""
        self.painter.setPen(QPen(LINES, THIN))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRect(box)

    def text_at(self, at: QPointF, text: str) -> None:
        """Draw a text whose baseline begins at a point."""
        self.painter.setPen(TEXT)
        self.painter.drawText(at, text)

    def text_in(self, box: QRectF, text: str, colour: QColor = TEXT) -> None:
        """Draw a text in the middle of a box; elided if it is too long."""
        self.painter.setPen(colour)
        self.painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), elided(text, self.metrics, box.width()))

    def upright_text(self, box: QRectF, text: str) -> None:
        """Draw a text from below to above in the middle of a box."""
        painter = self.painter
        painter.save()
        painter.translate(box.center())
        painter.rotate(-90)
        self.text_in(QRectF(-box.height() / 2, -box.width() / 2, box.height(), box.width()), text)
        painter.restore()


def image_of(pixels: NDArray[np.uint8]) -> QImage:
    """An image with pixels of its own; ``pixels`` has the shape (h, w, 4)."""
    plain = np.ascontiguousarray(pixels)
    height, width = plain.shape[:2]
    return QImage(plain.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
