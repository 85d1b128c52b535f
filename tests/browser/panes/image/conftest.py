"""Tests of pictures use one window, one after another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeGroup
from tests.browser.kept_window import KeptWindow
from zarrbrowser.window.main_window import MainWindow

_kept: list[KeptWindow] = []


@pytest.fixture(scope="package", autouse=True)
def _window_closed_afterwards() -> Iterator[None]:
    yield
    while _kept:
        _kept.pop().close()


@pytest.fixture
def open_window(application: QApplication, qtbot: QtBot, open_new_window: OpenWindow) -> Iterator[OpenWindow]:
    """Shows a hierarchy: the first one of a test in a window that has shown others, see `KeptWindow`."""
    used: list[KeptWindow] = []

    def open_it(root: FakeGroup, path: str = "/") -> MainWindow:
        if used:
            return open_new_window(root, path)
        used.append(_kept.pop() if _kept else KeptWindow(qtbot))
        return used[0].open(root, path, qtbot)

    yield open_it
    for one in used:
        if one.is_as_new(qtbot):
            _kept.append(one)
        else:
            one.close()
            application.processEvents()
