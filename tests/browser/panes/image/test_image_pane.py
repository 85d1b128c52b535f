"""The picture on the screen is the plane of the array, after any sequence of events."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Gate
from tests.browser.panes.image.pictures import VOLUME, pane_of, picture, show, show_next
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.window import picture_loader


def test_the_picture_is_the_plane(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    assert np.array_equal(picture(pane), VOLUME[4])
    assert pane.body.stack.shows_data
    levels = pane.view.picture_style().levels
    assert levels == pytest.approx(np.percentile(VOLUME[4], [1, 99]), rel=1e-5)


def test_a_slider_changes_the_plane_and_keeps_the_view(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.canvas.view.sigRangeChangedManually.emit([True, True])  # or a resize would fit the plane again
    qtbot.wait(50)
    pane.canvas.view.setRange(xRange=(10, 20), padding=0)
    seen = pane.canvas.view.viewRect()
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.sliders[0].setValue(6)
    assert np.array_equal(picture(pane), VOLUME[6])
    assert pane.body.sliders.spins[0].value() == 6
    assert pane.canvas.view.viewRect() == seen
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.spins[0].setValue(2)
    assert np.array_equal(picture(pane), VOLUME[2])
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    assert np.array_equal(picture(pane), VOLUME[3])


def test_steps_before_the_first_picture_are_counted(
    open_new_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    monkeypatch.setattr(picture_loader, "load_pictures", gate.wait)
    window = open_new_window(FakeGroup({"array": FakeArray(VOLUME)}), "/array")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.activateWindow()
    QTest.keySequence(window, "Ctrl+Right, Ctrl+Right, Ctrl+Right, Ctrl+Left")
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    gate.open()
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert np.array_equal(picture(pane), VOLUME[4 + 2])


def test_the_drawing_modules_are_loaded_even_if_the_user_stops_reading(
    open_new_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    monkeypatch.setattr(picture_loader, "load_pictures", gate.wait)
    window = open_new_window(FakeGroup({"array": FakeArray(VOLUME)}), "/array")
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    window.workers.stop()
    gate.open()
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.isVisible() and pane.view.is_complete)


def test_an_axis_may_be_longer_than_qt_can_count(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.broadcast_to(np.float32(1), (2**33, 3, 4))
    array = FakeArray(values, chunks=(1, 3, 4))
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.spins[0].setValue(2**33 - 1)
    assert array.selections[-1][0] == 2**33 - 1
    assert pane.body.sliders.sliders[0].value() == pane.body.sliders.sliders[0].maximum()
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(-1)
    assert array.selections[-1][0] == 2**33 - 2


def test_the_largest_numbers_are_drawn(open_window: OpenWindow, qtbot: QtBot) -> None:
    largest = np.finfo(np.float64).max
    pane, _array = show(open_window, qtbot, np.array([[-largest, largest], [0, 1]]))
    assert pane.body.stack.shows_data
    assert np.isfinite(pane.body.contrast.histogram.item.vb.viewRange()).all()
    assert pane.canvas.grab().toImage().width() > 0


def test_swapping_axes_keeps_the_positions_of_the_sliders(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.body.sliders.spins[0].setValue(6)
    pane.body.controls.axes.swap.click()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert np.array_equal(picture(pane), VOLUME[6].T)
    assert pane.body.sliders.spins[0].value() == 6


def test_a_late_answer_is_dropped(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, array = show(open_window, qtbot, VOLUME)
    gate = Gate()
    array.before_read = lambda selection: gate.wait() if selection[0] == 1 else None
    pane.body.sliders.sliders[0].setValue(1)
    assert gate.waiting.acquire(timeout=30)
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.sliders[0].setValue(7)
    gate.open()
    qtbot.waitUntil(lambda: not pane.view.loader.busy)
    assert np.array_equal(picture(pane), VOLUME[7])


def test_every_drawable_type_is_drawn(open_window: OpenWindow, qtbot: QtBot) -> None:
    types = ["?", "u1", "i8", "u8", "f2", "f8", "c8", "c16", "M8[D]", "m8[ns]", "i2"]
    arrays = {dtype: FakeArray((np.arange(12) % 5).reshape(3, 4).astype(dtype)) for dtype in types}
    window = open_window(FakeGroup({"first": FakeArray(np.zeros((2, 2))), **arrays}), "/first")
    pane = pane_of(window, qtbot)
    for dtype, array in arrays.items():
        show_next(window, qtbot, f"/{dtype}", array)
        pane.canvas.pointed.emit((1, 2))
        assert picture(pane).shape == (3, 4)
        assert pane.canvas.grab().toImage().width() > 0


def test_arrays_that_cannot_be_drawn_are_shown_as_a_table(open_window: OpenWindow, qtbot: QtBot) -> None:
    types = ["U3", "S3", "V3", np.dtypes.StringDType()]
    arrays = {
        f"{rows} {number}": FakeArray(np.zeros(shape, dtype))
        for number, dtype in enumerate(types)
        for rows, shape in (("list", (3,)), ("grid", (3, 4)))
    }
    window = open_window(FakeGroup({"first": FakeArray(VOLUME), **arrays}), "/first")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    for name, array in arrays.items():
        window.navigator.go_within(f"/{name}")
        qtbot.waitUntil(lambda array=array: window.session.node is array)
        assert window.node_pane.current_tab() == "Table"
        table = window.node_pane.pane("Table")
        assert isinstance(table, TablePane)
        cells = (3, 4) if array.ndim == 2 else (3, 1)
        qtbot.waitUntil(
            lambda cells=cells, table=table: (table.model.rowCount(), table.model.columnCount()) == cells
        )
        assert not window.node_pane.show_tab("Image")
        assert not window.node_pane.show_tab("Plot")


def test_rgb_is_shown_unchanged(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.random.default_rng(1).integers(0, 255, (6, 7, 3), dtype=np.uint8)
    pane, _array = show(open_window, qtbot, values)
    assert np.array_equal(picture(pane), values)
    assert not pane.body.contrast.isVisible()
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


def test_a_film_shows_each_plane(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    seen: list[int] = []
    pane.plane_shown.connect(lambda: seen.append(pane.model.state.settings.axes.index[0]))
    pane.body.sliders.ticker.setInterval(5)
    QTest.keyClick(pane.canvas, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(seen) > 9)
    pane.body.sliders.plays[0].click()
    assert not pane.body.sliders.is_playing
    assert seen[:9] == [5, 6, 7, 0, 1, 2, 3, 4, 5]
