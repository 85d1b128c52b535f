"""A map of an array's chunks, with a cell for one or several chunks, coloured if they are stored."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QRect
from PySide6.QtGui import QColor, QHelpEvent, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from zarrbrowser.chunks.chunk_map import ChunkMap
from zarrbrowser.theme import current_colours

_LARGEST, _GAP_FROM = 28, 6
"""The maximum size of a cell in pixels; the size from which cells have a gap."""


class ChunkPicture(QWidget):
    """Shows a `ChunkMap`; the tooltip of a cell names its chunks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumSize(160, 80)
        self.setAccessibleName("map of stored chunks")
        self._map: ChunkMap | None = None
        self._image: QImage | None = None

    def show_map(self, chunk_map: ChunkMap | None) -> None:
        """Show a map."""
        self._map = chunk_map
        self._image = None if chunk_map is None else _image(chunk_map)
        self.update()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self.show_map(self._map)

    def cell_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Row and column of the cell at a point of the widget."""
        room = self._room()
        if self._map is None or not room.contains(x, y):
            return None
        rows, columns = self._map.cells.shape
        row, column = (y - room.top()) * rows // room.height(), (x - room.left()) * columns // room.width()
        return min(row, rows - 1), min(column, columns - 1)

    def text_at(self, x: int, y: int) -> str:
        """The text of the cell at a point of the widget."""
        place = self.cell_at(x, y)
        if place is None or self._map is None:
            return ""
        name, stored = self._map.cells.describe(*place), int(self._map.counts[place])
        if not name:
            return ""
        if name.startswith("chunk "):
            return f"{name}: {'stored' if stored else 'not stored'}"
        return f"{name}: {stored:,} of {int(self._map.cells.capacity()[place]):,} stored"

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.text_at(event.pos().x(), event.pos().y()), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        if self._image is None or self._map is None or 0 in self._map.cells.shape:
            return  # an array without elements has no chunks
        painter, room = QPainter(self), self._room()
        painter.drawImage(room, self._image)
        rows, columns = self._map.cells.shape
        if room.width() // columns < _GAP_FROM or room.height() // rows < _GAP_FROM:
            return
        painter.setPen(QColor(current_colours().surface))
        for row in range(rows + 1):
            y = room.top() + row * room.height() // rows
            painter.drawLine(room.left(), y, room.right(), y)
        for column in range(columns + 1):
            x = room.left() + column * room.width() // columns
            painter.drawLine(x, room.top(), x, room.bottom())

    def _room(self) -> QRect:
        """The rectangle of the cells at the top left, with whole pixels per cell if there is space."""
        if self._map is None or 0 in self._map.cells.shape:
            return QRect()
        rows, columns = self._map.cells.shape
        side = min(self.width() / columns, self.height() / rows, _LARGEST)
        side = int(side) if side >= 1 else side
        return QRect(0, 0, max(1, round(columns * side)), max(1, round(rows * side)))


def _image(chunk_map: ChunkMap) -> QImage:
    colours, fractions = current_colours(), chunk_map.fractions()
    pair = (QColor(colours.border), QColor(colours.accent))
    ends = np.array([(colour.red(), colour.green(), colour.blue()) for colour in pair], np.float64)
    known = np.isfinite(fractions)
    share = np.where(known, fractions, 0)[..., None]
    # A cell with few stored chunks must not look like an empty one.
    share = np.where(share > 0, 0.25 + 0.75 * share, 0)
    pixels = np.zeros((*fractions.shape, 4), np.uint8)
    pixels[..., :3] = np.rint(ends[0] + (ends[1] - ends[0]) * share)
    pixels[..., 3] = np.where(known, 255, 0)
    height, width = fractions.shape
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888)
    return image.copy()  # copies the pixels
