"""Closing and reloading sources."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import (
    QApplication,
)
from pytestqt.qtbot import QtBot

import zarrcore as zc
from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeHierarchy
from tests.browser.window.examples import example
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.window.open_sources import OpenSources
from zarrcore.errors import StoreNotFoundError


def test_closing_a_source_forgets_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.sources.close_current()
    assert window.session.sources == []
    assert window.view.empty.isVisible()


def test_reload_shows_the_changed_source(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example())
    before = window.session.sources[0]
    window.sources.reload_current()
    qtbot.waitUntil(lambda: bool(window.session.sources) and window.session.sources[0] is not before)
    assert len(window.session.sources) == 1
    qtbot.waitUntil(lambda: window.model.rowCount(window.model.index(0, 0)) == 3)
    assert window.node_pane.isVisible()


@pytest.mark.parametrize("act", [OpenSources.reload_current, OpenSources.close_current])
def test_a_source_that_was_shown_before_is_freed(
    tmp_path: Path, application: QApplication, qtbot: QtBot, act: Callable[[OpenSources], None]
) -> None:
    zc.create(tmp_path).create_array("a", shape=(9, 9), chunks=(9, 9), dtype="uint8")[...] = 1
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    window.open(SourceRequest(str(tmp_path), "/a"))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    store = weakref.ref(window.session.sources[0].hierarchy.node("/").hierarchy.store)
    assert store() is not None
    act(window.sources)
    qtbot.waitUntil(lambda: store() is None)


def test_a_source_is_opened_once(application: QApplication, qtbot: QtBot) -> None:
    opened: list[str] = []
    problems = [StoreNotFoundError("there is no directory /data/a.zarr")]

    def opener(request: SourceRequest) -> Source:
        opened.append(request.address)
        if problems:
            raise problems.pop()
        root = example()
        return Source(request, FakeHierarchy(root), root)

    window = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(window)
    window.show()
    window.open_text("  ")
    assert window.model.rowCount() == 0
    window.open_text("/data/a.zarr")
    qtbot.waitUntil(lambda: window.view.sentence.button.isVisible())
    window.open_text("/data/b/../a.zarr/#/image")  # it failed: it is tried again, and shown
    window.open_text("/data/a.zarr#/group")  # is being opened
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "group")
    window.open_text("file:///data/a.zarr")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "fake.zarr")
    assert (len(opened), window.model.rowCount()) == (2, 1)
