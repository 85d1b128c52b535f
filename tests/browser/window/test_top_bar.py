"""The address bar and its buttons."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow


def test_a_path_is_completed_while_it_is_typed(
    application: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "scan_1.zarr").mkdir()
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    QTest.keyClicks(window.top_bar.address, f"{tmp_path}/sca")
    completer = window.top_bar.address.completer()
    qtbot.waitUntil(lambda: completer.completionCount() == 1)
    assert completer.currentCompletion() == f"{tmp_path}/scan_1.zarr"
    completer.popup().hide()
    window.close()
    assert window.workers.shut_down(5)
