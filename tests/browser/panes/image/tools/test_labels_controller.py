"""Labels of an image: offered if there are some, kept with the image, reported if they cannot be read."""

from __future__ import annotations

from typing import Any

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, Flaky
from tests.browser.panes.image.tools.labelled import CELLS, choose, seen, show


def test_labels_are_restored_with_the_image(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, FakeArray(CELLS))
    choose(pane, "cells")
    qtbot.waitUntil(lambda: seen(pane.view.overlay) is not None)
    window: Any = pane.window()
    window.open_text("fake.zarr#/plane")
    qtbot.waitUntil(lambda: pane.view.is_complete and window.session.node.path == "/plane")
    assert pane.view.overlay.mosaic is None
    assert not pane.controls.labels.isVisible()
    window.navigator.back()
    qtbot.waitUntil(lambda: np.array_equal(seen(pane.view.overlay), CELLS[1]))


def test_unreadable_labels_are_reported(open_window: OpenWindow, qtbot: QtBot) -> None:
    labels = FakeArray(CELLS)
    labels.before_read = Flaky()
    pane = show(open_window, qtbot, labels)
    with qtbot.waitSignal(pane.reported, check_params_cb=lambda text: "does not answer" in text):
        choose(pane, "cells")
    assert pane.stack.shows_data
    assert not pane.stack.notice.isVisible()
