"""Clicks in the picture show series through points, with their cost, and as a file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.colours.coloured import choose
from tests.browser.panes.image.pictures import pane_of
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.image.tools.series_panel import SeriesPanel
from zarrbrowser.plot.curves import LINE_COLOURS
from zarrcore.errors import StoreError

CUBE = np.random.default_rng(5).random((12, 20, 30))


@pytest.fixture
def cube() -> FakeArray:
    array = FakeArray(CUBE, ("time", "lat", "lon"), (1, 20, 30))
    array.attributes = {"units": "kelvin"}
    return array


@pytest.fixture
def pane(cube: FakeArray, open_window: OpenWindow, qtbot: QtBot) -> ImagePane:
    time = FakeArray(np.arange(12))
    time.attributes = {"units": "days since 2000-01-01"}
    pane = pane_of(open_window(FakeGroup({"array": cube, "time": time}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.coordinate_labels.is_known)
    pane.body.controls.series.click()
    return pane


@pytest.fixture
def panel(pane: ImagePane) -> SeriesPanel:
    return pane.body.tools.series


def drawn(panel: SeriesPanel) -> list[list[float]]:
    return [[] if line.curve.yData is None else line.curve.yData.tolist() for line in panel.lines]


def test_each_click_adds_the_series_through_its_element(
    pane: ImagePane, panel: SeriesPanel, qtbot: QtBot
) -> None:
    assert panel.isVisible()
    assert panel.axis.currentText() == "time"
    assert panel.words.text() == "Click in the picture to add a point."
    pane.canvas.picked.emit((3.2, 4.9))
    pane.canvas.picked.emit((19.0, 0.0))
    qtbot.waitUntil(lambda: drawn(panel) == [CUBE[:, 3, 5].tolist(), CUBE[:, 19, 0].tolist()])
    assert len({line.colour for line in panel.lines}) == 2
    assert panel.marks.getData()[0].tolist() == [5, 0]
    assert panel.plot.getAxis("left").labelText == "K"
    ticks = panel.plot.getAxis("bottom").tickValues(-0.2, 11.2, 900)
    assert any("2000" in text for text in panel.plot.getAxis("bottom").tickStrings(ticks[0][1], 1, 1))
    pane.body.sliders.step(4)
    assert panel.here.value() == 4
    panel.remove.click()
    assert (panel.lines, panel.marks.getData()[0].size) == ([], 0)


def test_a_series_is_drawn_where_its_uneven_coordinates_are(
    cube: FakeArray, open_window: OpenWindow, qtbot: QtBot
) -> None:
    days = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 110])
    time = FakeArray(days)
    time.attributes = {"units": "days since 2000-01-01"}
    pane = pane_of(open_window(FakeGroup({"array": cube, "time": time}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.coordinate_labels.is_known)
    pane.body.controls.series.click()
    pane.canvas.picked.emit((3.0, 5.0))
    panel = pane.body.tools.series
    qtbot.waitUntil(lambda: drawn(panel) == [CUBE[:, 3, 5].tolist()])
    assert panel.lines[0].curve.xData == pytest.approx(days / 10)
    pane.body.sliders.step(4)
    assert panel.here.value() == pytest.approx(0.4)
    choose(panel.axis, "lon")
    qtbot.waitUntil(lambda: drawn(panel) == [CUBE[0, 3].tolist()])
    assert panel.lines[0].curve.xData.tolist() == [*range(30)]


def test_another_axis_shows_the_same_points_along_it(
    pane: ImagePane, panel: SeriesPanel, qtbot: QtBot
) -> None:
    pane.canvas.picked.emit((3.0, 5.0))
    choose(panel.axis, "lon")
    qtbot.waitUntil(lambda: drawn(panel) == [CUBE[0, 3].tolist()])
    assert not panel.here.isVisible(), "the picture has all positions along this axis"
    pane.body.controls.axes.chosen.emit(pane.model.state.settings.axes.with_rows(0))  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: drawn(panel) == [CUBE[0, 3].tolist()])
    assert panel.marks.getData()[1].tolist() == [0]


def test_the_tool_ends_with_its_button_and_with_another_image(
    pane: ImagePane, panel: SeriesPanel, qtbot: QtBot
) -> None:
    pane.canvas.picked.emit((3.0, 5.0))
    qtbot.waitUntil(lambda: drawn(panel) == [CUBE[:, 3, 5].tolist()])
    pane.body.controls.series.click()
    assert panel.isHidden()
    pane.canvas.picked.emit((3.0, 5.0))
    assert panel.lines == []
    pane.body.controls.series.click()
    pane.canvas.picked.emit((3.0, 5.0))
    pane.clear()
    assert panel.lines == []
    assert panel.isHidden()


def test_a_series_of_many_bytes_is_read_on_request(
    pane: ImagePane, panel: SeriesPanel, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel, "_agreed_bytes", 1000)
    pane.canvas.picked.emit((3.0, 5.0))
    assert panel.words.text() == "This reads 12 chunks, 56.2 KiB of decoded data."
    assert drawn(panel) == [[]]
    panel.go_on.click()
    qtbot.waitUntil(lambda: drawn(panel) == [CUBE[:, 3, 5].tolist()])
    assert panel.go_on.isHidden()


def test_a_failing_store_is_told_and_the_point_vanishes(
    pane: ImagePane, panel: SeriesPanel, cube: FakeArray, qtbot: QtBot
) -> None:
    def fail(_selection: object) -> None:
        raise StoreError("the store does not answer")

    cube.before_read = fail
    pane.canvas.picked.emit((3.0, 5.0))
    qtbot.waitUntil(lambda: "does not answer" in panel.words.text())
    assert panel.lines == []


def test_there_are_as_many_points_as_colours(pane: ImagePane, panel: SeriesPanel, qtbot: QtBot) -> None:
    for column in range(len(LINE_COLOURS) + 1):
        pane.canvas.picked.emit((0.0, float(column)))
    assert len(panel.lines) == len(LINE_COLOURS)
    assert panel.words.text().startswith("At most 8 points")
    qtbot.waitUntil(lambda: all(line.numbers is not None for line in panel.lines))
    assert panel.words.text().startswith("At most 8 points")


def test_series_are_exported_with_their_coordinates(
    pane: ImagePane, panel: SeriesPanel, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "series.csv"
    panel.write(str(path))
    assert not path.exists(), "there is nothing to write"
    pane.canvas.picked.emit((3.0, 5.0))
    qtbot.waitUntil(panel.export.isEnabled)
    with qtbot.waitSignal(pane.reported) as heard:
        panel.write(str(path))
    assert heard.args == [f"Exported to {path}"]
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [float(row["lat = 3, lon = 5"]) for row in rows] == CUBE[:, 3, 5].tolist()
    assert rows[1]["time (coordinate)"] == "2000-01-02"
    with qtbot.waitSignal(pane.reported) as heard:
        panel.write(str(tmp_path / "gone" / "series.csv"))
    assert "was not written" in heard.args[0]


def test_the_plot_follows_the_position_once_it_is_shown(pane: ImagePane, panel: SeriesPanel) -> None:
    pane.body.controls.series.click()
    assert not panel.isVisible()
    before = panel.here.value()
    pane.step(2)
    assert panel.here.value() == before, "a hidden plot need not move"
    pane.body.controls.series.click()
    assert panel.isVisible()
    assert panel.here.value() == before + 2
    pane.step(-1)
    assert panel.here.value() == before + 1


def test_the_legend_names_the_points(pane: ImagePane, panel: SeriesPanel, qtbot: QtBot) -> None:
    pane.canvas.picked.emit((3.2, 4.9))
    pane.canvas.picked.emit((19.0, 0.0))
    qtbot.waitUntil(lambda: all(line.numbers is not None for line in panel.lines))
    document = QTextDocument()
    document.setHtml(panel.legend.text())
    assert panel.legend.textFormat() is Qt.TextFormat.RichText
    assert document.toPlainText().split() == [
        "●",
        "lat",
        "=",
        "3,",
        "lon",
        "=",
        "5",
        "●",
        "lat",
        "=",
        "19,",
        "lon",
        "=",
        "0",
    ]
    first, second = (panel.legend.text().index(line.colour) for line in panel.lines)
    assert first < panel.legend.text().index("lat = 3") < second < panel.legend.text().index("lat = 19")
    panel.remove.click()
    assert not panel.legend.isVisible()
