"""Searching in the window: results stream in and lead to their nodes; a source that hangs or fails does not block others."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeHierarchy, Flaky, Gate
from tests.browser.window.side.searching import example, paths
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow


def test_a_source_that_hangs_does_not_hide_results_of_others(application: QApplication, qtbot: QtBot) -> None:
    gate, roots = Gate(), {"one.zarr": example(), "two.zarr": example()}

    def opener(request: SourceRequest) -> Source:
        root = roots[request.address]
        return Source(request, FakeHierarchy(root), root)

    window = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(window)
    window.show()
    for address in roots:
        window.open_text(address)
    qtbot.waitUntil(lambda: len(window.session.sources) == 2 and not window.workers.active)
    roots["one.zarr"].find("/scan").before_listing = gate.wait
    window.view.side.box.setText("mask")
    qtbot.waitUntil(lambda: paths(window) == ["/scan/mask"])
    assert window.view.side.stop_button.isVisible()
    window.view.side.stop_button.click()
    assert "stopped" in window.view.side.line.text
    assert not [one for one in window.workers.active if one.label.startswith("Searching")]
    gate.open()
    window.view.side.again_button.click()
    qtbot.waitUntil(lambda: len(paths(window)) == 2)
    window.close()
    assert window.workers.shut_down(30)


def test_a_search_that_fails_says_why_and_can_be_repeated(open_window: OpenWindow, qtbot: QtBot) -> None:
    root, flaky = example(), Flaky()
    window = open_window(root)
    qtbot.waitUntil(lambda: not window.workers.active)
    root.before_listing = flaky
    window.view.side.box.setText("mask")
    qtbot.waitUntil(lambda: "does not answer" in window.view.side.line.text)
    flaky.mended = True
    window.view.side.again_button.click()
    qtbot.waitUntil(lambda: paths(window) == ["/scan/mask"])
    root.find("/scan").add("mask2", FakeArray(np.zeros(3)))
    window.sources.reload_current()
    qtbot.waitUntil(lambda: paths(window) == ["/scan/mask", "/scan/mask2"])
