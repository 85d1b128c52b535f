"""The box of versions, where the source is a repository."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.core.stores.icechunk.repositories import write
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow


def test_the_box_opens_a_version(application: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    written = write(tmp_path / "repo")
    (tmp_path / "plain.zarr").mkdir()
    (tmp_path / "plain.zarr/zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.resize(1000, 600)
    window.show()
    box = window.view.top_bar.version_box
    assert not box.isVisible()
    window.open(SourceRequest(str(written.path)))
    qtbot.waitUntil(box.isVisible, timeout=20_000)
    assert box.currentText() == "all versions"
    labels = [box.itemText(row) for row in range(box.count())]
    assert labels[:4] == ["all versions", "branch main", "branch side", "tag v1"]
    assert labels[4].startswith(f"snapshot {written.second}  second")
    box.activated.emit(3)
    address = f"{written.path}|icechunk://tag.v1/"
    qtbot.waitUntil(
        lambda: window.view.top_bar.address.text() == address and box.currentText() == "tag v1",
        timeout=20_000,
    )
    window.grab().save(str(tmp_path / "window.png"))
    window.open(SourceRequest(str(tmp_path / "plain.zarr")))
    qtbot.waitUntil(lambda: not box.isVisible(), timeout=20_000)
    window.close()
    assert window.workers.shut_down(30)
