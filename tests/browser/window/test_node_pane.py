"""The tabs of a node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.window.examples import example


def test_the_chosen_tab_stays_selected(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.node_pane.tabs.tabBarClicked.emit(2)
    window.node_pane.show_tab("Metadata")
    window.open_text("fake.zarr#/group/inner")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "inner")
    assert window.node_pane.current_tab() == "Metadata"


def test_a_pane_that_fails_shows_a_sentence(open_window: OpenWindow, qtbot: QtBot) -> None:
    root = example()
    root.find("/group/inner").codecs = 5
    window = open_window(root, "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.node_pane.tabs.tabBarClicked.emit(2)
    window.open_text("fake.zarr#/group/inner")
    qtbot.waitUntil(lambda: window.node_pane.sentence.isVisible())
    assert window.node_pane.sentence.text == "'int' object is not iterable."
    root.find("/group/inner").codecs = ()
    window.node_pane.sentence.button.click()
    assert window.node_pane.pane("Metadata").isVisible()


@pytest.mark.parametrize("values", [np.float32(7), np.zeros((0, 3)), np.zeros((2, 2), "S3"), np.zeros(0)])
def test_a_node_without_a_picture_settles_too(values: Any, open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"array": FakeArray(values)}))
    with qtbot.waitSignal(window.settled):
        window.open_text("fake.zarr#/array")
