"""The start page of an empty window."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QApplication,
)
from pytestqt.qtbot import QtBot

from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow


def test_an_empty_window_shows_the_start_page(application: QApplication, qtbot: QtBot) -> None:
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    assert window.empty.isVisible()
    assert window.empty.open_button.isVisible()
    assert "URL" in window.top_bar.address.placeholderText()
