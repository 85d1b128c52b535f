"""Leading to a node that the tree does not show yet."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeGroup, Gate
from tests.browser.window.examples import example


def test_a_path_is_shown_without_expanding_by_hand(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/group/inner")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "inner")
    assert window.tree.currentIndex().parent().data() == "group"
    window.open_text("fake.zarr#/nowhere")
    qtbot.waitUntil(lambda: "no node /nowhere" in window.view.sentence.text.lower())
    assert window.windowTitle() == "zarrscope"
    assert window.exports.data.show_dialog() is None  # of the node that was shown before
    root = window.session.sources[0].hierarchy.node("/")
    root.add("nowhere", FakeGroup())
    window.view.sentence.button.click()
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "nowhere")
    assert window.node_pane.isVisible()


def test_a_late_lookup_keeps_the_chosen_row(open_window: OpenWindow, qtbot: QtBot) -> None:
    window, gate = open_window(example(), "/image"), Gate()
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "image")
    hierarchy = window.session.sources[0].hierarchy
    find = hierarchy.node

    def late(path: str) -> Any:
        gate.wait()
        return find(path)

    hierarchy.node = late
    window.open_text("fake.zarr#/group/inner")
    assert gate.waiting.acquire(timeout=30)
    window.tree.setCurrentIndex(window.model.index(0, 0))
    gate.open()
    qtbot.waitUntil(lambda: not window.workers.active)
    assert window.workers.shut_down(30)
    application = QApplication.instance()
    assert application is not None
    application.processEvents()
    assert window.tree.currentIndex().data() == "fake.zarr"
