"""Settings saved between runs: geometry, appearance, colour map, recent and open sources. ``--fresh`` saves nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings, QStandardPaths

from zarrbrowser.theme import Appearance


class Settings:
    """Typed access to QSettings; with ``fresh`` all settings are defaults, and nothing is saved."""

    def __init__(self, *, fresh: bool = False) -> None:
        self._stored = None if fresh else QSettings("zarrscope", "zarrbrowser")

    @property
    def folder(self) -> Path | None:
        """The folder of the settings file; None with ``fresh``."""
        return None if self._stored is None else Path(self._stored.fileName()).parent

    @property
    def cache_folder(self) -> Path | None:
        """The folder for what may be lost; None with ``fresh``."""
        place = QStandardPaths.StandardLocation.GenericCacheLocation
        found = QStandardPaths.writableLocation(place) if self._stored is not None else ""
        return Path(found) / "zarrscope" if found else None

    def text(self, name: str, default: str) -> str:
        """A text."""
        value = self._stored.value(name) if self._stored else None
        return value if isinstance(value, str) else default

    def texts(self, name: str) -> list[str]:
        """A list of texts; QSettings reads a list of one text as a plain text."""
        value = self._stored.value(name) if self._stored else None
        if isinstance(value, str):
            return [value]
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def document(self, name: str) -> dict[str, Any]:
        """A JSON object; empty if the saved text is not one."""
        try:
            found = json.loads(self.text(name, "{}"))
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def data(self, name: str) -> QByteArray:
        """A widget's saved state; empty at first."""
        value = self._stored.value(name) if self._stored else None
        return value if isinstance(value, QByteArray) else QByteArray()

    def appearance(self) -> Appearance:
        """The saved appearance."""
        name = self.text("appearance", Appearance.SYSTEM.value)
        return next((one for one in Appearance if one.value == name), Appearance.SYSTEM)

    def keep(self, name: str, value: str | list[str] | QByteArray) -> None:
        """Save a value."""
        if self._stored is not None:
            self._stored.setValue(name, value)

    def flush(self) -> None:
        """Write to the file now: the process may end abruptly when a store hangs."""
        if self._stored is not None:
            self._stored.sync()
