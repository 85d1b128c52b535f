"""A menu of colour maps, each with a preview."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QImage, QPixmap
from PySide6.QtWidgets import QComboBox, QWidget

from zarrbrowser.session.colour_maps import COLOUR_MAPS, lookup_table

PREVIEW = QSize(56, 12)


class ColourMapBox(QComboBox):
    """The curated colour maps; ``currentData()`` is the catalogue name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setIconSize(PREVIEW)
        self.setAccessibleName("colour map")
        self.setToolTip("Colour map")
        self.setMaxVisibleItems(len(COLOUR_MAPS))
        for name, title in COLOUR_MAPS.items():
            self.addItem(preview(name), title, name)

    def choose(self, name: str) -> None:
        """Show ``name`` as the current one."""
        self.setCurrentIndex(max(0, self.findData(name)))


def preview(name: str) -> QIcon:
    """A strip of a colour map, from its lowest colour to its highest."""
    strip = np.ascontiguousarray(np.repeat(lookup_table(name)[None, :, :], PREVIEW.height() * 2, axis=0))
    height, width, _ = strip.shape
    image = QImage(strip.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    return QIcon(QPixmap.fromImage(image).scaled(PREVIEW * 2))
