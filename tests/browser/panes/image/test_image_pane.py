"""The picture on the screen is the plane of the array, after any sequence of events."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy, Flaky, Gate
from tests.browser.panes.image.pictures import VOLUME, drawn, pane_of, picture, pyramid, show
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.theme import LIGHT
from zarrbrowser.window import node_pane


def test_the_picture_is_the_plane(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    assert np.array_equal(picture(pane), VOLUME[4])
    assert pane.stack.shows_data
    levels = pane.view.picture_style().levels
    assert levels == pytest.approx(np.percentile(VOLUME[4], [1, 99]), rel=1e-5)


def test_a_slider_changes_the_plane_and_keeps_the_view(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.canvas.view.sigRangeChangedManually.emit([True, True])  # or a resize would fit the plane again
    qtbot.wait(50)
    pane.canvas.view.setRange(xRange=(10, 20), padding=0)
    seen = pane.canvas.view.viewRect()
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.sliders[0].setValue(6)
    assert np.array_equal(picture(pane), VOLUME[6])
    assert pane.sliders.spins[0].value() == 6
    assert pane.canvas.view.viewRect() == seen
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.spins[0].setValue(2)
    assert np.array_equal(picture(pane), VOLUME[2])
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    assert np.array_equal(picture(pane), VOLUME[3])


def test_steps_before_the_first_picture_are_counted(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    monkeypatch.setattr(node_pane, "load_pictures", gate.wait)
    window = open_window(FakeGroup({"array": FakeArray(VOLUME)}), "/array")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.activateWindow()
    QTest.keySequence(window, "Ctrl+Right, Ctrl+Right, Ctrl+Right, Ctrl+Left")
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    gate.open()
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert np.array_equal(picture(pane), VOLUME[4 + 2])


def test_the_drawing_modules_are_loaded_even_if_the_user_stops_reading(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    monkeypatch.setattr(node_pane, "load_pictures", gate.wait)
    window = open_window(FakeGroup({"array": FakeArray(VOLUME)}), "/array")
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    window.workers.stop()
    gate.open()
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.isVisible() and pane.view.is_complete)


def test_steps_before_levels_are_open_are_counted(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, levels = Gate(), {"0": FakeArray(VOLUME)}
    root = FakeGroup({"image": FakeGroup(levels, {"multiscales": [{"datasets": [{"path": "0"}]}]})})
    find = FakeHierarchy.node

    def late(self: FakeHierarchy, path: str) -> Any:
        if path.endswith("0"):
            gate.wait()
        return find(self, path)

    monkeypatch.setattr(FakeHierarchy, "node", late)
    window = open_window(root, "/image")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    for by in (1, 1, 1, -1):
        window.node_pane.step(by)
    gate.open()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert np.array_equal(picture(pane), VOLUME[4 + 2])


def test_an_axis_may_be_longer_than_qt_can_count(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.broadcast_to(np.float32(1), (2**33, 3, 4))
    array = FakeArray(values, chunks=(1, 3, 4))
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.spins[0].setValue(2**33 - 1)
    assert array.selections[-1][0] == 2**33 - 1
    assert pane.sliders.sliders[0].value() == pane.sliders.sliders[0].maximum()
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(-1)
    assert array.selections[-1][0] == 2**33 - 2


def test_the_largest_numbers_are_drawn(open_window: OpenWindow, qtbot: QtBot) -> None:
    largest = np.finfo(np.float64).max
    pane, _array = show(open_window, qtbot, np.array([[-largest, largest], [0, 1]]))
    assert pane.stack.shows_data
    assert np.isfinite(pane.contrast.histogram.item.vb.viewRange()).all()
    assert pane.canvas.grab().toImage().width() > 0


def test_swapping_axes_keeps_the_positions_of_the_sliders(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.sliders.spins[0].setValue(6)
    pane.controls.axes.swap.click()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert np.array_equal(picture(pane), VOLUME[6].T)
    assert pane.sliders.spins[0].value() == 6


def test_a_late_answer_is_dropped(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, array = show(open_window, qtbot, VOLUME)
    gate = Gate()
    array.before_read = lambda selection: gate.wait() if selection[0] == 1 else None
    pane.sliders.sliders[0].setValue(1)
    assert gate.waiting.acquire(timeout=30)
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.sliders[0].setValue(7)
    gate.open()
    qtbot.waitUntil(lambda: not pane.view.loader.busy)
    assert np.array_equal(picture(pane), VOLUME[7])


def test_an_error_is_shown_as_a_sentence_and_retry_works(open_window: OpenWindow, qtbot: QtBot) -> None:
    array, flaky = FakeArray(VOLUME), Flaky()
    array.before_read = flaky
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: "does not answer" in pane.stack.sentence.text)
    assert pane.stack.sentence.text == "The server at example.org does not answer."
    assert pane.stack.sentence.button.isVisible()
    assert not pane.contrast.isVisible()
    flaky.mended = True
    with qtbot.waitSignal(pane.plane_shown):
        pane.stack.sentence.button.click()
    assert pane.stack.shows_data
    assert np.array_equal(picture(pane), VOLUME[4])


def test_nan_is_counted_and_has_its_own_colour(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.ones((20, 20), np.float32)
    values[:5] = np.nan
    values[5:10] = 2
    pane, _array = show(open_window, qtbot, values)
    assert pane.missing.text == "100 of 400 elements without a value (NaN)"
    assert pane.missing.isVisible()
    assert QColor(*drawn(pane)[2, 3]).name() == LIGHT.missing
    assert len(set(drawn(pane)[7, 3, :3])) == 1  # gray


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "u8", "f2", "f8", "c8", "c16", "M8[D]", "m8[ns]", "i2"])
def test_every_drawable_type_is_drawn(dtype: str, open_window: OpenWindow, qtbot: QtBot) -> None:
    values = (np.arange(12) % 5).reshape(3, 4).astype(dtype)
    pane, _array = show(open_window, qtbot, values)
    pane.canvas.pointed.emit((1, 2))
    assert picture(pane).shape == (3, 4)
    assert pane.canvas.grab().toImage().width() > 0


@pytest.mark.parametrize("dtype", ["U3", "S3", "V3", np.dtypes.StringDType()])
def test_arrays_that_cannot_be_drawn_are_shown_as_a_table(
    dtype: Any, open_window: OpenWindow, qtbot: QtBot
) -> None:
    root = FakeGroup({"grid": FakeArray(np.zeros((3, 4), dtype)), "list": FakeArray(np.zeros(3, dtype))})
    for name, cells in (("grid", (3, 4)), ("list", (3, 1))):
        window = open_window(root, f"/{name}")
        qtbot.waitUntil(lambda window=window: window.node_pane.current_tab() == "Table")
        table = window.node_pane.pane("Table")
        assert isinstance(table, TablePane)
        assert (table.model.rowCount(), table.model.columnCount()) == cells
        assert not window.node_pane.show_tab("Image")
        assert not window.node_pane.show_tab("Plot")


def test_rgb_is_shown_unchanged(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.random.default_rng(1).integers(0, 255, (6, 7, 3), dtype=np.uint8)
    pane, _array = show(open_window, qtbot, values)
    assert np.array_equal(picture(pane), values)
    assert not pane.contrast.isVisible()
    pane.canvas.image.render()
    colour = pane.canvas.image.qimage.pixelColor(2, 1)
    assert (colour.red(), colour.green(), colour.blue()) == tuple(values[1, 2])


def test_rgb_of_few_bits_is_not_black(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.zeros((6, 7, 4), np.uint16)
    values[2, 3] = (4095, 0, 2048, 65535)
    pane, _array = show(open_window, qtbot, values)
    pane.canvas.image.render()
    colour = pane.canvas.image.qimage.pixelColor(3, 2)
    assert (colour.red(), colour.green(), colour.blue()) == pytest.approx((255, 0, 128), abs=1)


def test_an_array_without_elements_shows_a_message(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(FakeGroup({"array": FakeArray(np.zeros((0, 10)))}), "/array"), qtbot)
    qtbot.waitUntil(lambda: "no elements" in pane.stack.sentence.text)


def test_a_sibling_with_the_same_axes_is_shown_at_the_same_time(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    names = ("time", "y", "x")
    children = {
        "one": FakeArray(VOLUME, names),
        "two": FakeArray(VOLUME * 2, names),
        "short": FakeArray(VOLUME[:5], names),
    }
    window = open_window(FakeGroup(children), "/one")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.sliders[0].setValue(6)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/two")
    assert np.array_equal(picture(pane), VOLUME[6] * 2)
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.sliders[0].setValue(2)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/one")
    assert np.array_equal(picture(pane), VOLUME[2]), "although it was shown at another time before"
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/short")
    assert np.array_equal(picture(pane), VOLUME[0]), "an axis of another length is another axis"


def test_returning_shows_the_same_plane(open_window: OpenWindow, qtbot: QtBot) -> None:
    root = FakeGroup({"one": FakeArray(VOLUME), "two": FakeArray(VOLUME * 2)})
    window = open_window(root, "/one")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.sliders[0].setValue(1)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/two")
    assert np.array_equal(picture(pane), VOLUME[4] * 2)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/one")
    assert np.array_equal(picture(pane), VOLUME[1])


def test_a_film_shows_each_plane(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    seen: list[int] = []
    pane.plane_shown.connect(lambda: seen.append(pane.model.state.settings.axes.index[0]))
    pane.sliders.ticker.setInterval(5)
    QTest.keyClick(pane.canvas, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(seen) > 9)
    pane.sliders.plays[0].click()
    assert not pane.sliders.is_playing
    assert seen[:9] == [5, 6, 7, 0, 1, 2, 3, 4, 5]


def test_a_pyramid_of_groups_shows_one_variable_at_a_time(open_window: OpenWindow, qtbot: QtBot) -> None:
    levels = {}
    for number, side in enumerate((64, 32)):
        band = FakeArray(np.arange(side * side, dtype=np.float32).reshape(side, side), ("y", "x"))
        mask = FakeArray(np.ones((side, side), np.uint8), ("y", "x"))
        levels[str(number)] = FakeGroup({"band": band, "mask": mask, "x": FakeArray(np.arange(side))})
    layout = [{"asset": "0"}, {"asset": "1", "derived_from": "0", "transform": {"scale": [2.0, 2.0]}}]
    group = FakeGroup(levels, {"multiscales": {"layout": layout}})
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert [level.array.path for level in pane.view.levels] == ["/image/0/band", "/image/1/band"]
    assert [level.factors for level in pane.view.levels] == [(1, 1), (2, 2)]
    assert pane.controls.variable.isVisible()
    assert pane.controls.variable.currentText() == "band"
    pane.controls.variable.setCurrentText("mask")
    pane.controls.variable.textActivated.emit("mask")
    qtbot.waitUntil(lambda: bool(pane.view.levels) and pane.view.levels[0].array.path == "/image/0/mask")
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.controls.variable.currentText() == "mask"


def test_a_pyramid_of_arrays_opens_with_its_levels(open_window: OpenWindow, qtbot: QtBot) -> None:
    _, arrays = pyramid(256, 3)
    layout = [
        {"asset": "full"},
        *({"asset": f"overviews/{n}", "transform": {"scale": [2**n] * 2}} for n in (1, 2)),
    ]
    overviews = FakeGroup({"1": arrays[1], "2": arrays[2]})
    group = FakeGroup({"full": arrays[0], "overviews": overviews}, {"multiscales": {"layout": layout}})
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert [level.array.path for level in pane.view.levels][1:] == [
        "/image/overviews/1",
        "/image/overviews/2",
    ]
    assert not pane.controls.variable.isVisible()


@pytest.mark.parametrize("transform", [{"scale": "two"}, {"scale": [float("nan"), 2]}, 7, {"scale": [0, 0]}])
def test_transforms_that_are_no_numbers_leave_the_factors_to_the_shapes(
    open_window: OpenWindow, qtbot: QtBot, transform: Any
) -> None:
    _, arrays = pyramid(256, 2)
    layout = [{"asset": "0"}, {"asset": "1", "derived_from": "0", "transform": transform}]
    children = {str(number): array for number, array in enumerate(arrays)}
    group = FakeGroup(children, {"multiscales": {"layout": layout}})
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.view.levels[1].factors == (2, 2)
