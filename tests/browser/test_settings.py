"""Saved settings."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import (
    QApplication,
)
from pytestqt.qtbot import QtBot

from zarrbrowser.settings import Settings
from zarrbrowser.theme import Appearance


def test_settings_are_saved_but_not_when_fresh(
    application: QApplication, qtbot: QtBot, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PySide6.QtCore import QSettings

    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(tmp_path))
    first = Settings()
    first.keep("recent", ["one"])
    first.keep("appearance", "dark")
    first.flush()
    again = Settings()
    assert again.texts("recent") == ["one"]
    assert again.appearance() is Appearance.DARK
    assert Settings(fresh=True).texts("recent") == []
