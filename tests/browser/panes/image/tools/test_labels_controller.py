"""Labels over a picture: offered if there are some, drawn at their place, shown under the pointer."""

from __future__ import annotations

from typing import Any

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky
from tests.browser.panes.image.pictures import pane_of
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.image.tools.label_overlay import LabelOverlay

CELLS = np.zeros((3, 40, 60), np.uint32)
CELLS[0, 10:25, 30:50], CELLS[1, 25:35, 5:15], CELLS[2, 0:4, 0:4] = 17, 4, 9


def scan(labels: FakeArray) -> FakeGroup:
    def levels(names: str) -> dict[str, Any]:
        return {"multiscales": [{"axes": list(names), "datasets": [{"path": "0"}]}]}

    cells = FakeGroup({"0": labels}, {**levels("zyx"), "image-label": {}})
    listed = FakeGroup({"cells": cells}, {"labels": ["cells"]})
    data = FakeArray(np.random.default_rng(1).random((2, 3, 40, 60)), chunks=(1, 1, 20, 20))
    return FakeGroup({"0": data, "labels": listed}, levels("czyx"))


def show(open_window: OpenWindow, qtbot: QtBot, labels: FakeArray) -> ImagePane:
    pane = pane_of(
        open_window(FakeGroup({"scan": scan(labels), "plane": FakeArray(CELLS[0])}), "/scan"), qtbot
    )
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.controls.labels.isVisible(), timeout=5000)
    return pane


def choose(pane: ImagePane, text: str) -> None:
    pane.tools.labels.menu.aboutToShow.emit()
    next(action for action in pane.tools.labels.menu.actions() if action.text() == text).trigger()


def seen(overlay: LabelOverlay) -> Any:
    """The drawn labels, or None while some are still loading."""
    mosaic = overlay.mosaic
    return None if mosaic is None or mosaic.is_there is not None else mosaic.values


def test_labels_are_drawn_over_the_picture_and_follow_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, FakeArray(CELLS, chunks=(1, 20, 20)))
    overlay = pane.view.overlay
    assert overlay.mosaic is None
    choose(pane, "cells")
    qtbot.waitUntil(lambda: np.array_equal(seen(overlay), CELLS[1]))
    rect = overlay.picture.mapRectToView(overlay.picture.boundingRect())
    assert (rect.left(), rect.top(), rect.right(), rect.bottom()) == (-0.5, -0.5, 59.5, 39.5)
    assert (overlay.picture.image[..., 3] > 0).tolist() == (CELLS[1] > 0).tolist()
    assert overlay.picture.opacity() == 0.5
    choose(pane, "Opacity 75%")
    assert overlay.picture.opacity() == 0.75
    pane.sliders.spins[1].setValue(0)
    qtbot.waitUntil(lambda: pane.view.is_complete and np.array_equal(seen(overlay), CELLS[0]))
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((12.2, 40.0))
    assert heard.args[0].endswith(",  cells 17")
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((2.0, 2.0))
    assert "cells" not in heard.args[0]
    pane.controls.axes.swap.click()
    qtbot.waitUntil(lambda: np.array_equal(seen(overlay), CELLS[0].T))
    pane.controls.layouts["orthogonal"].click()
    side = pane.grid.others[0].overlay
    qtbot.waitUntil(lambda: seen(side) is not None and seen(side).max() > 0)
    choose(pane, "No labels")
    assert overlay.mosaic is None
    assert side.mosaic is None


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
