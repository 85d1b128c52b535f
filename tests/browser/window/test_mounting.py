"""Mounting from the window: a real mount with the array's files, unmounted when the window closes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from tests.browser.conftest import NUMBERS
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow

needs_fuse = pytest.mark.skipif(
    not os.access("/dev/fuse", os.R_OK | os.W_OK), reason="this user cannot open /dev/fuse"
)


@needs_fuse
def test_a_source_is_mounted_opened_and_unmounted_on_quit(
    application: QApplication, qtbot: QtBot, mountable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_url(url: QUrl) -> bool:
        opened.append(QUrl(url).toLocalFile())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    window.open_text(f"{mountable}#/x")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/x")
    window.exports.mounter.mount_and_open()
    qtbot.waitUntil(lambda: bool(opened))
    assert np.array_equal(np.load(f"{opened[0]}/arrays/x/data.npy"), NUMBERS)
    copying = window.node_pane.header.copy_button.menu()
    copying.aboutToShow.emit()
    next(action for action in copying.actions() if action.text() == "Path in the mount").trigger()
    assert np.array_equal(np.load(QGuiApplication.clipboard().text()), NUMBERS)
    menu = QMenu()
    window.exports.mounter.fill_menu(menu)
    states = {action.text(): action.isEnabled() for action in menu.actions() if action.text()}
    assert states == {"Open mounted folder": True, "Unmount": True, "Unmount on quit": True}
    window.exports.mounter.unmount()
    qtbot.waitUntil(lambda: "is unmounted" in window.view.status.message.text)
    assert not os.path.exists(opened[0])
    window.exports.mounter.mount_and_open()
    qtbot.waitUntil(lambda: len(opened) == 2)
    window.close()
    assert not os.path.exists(opened[1])
    assert window.workers.shut_down(30)


@needs_fuse
@pytest.mark.parametrize("how", ["closed", "cancelled"])
def test_a_mount_in_progress_is_unmounted_too(
    how: str,
    application: QApplication,
    qtbot: QtBot,
    mountable: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: True)
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.open_text(str(mountable))
    qtbot.waitUntil(lambda: window.session.source is not None)
    for _ in range(2):  # a second request gets the same mount
        window.exports.mounter.mount_and_open()
    folders = tmp_path / "zarrscope" / "mounts"
    qtbot.waitUntil(lambda: folders.exists() and any(folders.iterdir()))
    assert [folder.name for folder in folders.iterdir()] == ["a b.zarr"]
    if how == "cancelled":
        window.workers.stop()
        qtbot.waitUntil(lambda: window.view.status.message.text == "This was cancelled.")
        qtbot.waitUntil(lambda: not any(folders.iterdir()))
    window.close()
    assert list(folders.iterdir()) == []
    assert window.workers.shut_down(30)
