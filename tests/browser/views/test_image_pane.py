"""The picture on the screen is the plane of the array, whatever happens on the way."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky, Gate
from zarrbrowser.session import frames
from zarrbrowser.session.contrast import ContrastMode
from zarrbrowser.session.render import Style, rgba
from zarrbrowser.theme import LIGHT
from zarrbrowser.views.image_pane import ImagePane
from zarrbrowser.window import MainWindow
from zarrbrowser.workers import tile_loader

VOLUME = np.random.default_rng(3).normal(size=(8, 30, 40)).astype(np.float32)


def pane_of(window: MainWindow, qtbot: QtBot) -> ImagePane:
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image", timeout=5000)
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    return pane


def picture(pane: ImagePane) -> Any:
    """The elements that are on the screen."""
    assert pane.view.is_complete
    return pane.view.mosaics[0].values


def drawn(pane: ImagePane) -> Any:
    """The colours that are on the screen."""
    assert pane.canvas.image.image.dtype == np.uint8
    return pane.canvas.image.image


def show(
    open_window: OpenWindow, qtbot: QtBot, values: Any, names: Any = None
) -> tuple[ImagePane, FakeArray]:
    array = FakeArray(values, names)
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    return pane, array


def test_the_picture_is_the_plane(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    assert np.array_equal(picture(pane), VOLUME[4])
    assert pane.stack.shows_data
    levels = pane.view.picture_style().levels
    assert levels == pytest.approx(np.percentile(VOLUME[4], [1, 99]), rel=1e-5)


def test_a_slider_changes_the_plane_and_keeps_the_view(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.canvas.view.sigRangeChangedManually.emit([True, True])  # or a resize would fit the plane anew
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


def test_a_plane_that_fits_still_fits_a_larger_window(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    window = pane.window()
    window.resize(900, 600)
    qtbot.wait(20)
    before = pane.canvas.view.viewPixelSize()[0]
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: pane.canvas.view.viewPixelSize()[0] < before * 0.8)
    assert pane.canvas.view.viewRect().contains(QRectF(0, 0, 39, 29))


@pytest.mark.parametrize(("shape", "square"), [((60, 30), True), ((60, 3), False), ((3, 600), False)])
def test_a_slender_plane_fits_too(
    shape: tuple[int, int], square: bool, open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane, _array = show(open_window, qtbot, np.zeros(shape))
    assert pane.controls.square.isChecked() == square
    everything = QRectF(0, 0, shape[1] - 1, shape[0] - 1)
    assert pane.canvas.view.viewRect().contains(everything)
    pane.controls.square.toggle()
    assert pane.canvas.view.viewRect().contains(everything)


def test_an_axis_may_be_longer_than_qt_counts(open_window: OpenWindow, qtbot: QtBot) -> None:
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


def test_axes_are_chosen_and_swapped(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    with qtbot.waitSignal(pane.plane_shown):
        pane.controls.axes.swap.click()
    assert np.array_equal(picture(pane), VOLUME[4].T)
    box = pane.controls.axes.rows
    with qtbot.waitSignal(pane.plane_shown):
        box.setCurrentIndex(box.findText("z"))
        box.activated.emit(box.currentIndex())
    assert np.array_equal(picture(pane), VOLUME[:, :, 20])
    assert list(pane.sliders.sliders) == [2]


def test_a_late_answer_is_dropped(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, array = show(open_window, qtbot, VOLUME)
    gate = Gate()
    array.before_read = lambda selection: gate.wait() if selection[0] == 1 else None
    pane.sliders.sliders[0].setValue(1)
    assert gate.waiting.acquire(timeout=5)
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.sliders[0].setValue(7)
    gate.open()
    qtbot.waitUntil(lambda: not pane.view.loader.busy)
    assert np.array_equal(picture(pane), VOLUME[7])


def test_an_error_is_a_sentence_and_retry_works(open_window: OpenWindow, qtbot: QtBot) -> None:
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
    assert pane.missing.text == "100 elements without a value (NaN) of 400"
    assert pane.missing.isVisible()
    assert QColor(*drawn(pane)[2, 3]).name() == LIGHT.missing
    assert len(set(drawn(pane)[7, 3, :3])) == 1  # gray


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "u8", "f2", "f8", "c8", "c16", "M8[D]", "m8[ns]", "i2"])
def test_every_type_that_can_be_drawn_is(dtype: str, open_window: OpenWindow, qtbot: QtBot) -> None:
    values = (np.arange(12) % 5).reshape(3, 4).astype(dtype)
    pane, _array = show(open_window, qtbot, values)
    pane.canvas.pointed.emit((1, 2))
    assert picture(pane).shape == (3, 4)
    assert pane.canvas.grab().toImage().width() > 0


@pytest.mark.parametrize("dtype", ["U3", "S3", "V3", np.dtypes.StringDType()])
def test_what_cannot_be_drawn_is_a_sentence(dtype: Any, open_window: OpenWindow, qtbot: QtBot) -> None:
    array = FakeArray(np.zeros((3, 4), dtype))
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.stack.sentence.text.startswith("The elements are"))
    assert array.selections == []


def test_structures_offer_their_fields(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.zeros((3, 4), [("height", "f4"), ("name", "S2"), ("count", "i2")])
    values["count"] = 5
    pane, _array = show(open_window, qtbot, values)
    box = pane.controls.field
    assert [box.itemText(row) for row in range(box.count())] == ["height", "count"]
    box.textActivated.emit("count")
    assert np.array_equal(drawn(pane), rgba(values["count"], Style(levels=(4.5, 5.5))))


def test_colours_are_shown_as_they_are(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.random.default_rng(1).integers(0, 255, (6, 7, 3), dtype=np.uint8)
    pane, _array = show(open_window, qtbot, values)
    assert np.array_equal(picture(pane), values)
    assert not pane.contrast.isVisible()
    pane.canvas.image.render()
    colour = pane.canvas.image.qimage.pixelColor(2, 1)
    assert (colour.red(), colour.green(), colour.blue()) == tuple(values[1, 2])


def test_colours_of_few_bits_are_not_black(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.zeros((6, 7, 4), np.uint16)
    values[2, 3] = (4095, 0, 2048, 65535)
    pane, _array = show(open_window, qtbot, values)
    pane.canvas.image.render()
    colour = pane.canvas.image.qimage.pixelColor(3, 2)
    assert (colour.red(), colour.green(), colour.blue()) == pytest.approx((255, 0, 128), abs=1)


def test_bounds_of_dates_are_dates(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.datetime64("2020-01-01", "h") + np.arange(24 * 400).reshape(100, 96)
    pane, _array = show(open_window, qtbot, values)
    contrast = pane.contrast
    assert contrast.low.text().startswith("2020-01-0")
    contrast.low.clear()
    QTest.keyClicks(contrast.low, "2020-03-01\r")
    expected = np.datetime64("2020-03-01", "h").astype(np.int64)
    assert pane.view.picture_style().levels[0] == expected
    contrast.low.clear()
    QTest.keyClicks(contrast.low, "nonsense\r")
    assert pane.view.picture_style().levels[0] == expected
    assert contrast.low.text() == "2020-03-01T00"


def test_much_is_read_only_when_asked_for(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "ASK_ABOVE_BYTES", 1000)
    array = FakeArray(VOLUME)
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.stack.notice.isVisible())
    assert "crosses 1 chunk" in pane.stack.notice.text
    assert "37.5 KiB" in pane.stack.notice.text
    assert array.selections == []
    with qtbot.waitSignal(pane.plane_shown):
        pane.stack.notice.button.click()
    assert not pane.stack.notice.isVisible()
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)  # as much again needs no second question


def test_a_large_plane_is_drawn_at_the_screens_resolution(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.arange(3000 * 5000, dtype=np.float32).reshape(3000, 5000)
    pane, _array = show(open_window, qtbot, values)
    assert picture(pane).size < values.size / 4
    down, right = pane.view.frame.raster.steps
    assert np.array_equal(picture(pane), values[::down, ::right])
    pane.canvas.view.sigRangeChangedManually.emit([True, True])  # or a resize would fit the plane anew
    pane.canvas.view.setRange(xRange=(2000, 2100), yRange=(1000, 1100), padding=0)
    with qtbot.waitSignal(pane.plane_shown):
        pass
    assert pane.view.frame.raster.steps == (1, 1)
    rows, columns = pane.view.frame.window
    mosaic = pane.view.mosaics[0]
    seen = mosaic.is_there if mosaic.is_there is not None else np.ones(mosaic.values.shape, bool)
    assert np.array_equal(picture(pane)[seen], values[rows, columns][seen])
    assert rows.start <= 1000
    assert rows.stop >= 1100


def test_contrast_by_mode_by_typing_and_kept(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    contrast = pane.contrast
    contrast.mode.setCurrentIndex(contrast.mode.findText("Full range"))
    contrast.mode.activated.emit(contrast.mode.currentIndex())
    assert pane.view.picture_style().levels == pytest.approx((VOLUME[4].min(), VOLUME[4].max()))
    contrast.low.clear()
    QTest.keyClicks(contrast.low, "-0.5\r")
    assert pane.view.picture_style().levels[0] == -0.5
    assert contrast.mode.currentData() is ContrastMode.FIXED
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    assert pane.view.picture_style().levels[0] == -0.5
    contrast.histogram.dragged.emit(0.0, 1.0)
    assert list(pane.view.picture_style().levels) == [0.0, 1.0]


def test_the_value_under_the_pointer_has_coordinates(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, np.arange(12, dtype=np.int32).reshape(3, 4) * 1000, ("y", "x"))
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((2, 1))
    assert heard.args == ["y = 2, x = 1:  9,000 mm"]
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit(None)
    assert heard.args == [""]


def test_an_array_without_elements_is_a_sentence(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(FakeGroup({"array": FakeArray(np.zeros((0, 10)))}), "/array"), qtbot)
    qtbot.waitUntil(lambda: "no elements" in pane.stack.sentence.text)


def test_the_window_moves_while_a_store_is_slow(open_window: OpenWindow, qtbot: QtBot) -> None:
    array, gate = FakeArray(VOLUME), Gate()
    array.before_read = gate.wait
    window = open_window(FakeGroup({"array": array}), "/array")
    pane, ticks = pane_of(window, qtbot), []
    ticker = QTimer(interval=5)
    ticker.timeout.connect(lambda: ticks.append(1))
    ticker.start()
    qtbot.waitUntil(lambda: len(ticks) >= 60, timeout=10_000)
    assert not pane.view.mosaics
    qtbot.waitUntil(lambda: "Reading /array" in window.status.message.text)
    assert window.status.cancel.isVisible()
    window.status.cancel.click()
    assert "cancelled" in pane.stack.sentence.text
    gate.open()
    with qtbot.waitSignal(pane.plane_shown):
        pane.stack.sentence.button.click()
    ticker.stop()


def test_coming_back_shows_the_same_plane(open_window: OpenWindow, qtbot: QtBot) -> None:
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


def test_tiles_report_progress(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.broadcast_to(np.float32(0), (3, 1024, 768))
    array = FakeArray(values, chunks=(1, 256, 256))
    window = open_window(FakeGroup({"array": array}), "/array")
    pane, fractions = pane_of(window, qtbot), []
    qtbot.waitUntil(lambda: pane.view.is_complete)
    window.workers.progressed.connect(lambda _request, fraction: fractions.append(fraction))
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    assert set(fractions) == {0.25, 0.5, 0.75}  # four tiles


def pyramid(side: int = 2048, levels: int = 4) -> tuple[FakeGroup, list[FakeArray]]:
    finest = np.add.outer(np.arange(side), np.arange(side)).astype(np.float32)
    arrays = [FakeArray(finest[:: 1 << n, :: 1 << n], ("y", "x"), chunks=(256, 256)) for n in range(levels)]
    datasets = [{"path": str(number)} for number in range(levels)]
    children = {str(number): array for number, array in enumerate(arrays)}
    return FakeGroup(children, {"multiscales": [{"axes": ["y", "x"], "datasets": datasets}]}), arrays


def test_a_group_of_levels_is_one_image_and_zooming_picks_the_level(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    group, arrays = pyramid()
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    level = pane.view.frame.raster.level.array
    assert level in arrays[1:]
    assert not arrays[0].selections  # the finest is not needed
    assert np.array_equal(picture(pane), level.values)
    top, left, bottom, right = pane.view.mosaics[0].rect
    assert (top, left, bottom, right) == pytest.approx((-0.5, -0.5, 2047.5, 2047.5))
    with qtbot.waitSignal(pane.plane_shown):
        pane.canvas.show_range((900, 1100), (300, 500))
    assert pane.view.frame.raster.level.array is arrays[0]
    read = sum(
        (part[0].stop - part[0].start) * (part[1].stop - part[1].start) for part in arrays[0].selections
    )
    assert 200 * 200 <= read <= 3 * 3 * 256 * 256  # what is in view, in whole chunks


def test_the_coarse_picture_stays_until_the_fine_one_comes(open_window: OpenWindow, qtbot: QtBot) -> None:
    group, arrays = pyramid()
    gate = Gate()
    arrays[0].before_read = gate.wait
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    pane.canvas.show_range((1000, 1128), (1000, 1128))
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    qtbot.waitUntil(lambda: pane.view.frame.raster.level.array is arrays[0])
    seen = pane.view.mosaics[0]
    assert seen.is_there is None  # all of it, though coarse
    rows, columns = seen.window
    assert np.abs(seen.values - arrays[0].values[rows, columns]).max() <= 16
    with qtbot.waitSignal(pane.plane_shown):
        gate.open()
    inside = (slice(1000 - rows.start, 1128 - rows.start), slice(1000 - columns.start, 1128 - columns.start))
    assert np.array_equal(picture(pane)[inside], arrays[0].values[1000:1128, 1000:1128])


def test_stale_tiles_are_cancelled(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.broadcast_to(np.float32(1), (100_000, 100_000))
    array, gate = FakeArray(values, chunks=(256, 256)), Gate()
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    assert "The middle is shown" in pane.stack.notice.text
    array.before_read = gate.wait
    pane.canvas.show_range((0, 500), (0, 500))
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    read = len(array.selections)
    pane.canvas.show_range((90_000, 90_500), (90_000, 90_500))
    qtbot.waitUntil(lambda: all(tile.row > 300 for tile in pane.view.loader._running))
    with qtbot.waitSignal(pane.plane_shown):
        gate.open()
    tiles_in_view = 9
    assert len(array.selections) <= read + tiles_in_view + pane.view.loader._total


def test_a_tile_that_cannot_be_read_leaves_the_others(open_window: OpenWindow, qtbot: QtBot) -> None:
    values, flaky = np.arange(600 * 600, dtype=np.float32).reshape(600, 600), Flaky()
    array = FakeArray(values, chunks=(300, 300))
    array.before_read = lambda selection: flaky() if selection[0].start == selection[1].start == 0 else None
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: "does not answer" in pane.stack.notice.text, timeout=5000)
    assert pane.stack.shows_data
    there = pane.view.mosaics[0].is_there
    assert there is not None
    assert there.mean() == pytest.approx(3 / 4)
    assert (drawn(pane)[~there] == 0).all()
    flaky.mended = True
    with qtbot.waitSignal(pane.plane_shown):
        pane.stack.notice.button.click()
    assert pane.view.mosaics[0].is_there is None
    assert not pane.stack.notice.isVisible()


def test_scrubbing_shows_planes_though_the_store_is_slow(open_window: OpenWindow, qtbot: QtBot) -> None:
    array, gate = FakeArray(VOLUME), Gate()
    window = open_window(FakeGroup({"array": array}), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    array.before_read = lambda selection: gate.wait() if selection[0] > 1 else None
    array.selections.clear()
    shown: list[int] = []
    pane.view.drawn.connect(lambda: shown.append(pane.view.frame.planes[0].index[0]))
    for position in (1, 2, 3, 5):
        pane.sliders.sliders[0].setValue(position)
    qtbot.waitUntil(lambda: shown == [1])  # the first is not given up for the later ones
    with qtbot.waitSignal(pane.plane_shown):
        gate.open()
    assert shown == [1, 5]
    assert np.array_equal(picture(pane), VOLUME[5])


def climate() -> FakeGroup:
    lat = FakeArray(np.linspace(60, -60, 30))
    lat.attributes = {"units": "degrees_north"}
    time = FakeArray(np.arange(8))
    time.attributes = {"units": "days since 2000-01-01"}
    array = FakeArray(VOLUME, ("time", "lat", "lon"))
    array.attributes = {"units": "kelvin"}
    return FakeGroup({"array": array, "lat": lat, "time": time})


def test_axes_sliders_and_the_pointer_tell_coordinates(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(climate(), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.locating.is_known, timeout=5000)
    assert pane.canvas.plot.getAxis("left").labelText == "lat (°N)"
    assert pane.canvas.plot.getAxis("bottom").labelText == "lon"
    assert pane.sliders._totals[0].text() == "2000-01-01"  # time begins at its beginning
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.spins[0].setValue(3)
    assert pane.sliders._totals[0].text() == "2000-01-04"
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((0.2, 5.0))
    assert heard.args[0].startswith("lat = 0 (60 °N), lon = 5:  ")
    assert heard.args[0].endswith(" K")
    ticks = pane.canvas.plot.getAxis("left").tickValues(-0.5, 29.5, 400)
    assert "0" in pane.canvas.plot.getAxis("left").tickStrings(ticks[0][1], 1, 1)
    pane.controls.coordinates.click()
    assert pane.canvas.plot.getAxis("left").labelText == "lat"
    assert pane.sliders._totals[0].text() == "of 0–7"


def test_a_film_shows_each_plane(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    seen: list[int] = []
    pane.plane_shown.connect(lambda: seen.append(pane._look.axes.index[0]))
    pane.sliders._tick.setInterval(5)
    QTest.keyClick(pane.canvas, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(seen) > 9, timeout=10_000)
    pane.sliders.plays[0].click()
    assert not pane.sliders.is_playing
    assert seen[:9] == [5, 6, 7, 0, 1, 2, 3, 4, 5]


def test_lengths_have_a_scale_bar(open_window: OpenWindow, qtbot: QtBot) -> None:
    group, _arrays = pyramid(512, 2)
    entry = group.attributes["multiscales"][0]
    entry["axes"] = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
    for number, dataset in enumerate(entry["datasets"]):
        dataset["coordinateTransformations"] = [{"type": "scale", "scale": [0.5 * 2**number] * 2}]
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.canvas.scale_bar.isVisible(), timeout=5000)
    assert pane.canvas.scale_bar.text.endswith(" µm")
    pane.canvas.show_range((0, 10), (0, 10))
    qtbot.waitUntil(lambda: pane.canvas.scale_bar.text in ("500 nm", "1 µm", "2 µm"))
    pane.controls.coordinates.click()
    assert not pane.canvas.scale_bar.isVisible()


def test_orthogonal_planes_go_through_one_point(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    pane.controls.layouts["orthogonal"].click()
    qtbot.waitUntil(lambda: all(view.is_complete for view in pane.grid.views))
    side, below = pane.grid.others
    assert np.array_equal(side.mosaics[0].values, VOLUME[:, :, 20].T)
    assert np.array_equal(below.mosaics[0].values, VOLUME[:, 15, :])
    main = pane.view.frame
    pane.canvas.picked.emit((7.2, 30.9))
    qtbot.waitUntil(lambda: all(view.is_complete for view in pane.grid.views))
    assert np.array_equal(side.mosaics[0].values, VOLUME[:, :, 31].T)
    assert np.array_equal(below.mosaics[0].values, VOLUME[:, 7, :])
    assert pane.view.frame is main  # it shows the same plane
    below.canvas.picked.emit((2.0, 5.0))
    qtbot.waitUntil(lambda: all(view.is_complete for view in pane.grid.views))
    assert np.array_equal(picture(pane), VOLUME[2])
    assert np.array_equal(side.mosaics[0].values, VOLUME[:, :, 5].T)
    assert pane.sliders.spins[0].value() == 2
    assert [line.value() for line in pane.canvas._cross] == [7, 5]
    with qtbot.waitSignal(pane.pointed) as heard:
        below.canvas.pointed.emit((1.0, 0.0))
    assert heard.args[0].startswith("z = 1, x = 0:")
    pane.controls.layouts["single"].click()
    assert pane.grid.others == []
    assert not pane.canvas._cross[0].isVisible()


def test_a_pinned_plane_stands_beside_others(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.controls.layouts["pair"].click()
    (pinned,) = pane.grid.others
    qtbot.waitUntil(lambda: pinned.is_complete)
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.spins[0].setValue(1)
    assert np.array_equal(picture(pane), VOLUME[1])
    assert np.array_equal(pinned.mosaics[0].values, VOLUME[4])
    assert pinned.picture_style() == pane.view.picture_style()  # colours mean the same
    pane.canvas.show_range((5, 12), (5, 20))
    qtbot.waitUntil(  # one may be a pixel wider than the other
        lambda: np.allclose(pinned.canvas.view.viewRange(), pane.canvas.view.viewRange(), atol=0.5)
    )


def test_elements_have_the_proportion_of_their_scale(open_window: OpenWindow, qtbot: QtBot) -> None:
    group, _arrays = pyramid(256, 1)
    entry = group.attributes["multiscales"][0]
    entry["axes"] = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
    entry["datasets"][0]["coordinateTransformations"] = [{"type": "scale", "scale": [2.0, 1.0]}]
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    width, height = pane.canvas.view.viewPixelSize()
    assert width / height == pytest.approx(2, rel=1e-3)


def test_nothing_stands_still_while_tiles_come_slowly(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.random.default_rng(1).normal(size=(3, 2048, 2048)).astype(np.float32)
    array = FakeArray(values, chunks=(1, 256, 256))
    array.before_read = lambda _selection: time.sleep(0.3)
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    beats = [time.perf_counter()]
    heart = QTimer(interval=2)
    heart.timeout.connect(lambda: beats.append(time.perf_counter()))
    heart.start()
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=20_000)
    for position in (0, 2):
        with qtbot.waitSignal(pane.plane_shown, timeout=20_000):
            pane.sliders.spins[0].setValue(position)
    heart.stop()
    # Reading alone takes a second: had the window waited for a tile, it would have stood still as long as that takes.
    assert len(beats) > 100
    assert max(np.diff(beats)) < 1.0


def test_the_value_under_the_pointer_is_exact_though_samples_are_drawn(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    values = np.arange(4000 * 4000, dtype=np.int32).reshape(4000, 4000)
    pane, array = show(open_window, qtbot, values)
    assert pane.view.frame.raster.steps != (1, 1)
    heard: list[str] = []
    pane.pointed.connect(heard.append)
    pane.canvas.pointed.emit((1001.2, 2003.4))
    qtbot.waitUntil(lambda: any(text.endswith(f":  {values[1001, 2003]:,} mm") for text in heard))
    assert heard[0].endswith("…")
    before = len(array.selections)
    for column in range(100):
        pane.canvas.pointed.emit((5.0, float(column)))
    qtbot.waitUntil(lambda: any(text.endswith(f":  {values[5, 99]:,} mm") for text in heard))
    assert len(array.selections) <= before + 3  # where the pointer rests, not wherever it passes


def test_keys_pan_and_zoom(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    pane.canvas.show_range((5, 15), (5, 15))
    before = pane.canvas.visible()
    QTest.keyClick(pane.canvas, Qt.Key.Key_Right)
    moved = pane.canvas.visible()
    width = before.columns[1] - before.columns[0]
    assert moved.columns[0] - before.columns[0] == pytest.approx(width / 8)
    QTest.keyClick(pane.canvas, Qt.Key.Key_Up)
    assert pane.canvas.visible().rows[0] < moved.rows[0]
    QTest.keyClick(pane.canvas, Qt.Key.Key_Plus)
    nearer = pane.canvas.visible()
    assert nearer.columns[1] - nearer.columns[0] == pytest.approx(width * 0.8)
    pane.controls.flip_rows.click()
    before = pane.canvas.visible()
    QTest.keyClick(pane.canvas, Qt.Key.Key_Up)
    assert pane.canvas.visible().rows[0] > before.rows[0]  # up is up


def test_a_film_reads_ahead(open_window: OpenWindow, qtbot: QtBot) -> None:
    array = FakeArray(VOLUME, chunks=(1, 30, 40))
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    array.selections.clear()
    pane.sliders._tick.setInterval(100_000)
    pane.sliders.plays[0].click()
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    qtbot.waitUntil(lambda: {selection[0] for selection in array.selections} == {5, 6, 7, 0})
    qtbot.waitUntil(lambda: not pane.view.loader.busy)
    assert np.array_equal(picture(pane), VOLUME[5])
    read = len(array.selections)
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    qtbot.waitUntil(lambda: {selection[0] for selection in array.selections} == {5, 6, 7, 0, 1})
    assert len(array.selections) == read + 1


def test_what_was_seen_is_not_read_again(open_window: OpenWindow, qtbot: QtBot) -> None:
    one, two = FakeArray(VOLUME, chunks=(1, 30, 40)), FakeArray(VOLUME * 2)
    window = open_window(FakeGroup({"one": one, "two": two}), "/one")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/two")
    read = len(one.selections)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/one")
    assert np.array_equal(picture(pane), VOLUME[4])
    assert len(one.selections) == read


def test_a_plane_that_never_comes_does_not_hold_up_the_next(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.broadcast_to(np.float32(0), (3, 2048, 2048))
    array, gate = FakeArray(values, chunks=(1, 256, 256)), Gate()
    monkeypatch.setattr(tile_loader, "IN_FLIGHT", 2)
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    array.before_read = lambda selection: gate.wait() if selection[0] == 0 else None
    pane.sliders.spins[0].setValue(0)
    assert gate.waiting.acquire(timeout=5)
    with qtbot.waitSignal(pane.plane_shown):
        pane.sliders.spins[0].setValue(2)
    assert pane.view.frame.planes[0].index[0] == 2
    gate.open()


def test_the_bar_gives_way_in_a_narrow_window(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    window = pane.window()
    window.resize(1400, 700)
    qtbot.waitUntil(lambda: pane.controls.flip_rows.isVisible() and pane.controls.axes.labels[0].isVisible())
    window.resize(800, 600)
    qtbot.waitUntil(lambda: not pane.controls.axes.labels[0].isVisible())
    assert pane.controls.fit.isVisible()
    assert pane.controls.fit.geometry().right() <= pane.controls.width()


def test_two_axes_have_no_third(open_window: OpenWindow, qtbot: QtBot) -> None:
    root = FakeGroup({"volume": FakeArray(VOLUME), "plane": FakeArray(VOLUME[0])})
    window = open_window(root, "/volume")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    pane.controls.layouts["orthogonal"].click()
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/plane")
    assert pane.grid.others == []
    assert pane.controls.layouts["single"].isChecked()
    assert not pane.controls.layouts["orthogonal"].isEnabled()
