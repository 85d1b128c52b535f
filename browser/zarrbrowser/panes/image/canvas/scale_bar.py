"""A bar of a round length in the corner of the picture."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from zarrbrowser.coordinates.scale_bar import bar

_MOST = 140
_HEIGHT = 34
_MARGIN = 14


class ScaleBar(QWidget):
    """An overlay on the picture that ignores the pointer."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.resize(_MOST + 2 * _MARGIN, _HEIGHT)
        self.setAccessibleName("scale bar")
        self.text = ""
        """The length of the bar as text; empty without a bar."""
        self._length = 0.0
        self.hide()

    def show_scale(self, per_pixel: float, unit: str, corner: QPointF) -> None:
        """Draw the bar for a number of units per pixel, its lower right end near a corner of the parent."""
        self._length, self.text = bar(per_pixel, unit, _MOST)
        self.setAccessibleDescription(self.text)
        self.move(round(corner.x()) - self.width(), round(corner.y()) - self.height())
        self.show()
        self.raise_()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        right, base = self.width() - _MARGIN, self.height() - 10
        ground = QRectF(right - self._length - 8, 2, self._length + 16, self.height() - 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(0, 0, 0, 130))  # legible on any picture, in both appearances
        painter.drawRoundedRect(ground, 4, 4)
        painter.setPen(QPen(QColor("white"), 2.5))
        painter.drawLine(QPointF(right - self._length, base), QPointF(right, base))
        painter.drawText(
            QRectF(right - self._length - 8, 3, self._length + 16, base - 6),
            Qt.AlignmentFlag.AlignCenter,
            self.text,
        )
