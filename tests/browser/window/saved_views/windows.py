"""Windows that save their settings, on a real hierarchy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import zarrcore as zc
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow

VALUES = (np.arange(9 * 40 * 60).reshape(9, 40, 60) % 251).astype(np.uint8)


class Windows:
    """Opens windows one after the other, or beside each other; all of them are closed at the end."""

    def __init__(self, qtbot: QtBot, source: Path) -> None:
        self.qtbot, self.source = qtbot, source
        self._made: list[MainWindow] = []

    def open(self, *, fresh: bool = False) -> MainWindow:
        """A window without a source."""
        window = MainWindow(Settings(fresh=fresh))
        self.qtbot.addWidget(window)
        window.resize(1280, 800)
        window.show()
        self._made.append(window)
        return window

    def show(self, window: MainWindow, path: str = "/volume") -> ImagePane:
        """Show an image, completely."""
        window.open_text(f"{self.source}#{path}")
        return self.image(window, path)

    def image(self, window: MainWindow, path: str = "/volume") -> ImagePane:
        """The pane of an image, once it is complete."""
        self.qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == path)
        self.qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
        pane = window.node_pane.pane("Image")
        assert isinstance(pane, ImagePane)
        self.qtbot.waitUntil(lambda: pane.displayed() is not None and pane.view.is_complete)
        self.settle(window)
        return pane

    def is_at(self, window: MainWindow, path: str) -> bool:
        """Whether a node is the current one."""
        return window.session.node is not None and window.session.node.path == path

    def settle(self, window: MainWindow) -> None:
        """Wait until nothing is being done."""
        self.qtbot.waitUntil(lambda: not window.workers.active)

    def close(self) -> None:
        """Close all windows."""
        for window in self._made:
            window.close()
            assert window.workers.shut_down(30), "a thread is still working"


@pytest.fixture
def windows(own_settings: Path, application: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Windows]:
    source = tmp_path / "a b.zarr"
    hierarchy = zc.create(source)
    for name in ("volume", "other"):
        array = hierarchy.create_array(
            name,
            shape=VALUES.shape,
            dtype="uint8",
            chunks=(1, 40, 60),
            dimension_names=("z", "y", "x"),
        )
        array[...] = VALUES
    made = Windows(qtbot, source)
    yield made
    made.close()
