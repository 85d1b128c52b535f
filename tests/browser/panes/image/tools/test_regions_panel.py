"""Regions over the picture: drawn, dragged, measured, saved and loaded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky, Gate
from tests.browser.panes.dragging import drag_to
from tests.browser.panes.image.pictures import VOLUME, pane_of, pyramid, show
from zarrbrowser.image.regions.shapes import Region, Shape
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.image.tools import regions_panel
from zarrbrowser.panes.image.tools.regions_panel import RegionsPanel

BOX = Region("box", Shape.RECTANGLE, ((9.5, 4.5), (14.5, 14.5)))


@pytest.fixture
def pane(open_window: OpenWindow, qtbot: QtBot) -> ImagePane:
    shown, _ = show(open_window, qtbot, VOLUME)
    shown.body.controls.tools["region"].click()
    return shown


def wait(panel: RegionsPanel, qtbot: QtBot) -> None:
    """Wait until all regions are measured, and the table shows it: each is heard of before the table is filled."""

    def is_shown() -> bool:
        measured = [(entry.region, entry.found) for entry in panel.entries if entry.found is not None]
        return bool(measured) and panel.table_model.regions == measured

    qtbot.waitUntil(is_shown)


def cells(panel: RegionsPanel, row: int = 0) -> list[str]:
    model = panel.table_model
    return [model.index(row, column).data() for column in range(model.columnCount())]


def test_a_rectangle_shows_its_statistics_and_follows_the_plane(pane: ImagePane, qtbot: QtBot) -> None:
    panel = pane.body.tools.regions
    wait(panel, qtbot)
    shape = panel.entries[0].shape
    shape.setPos((4.5, 9.5), update=False)
    shape.setSize((10, 5))
    expected = VOLUME[4][10:15, 5:15].astype(float)
    qtbot.waitUntil(lambda: cells(panel)[2] == "50")
    assert cells(panel)[5:] == [
        f"{one:.6g}" for one in (expected.mean(), expected.std(), expected.min(), expected.max())
    ]
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    qtbot.waitUntil(lambda: cells(panel)[8] == f"{VOLUME[5][10:15, 5:15].max():.6g}")
    pane.body.controls.tools["region"].click()
    assert panel.isHidden()
    assert not shape.isVisible()
    pane.body.controls.tools["region"].click()
    assert len(panel.entries) == 1, "regions stay while the tool is off"


def test_several_shapes_have_rows_and_the_chosen_one_is_marked(pane: ImagePane, qtbot: QtBot) -> None:
    panel = pane.body.tools.regions
    panel.ellipse.click()
    panel.add(Region("", Shape.POLYGON, ((2.0, 2.0), (20.0, 5.0), (10.0, 30.0))))
    wait(panel, qtbot)
    qtbot.waitUntil(lambda: panel.table_model.rowCount() == 3)
    assert [cells(panel, row)[0] for row in range(3)] == ["region 1", "region 2", "region 3"]
    assert panel.chosen == 2
    panel.entries[1].shape.sigClicked.emit(panel.entries[1].shape, None)
    assert panel.chosen == 1
    widths = [entry.shape.currentPen.width() for entry in panel.entries]
    assert widths[1] > widths[0]
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    assert [region.name for region in panel.regions] == ["region 1", "region 3"]
    panel.table_model.setData(panel.table_model.index(0, 0), "background")
    assert panel.regions[0].name == "background"
    panel.clear()
    assert panel.table_model.rowCount() == 0
    panel.remove()


def test_after_a_new_name_keys_go_on_in_the_table(pane: ImagePane, qtbot: QtBot) -> None:
    panel = pane.body.tools.regions
    panel.ellipse.click()
    wait(panel, qtbot)
    pane.window().activateWindow()
    panel.table.setFocus()
    panel.table.setCurrentIndex(panel.table_model.index(0, 0))
    panel.table.edit(panel.table.currentIndex())
    field = panel.table.findChild(QLineEdit)
    assert field is not None
    field.selectAll()
    qtbot.keyClicks(field, "background")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.regions[0].name == "background")
    qtbot.waitUntil(panel.table.hasFocus)
    qtbot.keyClick(pane.window().focusWidget(), Qt.Key.Key_Delete)
    assert [region.name for region in panel.regions] == ["region 2"]


def test_dragging_a_corner_of_a_polygon_and_an_ellipse(pane: ImagePane, qtbot: QtBot) -> None:
    panel = pane.body.tools.regions
    panel.clear()
    panel.add(Region("", Shape.POLYGON, ((2.0, 2.0), (20.0, 5.0), (10.0, 30.0))))
    panel.add(Region("", Shape.ELLIPSE, ((2.0, 2.0), (12.0, 22.0))))
    wait(panel, qtbot)
    polygon, ellipse = (entry.shape for entry in panel.entries)
    handle = polygon.handles[0]["item"]
    handle.movePoint(pane.canvas.view.mapViewToScene(handle.pos().__class__(8, 3)))
    assert panel.regions[0].points[0] == pytest.approx((3, 8), abs=0.1)
    ellipse.setSize((10, 5))
    assert panel.regions[1].box == (2, 2, 7, 12)
    wait(panel, qtbot)
    mask = panel.regions[1].mask((slice(0, 30), slice(0, 40)))
    found = panel.entries[1].found
    assert found is not None
    assert found.channels[0].mean == pytest.approx(VOLUME[4][mask].mean(), abs=1e-6)


def test_a_polygon_is_drawn_by_clicks(pane: ImagePane, qtbot: QtBot) -> None:
    panel = pane.body.tools.regions
    panel.clear()
    panel.polygon.click()
    assert "Click the corners" in panel.words.text()
    for place in ((2.0, 2.0), (20.0, 5.0), (10.0, 30.0), (2.01, 2.01)):
        pane.canvas.picked.emit(place)
    assert not panel.polygon.isChecked()
    assert panel.regions[0].points == ((2.0, 2.0), (20.0, 5.0), (10.0, 30.0))
    panel.polygon.click()
    pane.canvas.picked.emit((1.0, 1.0))
    panel.polygon.click()
    assert len(panel.regions) == 1, "two corners are missing"
    pane.canvas.picked.emit((1.0, 1.0))
    assert len(panel.regions) == 1


def test_large_regions_need_consent(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regions_panel, "ASK_ABOVE_BYTES", 1000)
    pane, array = show(open_window, qtbot, VOLUME)
    array.selections.clear()
    pane.body.controls.tools["region"].click()
    panel = pane.body.tools.regions
    qtbot.waitUntil(lambda: panel.go_on.isVisible())
    assert panel.words.text() == "Measuring crosses 1 chunk, 37.5 KiB when decoded."
    assert array.selections == []
    panel.go_on.click()
    wait(panel, qtbot)
    assert panel.go_on.isHidden()


def test_moving_a_region_cancels_its_measuring(pane: ImagePane, qtbot: QtBot) -> None:
    panel, gate = pane.body.tools.regions, Gate()
    wait(panel, qtbot)
    qtbot.waitUntil(lambda: not pane.workers.active)  # the parts of an answer are shown before it ends
    array: FakeArray = pane.view.levels[0].array  # type: ignore[assignment]
    array.before_read = gate.wait
    panel.entries[0].shape.setPos((3.5, 3.5))
    qtbot.waitUntil(lambda: any("Measuring" in request.label for request in pane.workers.active))
    (first,) = (request for request in pane.workers.active if "Measuring" in request.label)
    panel.entries[0].shape.setPos((1.5, 1.5))
    qtbot.waitUntil(first.is_cancelled)
    gate.open()
    wait(panel, qtbot)


def test_an_error_is_one_sentence_and_can_be_tried_again(pane: ImagePane, qtbot: QtBot) -> None:
    panel, flaky = pane.body.tools.regions, Flaky()
    wait(panel, qtbot)
    array: FakeArray = pane.view.levels[0].array  # type: ignore[assignment]
    array.before_read = flaky
    panel.add(BOX)
    qtbot.waitUntil(lambda: panel.words.text() == "The server at example.org does not answer.")
    flaky.mended = True
    panel.go_on.click()
    wait(panel, qtbot)
    assert not panel.words.text()


@pytest.mark.parametrize("suffix", ["geojson", "csv"])
def test_regions_are_saved_and_loaded_again(
    pane: ImagePane, qtbot: QtBot, tmp_path: Path, suffix: str
) -> None:
    panel, path = pane.body.tools.regions, tmp_path / f"regions.{suffix}"
    panel.add(BOX)
    panel.add(Region("oval", Shape.ELLIPSE, ((2.0, 2.0), (12.0, 22.0))))
    wait(panel, qtbot)
    before = panel.regions
    with qtbot.waitSignal(panel.reported) as heard:
        panel.save(str(path))
    assert heard.args == [f"3 regions exported to {path}"]
    panel.clear()
    with qtbot.waitSignal(panel.reported):
        panel.load(str(path))
    assert [(one.name, one.shape, one.box) for one in panel.regions] == [
        (one.name, one.shape, one.box) for one in before
    ]
    wait(panel, qtbot)
    if suffix == "geojson":
        features = json.loads(path.read_text())["features"]
        assert features[1]["properties"]["channels"][0]["known_elements"] == 50


def test_bad_files_leave_the_regions_as_they_are(
    pane: ImagePane, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regions_panel, "MOST_NBYTES", 100)
    panel = pane.body.tools.regions
    wait(panel, qtbot)
    for content, why in (
        (None, "bad: No such file or directory: "),
        (b"\xff\xfe\x00", "bad: The file is not text in UTF-8."),
        (b"{", "bad: The file is not valid JSON."),
        (b" " * 200, "bad: The file is larger than 100 bytes."),
    ):
        if content is not None:
            (tmp_path / "bad").write_bytes(content)
        panel.load(str(tmp_path / "bad"))
        qtbot.waitUntil(lambda why=why: panel.words.text().startswith(why))
        assert len(panel.regions) == 1


def test_what_is_said_of_a_file_stays_when_a_measurement_ends(
    pane: ImagePane, qtbot: QtBot, tmp_path: Path
) -> None:
    panel, gate = pane.body.tools.regions, Gate()
    wait(panel, qtbot)
    qtbot.waitUntil(lambda: not pane.workers.active)  # the parts of an answer are shown before it ends
    array: FakeArray = pane.view.levels[0].array  # type: ignore[assignment]
    array.before_read = gate.wait
    panel.add(BOX)
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    panel.load(str(tmp_path / "missing"))
    qtbot.waitUntil(lambda: panel.words.text().startswith("missing: No such file"))
    gate.open()
    qtbot.waitUntil(lambda: not pane.workers.active)
    wait(panel, qtbot)
    assert panel.words.text().startswith("missing: No such file")
    panel.add(BOX)
    assert not panel.words.text()


def test_a_file_that_cannot_be_written_is_reported(pane: ImagePane, qtbot: QtBot, tmp_path: Path) -> None:
    with qtbot.waitSignal(pane.body.tools.regions.reported) as heard:
        pane.body.tools.regions.save(str(tmp_path / "nowhere" / "a.csv"))
    assert "was not written" in heard.args[0]


def test_the_table_is_copied(pane: ImagePane, qtbot: QtBot) -> None:
    panel = pane.body.tools.regions
    wait(panel, qtbot)
    qtbot.waitUntil(lambda: cells(panel)[5] != "")
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == panel.table_model.text()


def test_another_image_has_no_regions(pane: ImagePane, qtbot: QtBot) -> None:
    panel = pane.body.tools.regions
    wait(panel, qtbot)
    pane.clear()
    assert panel.entries == []
    assert panel.isHidden()
    panel.turn(is_on=True)
    assert panel.isHidden()


def test_there_are_not_more_regions_than_can_be_shown(
    pane: ImagePane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regions_panel, "MOST_REGIONS", 2)
    panel = pane.body.tools.regions
    panel.add(BOX)
    panel.add(BOX)
    assert len(panel.entries) == 2
    assert panel.words.text() == "There are 2 regions already."
    assert np.isfinite(panel.entries[1].region.box).all()


def test_the_tool_can_be_chosen_while_the_image_is_being_opened(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    group, arrays = pyramid(256, 2)
    pane = pane_of(open_window(FakeGroup({"image": group, "other": FakeArray(VOLUME)}), "/other"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.clear()
    pane.body.controls.tools["region"].click()
    assert pane.body.tools.regions.isHidden()
    window = pane.window()
    window.open_text("fake.zarr#/image")  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.view.levels[0].array is arrays[0])
    if pane.body.controls.tools["region"].isChecked():
        wait(pane.body.tools.regions, qtbot)
    assert pane.body.tools.regions.isVisible() == pane.body.controls.tools["region"].isChecked()


def test_another_image_leaves_an_empty_table_alone(open_window: OpenWindow, qtbot: QtBot) -> None:
    root = FakeGroup({"array": FakeArray(VOLUME), "other": FakeArray(VOLUME + 1)})
    window = open_window(root, "/array")
    pane = pane_of(window, qtbot)
    panel = pane.body.tools.regions
    with qtbot.assertNotEmitted(panel.table_model.modelReset):
        window.open_text("fake.zarr#/other")
        qtbot.waitUntil(lambda: pane.model.state is not None and pane.model.state.image.path == "/other")
    panel.add(BOX)
    assert panel.table_model.rowCount() == 1
    window.open_text("fake.zarr#/array")
    qtbot.waitUntil(lambda: panel.table_model.rowCount() == 0)


def drag(pane: ImagePane, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag with the left button from one place (down, right) to another."""
    canvas, viewport = pane.canvas, pane.canvas.viewport()
    first, last = (canvas.mapFromScene(canvas.view.mapViewToScene(QPointF(x, y))) for y, x in (start, end))
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=first)
    for place in (first + (last - first) / 2, last):
        drag_to(viewport, place)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=last)


def test_dragging_draws_while_regions_are_on(pane: ImagePane, qtbot: QtBot) -> None:
    panel = pane.body.tools.regions
    wait(panel, qtbot)
    before = pane.canvas.visible()
    drag(pane, (1.0, 1.0), (4.0, 6.0))
    qtbot.waitUntil(lambda: len(panel.entries) == 2)
    assert panel.regions[1].shape is Shape.RECTANGLE
    assert panel.regions[1].box == (0.5, 0.5, 4.5, 6.5)
    assert pane.canvas.visible() == before
    panel.ellipse.click()
    drag(pane, (27.0, 1.0), (24.0, 4.0))
    qtbot.waitUntil(lambda: len(panel.entries) == 4)
    assert (panel.regions[3].shape, panel.regions[3].box) == (Shape.ELLIPSE, (23.5, 0.5, 27.5, 4.5))
    pane.body.controls.tools["region"].click()
    drag(pane, (1.0, 1.0), (4.0, 6.0))
    qtbot.waitUntil(lambda: pane.canvas.visible() != before)
    assert len(panel.entries) == 4


def test_new_regions_do_not_lie_on_one_another(pane: ImagePane, qtbot: QtBot) -> None:
    panel = pane.body.tools.regions
    for _ in range(3):
        panel.rectangle.click()
    wait(panel, qtbot)
    assert len({region.box for region in panel.regions}) == 4


def test_the_panel_says_which_number_is_masked(open_window: OpenWindow, qtbot: QtBot) -> None:
    counts = np.arange(1200, dtype=np.uint32).reshape(30, 40)
    counts[10:14] = 2**32 - 1
    pane, _array = show(open_window, qtbot, counts, ("y", "x"))
    pane.body.controls.tools["region"].click()
    panel = pane.body.tools.regions
    wait(panel, qtbot)
    assert panel.masked.isVisible()
    assert panel.masked.text() == "without 4,294,967,295 (masked)"
    pane.body.contrast.masked.click()
    assert not panel.masked.isVisible()
    wait(panel, qtbot)
    assert cells(panel)[8] == f"{2**32 - 1:.6g}"
