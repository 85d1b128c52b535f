"""The status bar: messages, progress, and requests so far."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow


def test_the_status_bar_counts_requests(application: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    import zarrcore as zc

    array = zc.create(tmp_path / "a.zarr").create_array(
        "x", shape=(8, 8), data_type="uint8", chunk_shape=(4, 4)
    )
    array[...] = 1
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    window.open_text(f"{tmp_path}/a.zarr#/x")
    qtbot.waitUntil(lambda: "request" in window.status.fetched.text(), timeout=20_000)
    qtbot.waitUntil(lambda: not window.workers.active, timeout=20_000)
    requests, nbytes = window.session.sources[0].traffic()
    assert requests >= 5
    assert nbytes > 0
    window.close()
    assert window.workers.shut_down(5)
