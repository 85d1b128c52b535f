"""A colour map as an icon."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QImage, QPixmap

from zarrbrowser.image.colours.colour_maps import lookup_table

PREVIEW = QSize(56, 12)


def preview(name: str) -> QIcon:
    """A strip of a colour map, from its lowest colour to its highest."""
    strip = np.ascontiguousarray(np.repeat(lookup_table(name)[None, :, :], PREVIEW.height() * 2, axis=0))
    height, width, _ = strip.shape
    image = QImage(strip.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    return QIcon(QPixmap.fromImage(image).scaled(PREVIEW * 2))
