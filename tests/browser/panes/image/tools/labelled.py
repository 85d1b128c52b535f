"""An image with labels, shown in a window."""

from __future__ import annotations

from typing import Any

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
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
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.body.controls.labels.isEnabled())
    return pane


def choose(pane: ImagePane, text: str) -> None:
    pane.body.tools.labels.menu.aboutToShow.emit()
    next(action for action in pane.body.tools.labels.menu.actions() if action.text() == text).trigger()


def seen(overlay: LabelOverlay) -> Any:
    """The drawn labels, or None while some are still loading."""
    mosaic = overlay.mosaic
    return None if mosaic is None or mosaic.is_there is not None else mosaic.values
