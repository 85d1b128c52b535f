"""Several planes side by side."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.pictures import VOLUME, pane_of, picture, show


def test_orthogonal_planes_go_through_one_point(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    pane.body.controls.layouts["orthogonal"].click()
    qtbot.waitUntil(lambda: all(view.is_complete for view in pane.body.grid.views))
    side, below = pane.body.grid.others
    assert np.array_equal(side.mosaics[0].values, VOLUME[:, :, 20].T)
    assert np.array_equal(below.mosaics[0].values, VOLUME[:, 15, :])
    main = pane.view.frame
    pane.canvas.picked.emit((7.2, 30.9))
    qtbot.waitUntil(lambda: all(view.is_complete for view in pane.body.grid.views))
    assert np.array_equal(side.mosaics[0].values, VOLUME[:, :, 31].T)
    assert np.array_equal(below.mosaics[0].values, VOLUME[:, 7, :])
    assert pane.view.frame is main  # it shows the same plane
    below.canvas.picked.emit((2.0, 5.0))
    qtbot.waitUntil(lambda: all(view.is_complete for view in pane.body.grid.views))
    assert np.array_equal(picture(pane), VOLUME[2])
    assert np.array_equal(side.mosaics[0].values, VOLUME[:, :, 5].T)
    assert pane.body.sliders.spins[0].value() == 2
    assert [line.value() for line in pane.canvas.cross] == [7, 5]
    with qtbot.waitSignal(pane.pointed) as heard:
        below.canvas.pointed.emit((1.0, 0.0))
    assert heard.args[0].startswith("z = 1, x = 0:")
    pane.body.controls.layouts["single"].click()
    assert pane.body.grid.others == []
    assert not pane.canvas.cross[0].isVisible()


def test_a_pinned_plane_is_shown_beside_others(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.body.controls.layouts["pair"].click()
    (pinned,) = pane.body.grid.others
    qtbot.waitUntil(lambda: pinned.is_complete)
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.spins[0].setValue(1)
    assert np.array_equal(picture(pane), VOLUME[1])
    assert np.array_equal(pinned.mosaics[0].values, VOLUME[4])
    assert pinned.picture_style() == pane.view.picture_style()  # colours mean the same
    pane.canvas.show_range((5, 12), (5, 20))
    qtbot.waitUntil(  # one may be a pixel wider than the other
        lambda: np.allclose(pinned.canvas.view.viewRange(), pane.canvas.view.viewRange(), atol=0.5)
    )


def test_orthogonal_planes_need_three_axes(open_window: OpenWindow, qtbot: QtBot) -> None:
    root = FakeGroup({"volume": FakeArray(VOLUME), "plane": FakeArray(VOLUME[0])})
    window = open_window(root, "/volume")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.body.controls.layouts["orthogonal"].click()
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/plane")
    assert pane.body.grid.others == []
    assert pane.body.controls.layouts["single"].isChecked()
    assert not pane.body.controls.layouts["orthogonal"].isEnabled()


def test_a_pinned_plane_stays_when_other_nodes_are_chosen(open_window: OpenWindow, qtbot: QtBot) -> None:
    rows = np.arange(30.0)[:, None] * np.ones(40)
    root = FakeGroup(
        {
            "volume": FakeArray(VOLUME, ("z", "y", "x")),
            "rows": FakeArray(rows),
            "small": FakeArray(np.arange(6.0).reshape(2, 3)),
        }
    )
    window = open_window(root, "/volume")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.body.controls.layouts["pair"].click()
    (pinned,) = pane.body.grid.others
    qtbot.waitUntil(lambda: pinned.is_complete)
    assert not pinned.canvas.plot.titleLabel.isVisible()
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/rows")
    assert np.array_equal(picture(pane), rows)
    assert np.array_equal(pinned.mosaics[0].values, VOLUME[4])
    assert pinned.canvas.plot.titleLabel.text == "/volume, z = 4"
    assert pinned.picture_style().levels == pytest.approx(np.percentile(VOLUME[4], [1, 99]), rel=1e-5)
    pane.canvas.show_range((5, 12), (5, 20))  # planes of one shape move together
    qtbot.waitUntil(
        lambda: np.allclose(pinned.canvas.view.viewRange(), pane.canvas.view.viewRange(), atol=0.5)
    )
    with qtbot.waitSignal(pane.pointed) as heard:
        pinned.canvas.pointed.emit((7.0, 9.0))
    assert heard.args[0] == "y = 7, x = 9:  " + str(VOLUME[4, 7, 9]) + " mm"
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/small")
    assert pinned.canvas.is_fitted
    assert np.array_equal(pinned.mosaics[0].values, VOLUME[4])
    pane.body.controls.layouts["single"].click()
    pane.body.controls.layouts["pair"].click()
    (pinned,) = pane.body.grid.others
    qtbot.waitUntil(lambda: pinned.is_complete)
    assert np.array_equal(pinned.mosaics[0].values, picture(pane))
