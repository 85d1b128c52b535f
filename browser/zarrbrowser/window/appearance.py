"""The light or dark appearance of the window: the user's choice, or that of the system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtWidgets import QApplication, QWidget

from zarrbrowser.settings import Settings
from zarrbrowser.theme import Appearance, apply_theme
from zarrbrowser.widgets.buttons import recolour


class Coloured(Protocol):
    """A part of the window that paints in colours of the theme."""

    def update_colours(self) -> None: ...


class WindowAppearance:
    """Applies an appearance to a window and to those of its parts that paint in colours of the theme."""

    def __init__(self, window: QWidget, settings: Settings, parts: Sequence[Coloured]) -> None:
        self._window, self._settings, self._parts = window, settings, parts

    def choose(self, appearance: Appearance) -> None:
        """Change the appearance, now and for later runs."""
        self._settings.keep("appearance", appearance.value)
        self._apply(appearance)

    def follow_system(self) -> None:
        """Apply the system's new appearance, unless the user chose one."""
        if self._settings.appearance() is Appearance.SYSTEM:
            self._apply(Appearance.SYSTEM)

    def _apply(self, appearance: Appearance) -> None:
        application = QApplication.instance()
        if isinstance(application, QApplication):
            apply_theme(application, appearance)
        recolour(self._window)
        for part in self._parts:
            part.update_colours()
