"""One click shows the means of rows or columns, with their cost, and as a file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.colours.coloured import choose
from tests.browser.panes.image.pictures import pane_of, show
from zarrbrowser.maps.projection import Projection
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.image.tools.means_panel import MeansPanel
from zarrcore.errors import StoreError

NORTH, EAST = np.arange(87.0, -90, -6), np.arange(0.0, 360, 9)
WARMTH = np.random.default_rng(5).normal(size=(4, 30, 40))
WARMTH[:, 3, :20] = np.nan
ZONAL = np.nanmean(WARMTH, axis=2)
BY_AREA = np.cos(np.radians(NORTH))[:, None] * np.isfinite(WARMTH)
MERIDIONAL = np.nansum(WARMTH * BY_AREA, axis=1) / BY_AREA.sum(axis=1)


@pytest.fixture
def array() -> FakeArray:
    made = FakeArray(WARMTH, ("time", "lat", "lon"), (1, 30, 40))
    made.attributes = {"units": "K"}
    return made


@pytest.fixture
def pane(array: FakeArray, open_window: OpenWindow, qtbot: QtBot) -> ImagePane:
    lat, lon = FakeArray(NORTH), FakeArray(EAST)
    lat.attributes, lon.attributes = {"units": "degrees_north"}, {"units": "degrees_east"}
    pane = pane_of(open_window(FakeGroup({"array": array, "lat": lat, "lon": lon}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.body.controls.map.isEnabled())
    return pane


@pytest.fixture
def panel(pane: ImagePane) -> MeansPanel:
    return pane.body.tools.means


def drawn(panel: MeansPanel) -> list[float]:
    curves = panel.graph.curves
    return [] if not curves or curves[0].yData is None else curves[0].yData.tolist()


def test_means_are_drawn_where_their_uneven_coordinates_are(
    array: FakeArray, open_window: OpenWindow, qtbot: QtBot
) -> None:
    heights = np.geomspace(1, 1000, 30)
    pane = pane_of(open_window(FakeGroup({"array": array, "lat": FakeArray(heights)}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.coordinate_labels.is_known)
    pane.body.controls.means.click()
    panel = pane.body.tools.means
    qtbot.waitUntil(lambda: is_drawn(panel, ZONAL[0]))
    assert panel.graph.curves[0].xData == pytest.approx((heights - 1) / 999 * 29)
    ticks = panel.graph.across._ticks(0, 29, 900)
    assert len(ticks) > 2
    for place, text in ticks:
        assert place == pytest.approx((float(text.replace(",", "")) - 1) / 999 * 29)


def is_drawn(panel: MeansPanel, expected: object) -> bool:
    found = drawn(panel)
    return len(found) == np.size(expected) and np.allclose(found, np.asarray(expected), rtol=1e-12)


def test_one_click_shows_the_zonal_mean_over_the_latitude(
    pane: ImagePane, panel: MeansPanel, qtbot: QtBot
) -> None:
    assert panel.isHidden()
    pane.body.controls.means.click()
    assert panel.isVisible()
    qtbot.waitUntil(lambda: is_drawn(panel, ZONAL[0]))
    assert panel.axis.currentText() == "lon (zonal mean)"
    assert panel.words.text() == "Weighted by area"
    assert pane.body.controls.isAncestorOf(pane.body.controls.means)
    assert panel.graph.up.labelText == "array (K)"
    assert panel.graph.across.labelText == "lat (°N)"
    ticks = panel.graph.across.tickValues(-0.5, 29.5, 900)
    assert panel.graph.view.xInverted(), "the south is on the left"
    assert "40" in panel.graph.across.tickStrings(ticks[0][1], 1, 1)
    choose(panel.axis, "lat (meridional mean)")
    qtbot.waitUntil(lambda: is_drawn(panel, MERIDIONAL[0]))
    assert panel.graph.across.labelText == "lon (°E)"
    assert not panel.graph.view.xInverted()
    pane.body.controls.means.click()
    assert panel.isHidden()


def test_the_menu_of_the_map_shows_either(pane: ImagePane, panel: MeansPanel, qtbot: QtBot) -> None:
    pane.body.tools.map.meridional.trigger()
    assert pane.body.controls.means.isChecked()
    qtbot.waitUntil(lambda: is_drawn(panel, MERIDIONAL[0]))
    pane.body.tools.map.zonal.trigger()
    qtbot.waitUntil(lambda: is_drawn(panel, ZONAL[0]))
    assert pane.model.state is not None
    pane.model.set(axes=pane.model.state.settings.axes.with_rows(2))  # longitudes run down
    pane.body.tools.map.meridional.trigger()
    qtbot.waitUntil(lambda: is_drawn(panel, MERIDIONAL[0]))


def test_it_follows_the_plane_and_reads_nothing_for_what_does_not_change_it(
    pane: ImagePane, panel: MeansPanel, array: FakeArray, qtbot: QtBot
) -> None:
    pane.body.controls.means.click()
    qtbot.waitUntil(lambda: is_drawn(panel, ZONAL[0]))
    pane.body.sliders.step(2)
    qtbot.waitUntil(lambda: is_drawn(panel, ZONAL[2]) and pane.view.is_complete)
    read = len(array.selections)
    pane.model.set(colour_map="crameri:batlow", coastlines=False)
    pane.model.set(projection=Projection.ROBINSON)
    qtbot.waitUntil(lambda: pane.view.projection.chart is not None and pane.view.is_complete)
    assert len(array.selections) == read
    assert is_drawn(panel, ZONAL[2])
    assert panel.isVisible()
    pane.model.set(projection=Projection.NONE)
    assert pane.model.state is not None
    pane.model.set(axes=pane.model.state.settings.axes.with_rows(0))  # time and longitude: no map
    assert [panel.axis.itemText(row) for row in range(2)] == ["lon", "time"]
    qtbot.waitUntil(
        lambda: is_drawn(panel, np.nanmean(WARMTH[:, pane.model.state.settings.axes.index[1]], axis=1))  # type: ignore[union-attr]
    )
    assert panel.words.text() == ""


def test_a_picture_without_coordinates_has_means_of_rows_and_columns(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    values = np.random.default_rng(1).normal(size=(30, 40))
    pane, _array = show(open_window, qtbot, values, ("y", "x"))
    panel = pane.body.tools.means
    pane.body.controls.means.click()
    qtbot.waitUntil(lambda: is_drawn(panel, values.mean(axis=1)))
    assert (panel.axis.currentText(), panel.graph.across.labelText) == ("x", "y")
    choose(panel.axis, "y")
    qtbot.waitUntil(lambda: is_drawn(panel, values.mean(axis=0)))
    pane.clear()
    assert panel.isHidden()
    assert not pane.body.controls.means.isChecked()


def test_a_mean_of_many_bytes_is_read_on_request(
    pane: ImagePane, panel: MeansPanel, array: FakeArray, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel, "_agreed_bytes", 1000)
    read = len(array.selections)
    pane.body.controls.means.click()
    qtbot.waitUntil(panel.go_on.isVisible)
    assert panel.words.text() == "This reads 1 chunk, 9.38 KiB of decoded data."
    assert (drawn(panel), len(array.selections), panel.export.isEnabled()) == ([], read, False)
    panel.go_on.click()
    qtbot.waitUntil(lambda: is_drawn(panel, ZONAL[0]))
    assert panel.go_on.isHidden()


def test_a_failing_store_is_told_and_asked_again_on_request(
    pane: ImagePane, panel: MeansPanel, array: FakeArray, qtbot: QtBot
) -> None:
    def fail(_selection: object) -> None:
        raise StoreError("the store does not answer")

    pane.body.controls.means.click()
    qtbot.waitUntil(lambda: is_drawn(panel, ZONAL[0]))
    array.before_read = fail
    choose(panel.axis, "lat (meridional mean)")
    qtbot.waitUntil(lambda: "does not answer" in panel.words.text())
    assert drawn(panel) == [], "no curve of another axis"
    array.before_read = lambda _selection: None
    panel.go_on.click()
    qtbot.waitUntil(lambda: is_drawn(panel, MERIDIONAL[0]))


def test_means_are_exported_with_their_coordinates(
    pane: ImagePane, panel: MeansPanel, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "means.csv"
    panel.write(str(path))
    assert not path.exists(), "there is nothing to write"
    pane.body.controls.means.click()
    qtbot.waitUntil(panel.export.isEnabled)
    with qtbot.waitSignal(pane.reported) as heard:
        panel.write(str(path))
    assert heard.args == [f"Exported to {path}"]
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [float(row["zonal mean, time = 0"]) for row in rows] == pytest.approx(ZONAL[0].tolist())
    assert [float(row["lat (°N)"]) for row in rows] == NORTH.tolist()
    with qtbot.waitSignal(pane.reported) as heard:
        panel.write(str(tmp_path / "gone" / "means.csv"))
    assert "was not written" in heard.args[0]
