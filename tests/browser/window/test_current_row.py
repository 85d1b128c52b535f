"""What the window shows of the current row of the tree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import (
    QApplication,
)
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeHierarchy, Flaky
from tests.browser.window.examples import example
from tests.core.conventions.nexus.files import opened as nexus_file
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.problem_pane import ProblemPane
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow
from zarrcore.errors import HierarchyNotFoundError, StoreNotFoundError


def test_a_broken_node_says_why_and_shows_its_document(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/bad")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Problem")
    pane = window.node_pane.pane("Problem")
    assert isinstance(pane, ProblemPane)
    assert pane.sentence.text() == "Expected a list."
    qtbot.waitUntil(lambda: '"data_type": "float99"' in pane.document.text)
    root = window.session.sources[0].hierarchy.node("/")
    root.add("bad", FakeArray(np.zeros((3, 4))))
    pane.retry_button.click()
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    assert window.tree.currentIndex().siblingAtColumn(1).data() == "3 × 4"


@pytest.mark.parametrize(
    "error",
    [
        StoreNotFoundError("there is no directory /nowhere"),
        HierarchyNotFoundError("/data", ("zarr.json", ".zgroup")),
        PermissionError(13, "Permission denied"),
        RuntimeError(),
    ],
)
def test_a_source_that_cannot_be_opened_shows_a_sentence(
    error: Exception, application: QApplication, qtbot: QtBot
) -> None:
    problem: list[Exception] = [error]

    def opener(request: SourceRequest) -> Source:
        if problem:
            raise problem[0]
        return Source(request, FakeHierarchy(example()), example())

    window = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(window)
    window.show()
    window.open_text("/nowhere")
    qtbot.waitUntil(lambda: window.view.sentence.button.isVisible())
    assert window.view.sentence.text.endswith(".")
    problem.clear()
    window.view.sentence.button.click()
    qtbot.waitUntil(lambda: bool(window.session.sources))
    qtbot.waitUntil(lambda: window.node_pane.isVisible())


def test_the_status_line_forgets_what_is_no_longer_shown(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.view.status.message.text.startswith("/image"))
    read = window.view.status.message.text
    window.view.status.show_value("y = 1")
    window.node_pane.show_tab("Metadata")
    assert (window.view.status.message.text, window.view.status.value.text) == ("", "")
    window.node_pane.show_tab("Image")
    qtbot.waitUntil(lambda: window.view.status.message.text == read)
    window.view.status.fetched.setText("3 requests")
    qtbot.waitUntil(lambda: not window.workers.active)
    window.tree.choose(window.model.index(0, 0))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Overview")
    assert (window.view.status.message.text, window.view.status.fetched.text()) == ("", "")


def test_an_error_disappears_when_the_source_is_opened_again(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example())
    window.open_text("fake.zarr#/nowhere")
    qtbot.waitUntil(window.view.sentence.isVisible)
    window.open_text("fake.zarr")
    qtbot.waitUntil(window.node_pane.isVisible)


def test_a_failed_listing_shows_a_sentence_when_chosen(open_window: OpenWindow, qtbot: QtBot) -> None:
    root, flaky = example(), Flaky()
    root.find("/group").before_listing = flaky
    window = open_window(root, "/group")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "group")
    window.tree.expand(window.tree.currentIndex())
    group = window.tree.currentIndex()
    qtbot.waitUntil(lambda: "does not answer" in str(window.model.index(0, 0, group).data()))
    assert window.tree.isFirstColumnSpanned(0, group)
    window.tree.setCurrentIndex(window.model.index(0, 0, group))
    assert window.view.sentence.isVisible()
    flaky.mended = True
    window.view.sentence.button.click()
    qtbot.waitUntil(lambda: window.model.index(0, 0, group).data() == "inner")
    qtbot.waitUntil(window.node_pane.isVisible)
    assert not window.tree.isFirstColumnSpanned(0, group)


def test_a_source_opens_at_the_data_that_its_root_names(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    attributes, units = {"signal": "counts", "axes": ["angle", "energy"]}, {"energy": {"units": "keV"}}
    arrays = {"counts": (3, 4), "angle": (3,), "energy": (5,)}
    nexus_file(tmp_path / "a.nxs", attributes, units, **arrays).close()
    window.open(SourceRequest(str(tmp_path / "a.nxs")))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    assert window.tree.currentIndex().data() == "counts"
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    axis = pane.view.canvas.plot.getAxis("bottom")
    qtbot.waitUntil(lambda: axis.labelText == "energy (keV)")
    assert pane.view.canvas.plot.getAxis("left").labelText == "angle"
