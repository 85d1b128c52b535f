"""Helpers for a picture in a window: show it, and get the part on the screen."""

from __future__ import annotations

from typing import Any

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.window.main_window import MainWindow

VOLUME = np.random.default_rng(3).normal(size=(8, 30, 40)).astype(np.float32)


def pane_of(window: MainWindow, qtbot: QtBot) -> ImagePane:
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    return pane


def picture(pane: ImagePane) -> Any:
    """The elements on the screen."""
    assert pane.view.is_complete
    return pane.view.mosaics[0].values


def drawn(pane: ImagePane) -> Any:
    """The colours on the screen."""
    assert pane.canvas.image.image.dtype == np.uint8
    return pane.canvas.image.image


def show(
    open_window: OpenWindow, qtbot: QtBot, values: Any, names: Any = None
) -> tuple[ImagePane, FakeArray]:
    array = FakeArray(values, names)
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    return pane, array


def show_next(window: MainWindow, qtbot: QtBot, path: str, array: FakeArray) -> None:
    """Go to another picture in the same window; *array* is what it reads."""
    pane, read = pane_of(window, qtbot), len(array.selections)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    window.navigator.go_within(path)
    qtbot.waitUntil(lambda: len(array.selections) > read and pane.view.is_complete)


def pyramid(side: int = 2048, levels: int = 4) -> tuple[FakeGroup, list[FakeArray]]:
    finest = np.add.outer(np.arange(side), np.arange(side)).astype(np.float32)
    arrays = [FakeArray(finest[:: 1 << n, :: 1 << n], ("y", "x"), chunks=(256, 256)) for n in range(levels)]
    datasets = [{"path": str(number)} for number in range(levels)]
    children = {str(number): array for number, array in enumerate(arrays)}
    return FakeGroup(children, {"multiscales": [{"axes": ["y", "x"], "datasets": datasets}]}), arrays
