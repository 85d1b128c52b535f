"""Contours over pictures, in the real window."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from skimage.measure import find_contours

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray
from tests.browser.panes.image.pictures import pane_of, pyramid, show
from tests.browser.panes.image.tools.mapped import NORTH, world
from zarrbrowser.export.figures.figure import Picture
from zarrbrowser.image.colours.colour_maps import LABELS
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.contours import NOTHING, Contours
from zarrbrowser.maps.projection import Projection
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrcore.typing import AnyArray

Y, X = np.mgrid[:30, :40]
HILLS = np.stack([10 * np.sin(X / 6 + 0.1) * np.cos(Y / 5 + 0.1) + shift for shift in (0, 50)]).astype(
    np.float32
)


@pytest.fixture
def shown(open_window: OpenWindow, qtbot: QtBot) -> tuple[ImagePane, FakeArray]:
    return show(open_window, qtbot, HILLS, ("time", "y", "x"))


def contours(pane: ImagePane) -> Contours:
    return pane.view.contours.lines.contours


def texts(pane: ImagePane) -> list[str]:
    return [text for text, _ in contours(pane).levels]


def is_of(found: Contours, numbers: AnyArray) -> bool:
    """Whether all crossings are those that scikit-image finds."""
    for text, lines in found.levels:
        level = float(text.replace(",", ""))
        expected = [np.empty((0, 2)), *find_contours(numbers.astype(np.float64), level)]
        ours = np.stack([lines.rows, lines.columns], axis=-1)
        both = (np.unique(one.round(6), axis=0) for one in (ours, np.concatenate(expected)))
        if not np.array_equal(*both):
            return False
    return bool(found.levels)


def test_a_button_draws_the_contours_of_what_is_drawn(
    shown: tuple[ImagePane, FakeArray], qtbot: QtBot
) -> None:
    pane, array = shown
    read = len(array.selections)
    pane.body.controls.contours.click()
    qtbot.waitUntil(lambda: is_of(contours(pane), HILLS[0]))
    assert texts(pane) == ["-7.5", "-5.0", "-2.5", "0.0", "2.5", "5.0", "7.5"]
    image = pane.canvas.grab().toImage()
    assert len(pane.view.contours.lines.labels) > 3
    assert len(array.selections) == read, "nothing is read for it"
    pane.body.controls.contours.click()
    assert contours(pane) is NOTHING
    assert pane.canvas.grab().toImage() != image


def test_they_follow_the_plane_the_range_and_the_norm(
    shown: tuple[ImagePane, FakeArray], qtbot: QtBot
) -> None:
    pane, _array = shown
    pane.body.controls.contours.click()
    pane.model.set(contrast=Contrast(ContrastMode.FIXED, -3, 64))
    qtbot.waitUntil(lambda: texts(pane) == ["0", "10", "20", "30", "40", "50", "60"])
    pane.body.sliders.step(1)
    qtbot.waitUntil(lambda: is_of(contours(pane), HILLS[1]))
    pane.model.set(norm=Norm.LOG, contrast=Contrast(ContrastMode.FIXED, 0.5, 200))
    qtbot.waitUntil(lambda: texts(pane) == ["1", "10", "100"])
    assert pane.model.state is not None
    pane.model.set(axes=pane.model.state.settings.axes.with_rows(2))
    assert contours(pane) is NOTHING, "other axes: the lines go at once"
    pane.model.set(norm=Norm.LINEAR, contrast=Contrast(ContrastMode.FIXED, 41, 59))
    qtbot.waitUntil(lambda: pane.view.is_complete and is_of(contours(pane), HILLS[1].T))


def test_closer_looks_have_labels_of_their_own(shown: tuple[ImagePane, FakeArray], qtbot: QtBot) -> None:
    pane, _array = shown
    pane.body.controls.contours.click()
    qtbot.waitUntil(lambda: bool(contours(pane).levels))
    drawn = pane.view.contours.lines.shown
    pane.canvas.show_range((2, 8), (3, 11))
    qtbot.waitUntil(lambda: pane.view.contours.lines.shown is not drawn)
    labels = pane.view.contours.lines.shown.labels
    assert labels
    view = pane.canvas.visible()
    assert all(view.rows[0] < one.row < view.rows[1] for one in labels)
    assert all(view.columns[0] < one.column < view.columns[1] for one in labels)


def test_a_pyramid_has_the_contours_of_the_level_on_the_screen(open_window: OpenWindow, qtbot: QtBot) -> None:
    root, arrays = pyramid()
    pane = pane_of(open_window(root), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    read = [len(one.selections) for one in arrays]
    pane.body.controls.contours.click()
    qtbot.waitUntil(lambda: "2,000" in texts(pane))
    assert [len(one.selections) for one in arrays] == read
    lines = dict(contours(pane).levels)["2,000"]
    # The elements of a coarser level are those of the finest at their upper left corners.
    factor = pane.view.mosaics[0].raster.level.factors[0]
    assert factor > 1
    assert lines.rows + lines.columns == pytest.approx(2000 + factor - 1, abs=0.01)


def test_maps_have_them_in_their_projection(open_window: OpenWindow, qtbot: QtBot) -> None:
    root = world()
    array = FakeArray(np.broadcast_to(NORTH[:, None], (2, 30, 40)).astype(np.float32), ("time", "lat", "lon"))
    root.add("array", array)
    pane = pane_of(open_window(root, "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.body.controls.map.isEnabled())
    pane.body.controls.contours.click()
    qtbot.waitUntil(lambda: "50" in texts(pane))
    pane.model.set(projection=Projection.ORTHOGRAPHIC)
    view = pane.view

    def latitudes() -> list[float]:
        chart = view.projection.chart
        if chart is None or view.contours.lines.getViewBox() is not view.projection.canvas.view:
            return []
        lines = dict(contours(pane).levels).get("50")
        if lines is None or not lines.connected.any():
            return []
        at = np.flatnonzero(lines.connected)
        return list(chart.to_earth(lines.rows[at], lines.columns[at])[1])

    qtbot.waitUntil(lambda: len(latitudes()) > 10 and view.projection.sampling is not None)
    assert latitudes() == pytest.approx([50.0] * len(latitudes()), abs=0.01)
    figure = pane.figure()
    assert figure is not None
    (_, _, panel) = figure.as_shown().panels[0]
    assert isinstance(panel, Picture)
    assert np.array_equal(dict(panel.contours.levels)["50"].rows, dict(contours(pane).levels)["50"].rows), (
        "figures have the same"
    )
    pane.model.set(projection=Projection.NONE)
    qtbot.waitUntil(lambda: view.contours.lines.getViewBox() is pane.canvas.view and "50" in texts(pane))
    rows = dict(contours(pane).levels)["50"].rows
    assert rows == pytest.approx(40 / 180 * 29)


def test_figures_have_them_as_on_the_screen(shown: tuple[ImagePane, FakeArray], qtbot: QtBot) -> None:
    pane, _array = shown
    pane.body.controls.contours.click()
    qtbot.waitUntil(lambda: bool(texts(pane)))
    figure = pane.figure()
    assert figure is not None
    for made in (figure.as_shown(), figure.read((300, 200))):
        panel = made.panels[0][2]
        assert isinstance(panel, Picture)
        assert is_of(panel.contours, HILLS[0])
        assert [text for text, _ in panel.contours.levels] == texts(pane)


def test_colours_without_an_order_have_none(shown: tuple[ImagePane, FakeArray], qtbot: QtBot) -> None:
    pane, _array = shown
    button = pane.body.controls.contours
    button.click()
    qtbot.waitUntil(lambda: bool(texts(pane)))
    pane.model.set(colour_map=LABELS)
    assert not button.isEnabled()
    qtbot.waitUntil(lambda: contours(pane) is NOTHING)
    pane.model.set(colour_map="gray")
    assert button.isEnabled()
    qtbot.waitUntil(lambda: bool(texts(pane)))


def test_a_view_keeps_them(shown: tuple[ImagePane, FakeArray], qtbot: QtBot) -> None:
    pane, _array = shown
    before = pane.view_state()
    pane.body.controls.contours.click()
    kept = pane.view_state()
    assert (before["contours"], kept["contours"]) == (False, True)
    pane.restore(before)
    assert not pane.body.controls.contours.isChecked()
    assert contours(pane) is NOTHING
    pane.restore(kept)
    assert pane.body.controls.contours.isChecked()
    qtbot.waitUntil(lambda: is_of(contours(pane), HILLS[0]))
    old = {name: value for name, value in kept.items() if name != "contours"}
    pane.restore(old)
    assert pane.body.controls.contours.isChecked(), "a view of an earlier version says nothing about them"


def test_both_views_of_a_pair_have_them(shown: tuple[ImagePane, FakeArray], qtbot: QtBot) -> None:
    pane, _array = shown
    pane.body.controls.contours.click()
    pane.body.controls.layouts["pair"].click()
    pane.body.sliders.step(1)
    other = pane.body.grid.others[0]
    qtbot.waitUntil(lambda: pane.view.is_complete and bool(other.contours.lines.contours.levels))
    qtbot.waitUntil(
        lambda: is_of(contours(pane), HILLS[1]) and is_of(other.contours.lines.contours, HILLS[0])
    )
