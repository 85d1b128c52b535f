"""Sizes that follow the size of text that the user has chosen for all programs."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo
from PySide6.QtWidgets import QApplication

USUAL_POINTS = 9.0
_USUAL_PIXELS = 12


def text_points() -> float:
    """The size of text in points."""
    return QFontInfo(QApplication.font()).pointSizeF()


def scaled(pixels: int) -> int:
    """A length that was chosen for text of the usual size, longer if text is larger."""
    return round(pixels * max(1.0, QFontInfo(QApplication.font()).pixelSize() / _USUAL_PIXELS))


def fixed_font() -> QFont:
    """The font of code and numbers, as large as other text."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(text_points())
    return font
