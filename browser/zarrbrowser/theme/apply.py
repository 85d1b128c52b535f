"""Apply an appearance to the application, at start and when the user changes it."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from zarrbrowser.theme.colours import DARK, LIGHT, Colours
from zarrbrowser.theme.fonts import scaled, text_points
from zarrbrowser.theme.palette import palette
from zarrbrowser.theme.stylesheet import LINE, stylesheet

_PROPERTY = "zarrscope_colours"


class Appearance(Enum):
    """Which colours to use."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def apply_theme(application: QApplication, appearance: Appearance) -> Colours:
    """Apply a theme to the whole application; returns its colours."""
    colours = _colours_for(application, appearance)
    if application.property(_PROPERTY) != colours.name:
        application.setProperty(_PROPERTY, colours.name)
        application.setStyle("Fusion")
        application.setPalette(palette(colours))
        for window in application.topLevelWidgets():
            if window.styleSheet():
                dress(window)
    return colours


def dress(window: QWidget) -> None:
    """Let a top-level window and all that is in it have the application's stylesheet, also when the theme changes.

    The sheet is not the application's, because Qt would style each widget again whenever what it is in gets a parent: building
    a window took twice as long.
    """
    window.setStyleSheet(stylesheet(current_colours(), text_points(), scaled(LINE)))


def current_colours() -> Colours:
    """The colours of the application's theme."""
    application = QApplication.instance()
    name = application.property(_PROPERTY) if application else None
    return DARK if name == DARK.name else LIGHT


def _colours_for(application: QApplication, appearance: Appearance) -> Colours:
    if appearance is Appearance.SYSTEM:
        dark = application.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return DARK if dark else LIGHT
    return DARK if appearance is Appearance.DARK else LIGHT
