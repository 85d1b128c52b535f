"""Statistics along an axis, chosen at its slider, in the real window."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.pictures import VOLUME, pane_of, picture, show
from zarrbrowser.image.calculations.reduction import Reduction, Statistic
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.state import PlaneLayout
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.image.tools import pointer_readout
from zarrbrowser.window.main_window import MainWindow


def choose(pane: ImagePane, axis: int, statistic: Statistic | None) -> None:
    """Choose an entry of the menu at a slider."""
    menu = pane.body.sliders.statistics[axis].menu()
    next(action for action in menu.actions() if action.data() is statistic).trigger()


def reduced(pane: ImagePane, qtbot: QtBot, axis: int, statistic: Statistic) -> Any:
    with qtbot.waitSignal(pane.plane_shown):
        choose(pane, axis, statistic)
    return picture(pane)


@pytest.mark.parametrize(
    ("statistic", "function", "text"),
    [
        (Statistic.MEAN, np.mean, "mean"),
        (Statistic.MAXIMUM, np.max, "max"),
        (Statistic.DEVIATION, np.std, "std"),
    ],
)
def test_the_picture_shows_the_statistic(
    statistic: Statistic, function: Any, text: str, open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane, _ = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    found = reduced(pane, qtbot, 0, statistic)
    assert np.allclose(found, function(VOLUME.astype(np.float64), axis=0))
    assert pane.body.sliders.totals[0].text == f"{statistic.value} of 8"
    assert pane.body.sliders.statistics[0].text() == f"{text} ▾"
    assert not pane.body.sliders.spins[0].isEnabled()
    assert not pane.body.sliders.plays[0].isEnabled()
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((3.0, 4.0))
    assert heard.args[0] == f"y = 3, x = 4:  {float(f'{found[3, 4]:.10g}')} mm"
    with qtbot.waitSignal(pane.plane_shown):
        choose(pane, 0, None)
    assert (picture(pane) == VOLUME[4]).all()
    assert pane.body.sliders.spins[0].isEnabled()


def test_fixed_bounds_do_not_apply_to_sums(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    pane.model.set(contrast=Contrast(ContrastMode.FIXED, 0.0, 0.5))
    reduced(pane, qtbot, 0, Statistic.SUM)
    assert pane.model.state is not None
    assert pane.model.state.settings.contrast == Contrast()


def test_an_axis_in_the_picture_is_not_reduced_any_more(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    reduced(pane, qtbot, 0, Statistic.MEAN)
    assert pane.model.state is not None
    pane.model.set(axes=pane.model.state.settings.axes.with_rows(0))
    assert pane.model.state.settings.reduction is None
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert (picture(pane) == VOLUME[:, 15, :]).all()


def test_other_planes_of_a_reduced_axis_show_elements(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    reduced(pane, qtbot, 0, Statistic.MEAN)
    pane.model.arrange(PlaneLayout.ORTHOGONAL)
    qtbot.waitUntil(lambda: all(view.is_complete for view in pane.body.grid.views))
    right, below = (view.mosaics[0].values for view in pane.body.grid.others)
    assert (right == VOLUME[:, :, 20].T).all()
    assert (below == VOLUME[:, 15, :]).all()


def test_blended_channels_are_reduced_one_by_one(open_window: OpenWindow, qtbot: QtBot) -> None:
    volume = np.random.default_rng(4).integers(0, 999, (2, 5, 20, 30)).astype(np.uint16)
    array = FakeArray(volume, ("c", "z", "y", "x"))
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.body.contrast.blend.setChecked(True)
    qtbot.waitUntil(lambda: pane.view.is_complete and len(pane.view.mosaics) == 2)
    assert list(pane.body.sliders.statistics) == [1]
    reduced(pane, qtbot, 1, Statistic.MAXIMUM)
    assert (pane.view.mosaics[0].values == volume[0].max(axis=0)).all()
    assert (pane.view.mosaics[1].values == volume[1].max(axis=0)).all()


def test_much_is_read_only_after_consent(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from zarrbrowser.image.tiles import frames

    monkeypatch.setattr(frames, "ASK_ABOVE_BYTES", 30_000)
    monkeypatch.setattr(pointer_readout, "ASK_ABOVE_BYTES", 30_000)
    array = FakeArray(VOLUME, ("z", "y", "x"), chunks=(1, 30, 40))
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    array.selections.clear()
    choose(pane, 0, Statistic.MEAN)
    qtbot.waitUntil(lambda: "8 chunks, 37.5 KiB" in pane.body.stack.notice.text)
    assert array.selections == []
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.stack.notice.button.click()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert np.allclose(picture(pane), VOLUME.mean(axis=0), atol=1e-6)


def test_reading_can_be_stopped(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, array = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    go_on = threading.Event()
    array.before_read = lambda _selection: go_on.wait(30)
    choose(pane, 0, Statistic.MEAN)
    qtbot.waitUntil(lambda: pane.view.loader.busy)
    window = pane.window()
    assert isinstance(window, MainWindow)
    window.workers.stop()
    go_on.set()
    qtbot.waitUntil(lambda: not pane.body.stack.shows_data)
    assert "cancelled" in pane.body.stack.sentence.text
    assert not pane.view.loader.busy
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.stack.sentence.button.click()
    assert np.allclose(picture(pane), VOLUME.mean(axis=0), atol=1e-6)


def test_the_choice_is_kept_and_bad_ones_are_ignored(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    reduced(pane, qtbot, 0, Statistic.SUM)
    document = pane.view_state()
    assert document["reduction"] == [0, "sum"]
    choose(pane, 0, None)
    pane.restore(document)
    assert pane.model.state is not None
    assert pane.model.state.settings.reduction == Reduction(0, Statistic.SUM)
    assert pane.body.sliders.statistics[0].text() == "sum ▾"
    for bad in ([0, "mode"], [7, "mean"], [-1, "mean"], ["z", "mean"], 5, [0]):
        pane.restore({**document, "reduction": bad})
        assert pane.model.state.settings.reduction == Reduction(0, Statistic.SUM)
    pane.restore({**document, "reduction": [1, "mean"]})
    assert pane.model.state.settings.reduction is None, "the axis is in the picture"


def test_the_exported_view_has_all_elements_along_the_axis(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    reduced(pane, qtbot, 0, Statistic.MEAN)
    viewed = pane.viewed()
    assert viewed is not None
    assert viewed.selection == (slice(None), slice(None), slice(None))
    assert viewed.displayed is None


def test_dates_offer_no_statistics(open_window: OpenWindow, qtbot: QtBot) -> None:
    dates = np.zeros((3, 4, 5), "M8[s]")
    pane, _ = show(open_window, qtbot, dates, ("z", "y", "x"))
    assert pane.body.sliders.isVisible()
    assert not pane.body.sliders.statistics[0].isVisible()


def test_a_pinned_plane_stays_as_it_is(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    pane.body.controls.layouts["pair"].click()
    qtbot.waitUntil(lambda: all(view.is_complete for view in pane.body.grid.views))
    reduced(pane, qtbot, 0, Statistic.SUM)
    (right,) = pane.body.grid.others
    qtbot.waitUntil(lambda: right.is_complete)
    assert (right.mosaics[0].values == VOLUME[4]).all()
    low, high = right.picture_style().levels
    assert high - low < np.ptp(picture(pane)) / 1.5, "each has its own contrast"
    pane.body.controls.layouts["pair"].click()
    (right,) = pane.body.grid.others  # the present plane is pinned
    qtbot.waitUntil(lambda: right.is_complete)
    assert right.mosaics[0].values.dtype == np.float64
