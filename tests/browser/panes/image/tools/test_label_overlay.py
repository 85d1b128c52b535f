"""Labels drawn over the picture."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray
from tests.browser.panes.image.tools.labelled import CELLS, choose, seen, show


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
    pane.body.sliders.spins[1].setValue(0)
    qtbot.waitUntil(lambda: pane.view.is_complete and np.array_equal(seen(overlay), CELLS[0]))
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((12.2, 40.0))
    assert heard.args[0].endswith(",  cells 17")
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((2.0, 2.0))
    assert "cells" not in heard.args[0]
    pane.body.controls.axes.swap.click()
    qtbot.waitUntil(lambda: np.array_equal(seen(overlay), CELLS[0].T))
    pane.body.controls.layouts["orthogonal"].click()
    side = pane.body.grid.others[0].overlay
    qtbot.waitUntil(lambda: seen(side) is not None and seen(side).max() > 0)
    choose(pane, "No labels")
    assert overlay.mosaic is None
    assert side.mosaic is None
