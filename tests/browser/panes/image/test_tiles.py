"""Large pictures: tiles and levels are loaded on demand, and nothing waits for tiles that hang."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky, Gate
from tests.browser.panes.image.pictures import VOLUME, drawn, pane_of, picture, pyramid, show
from zarrbrowser.image.tiles import frames
from zarrbrowser.workers import tile_loader
from zarrcore.errors import CodecError


def test_large_reads_need_consent(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "ASK_ABOVE_BYTES", 1000)
    array = FakeArray(VOLUME)
    window = open_window(FakeGroup({"array": array}), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.stack.notice.isVisible())
    assert "crosses 1 chunk" in pane.stack.notice.text
    assert "37.5 KiB" in pane.stack.notice.text
    assert array.selections == []
    assert window.status.message.text == "/array, axis 0 = 4: nothing was read"
    with qtbot.waitSignal(pane.plane_shown):
        pane.stack.notice.button.click()
    assert not pane.stack.notice.isVisible()
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)  # the same amount again does not need consent


def test_a_large_plane_is_drawn_at_the_screens_resolution(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.arange(3000 * 5000, dtype=np.float32).reshape(3000, 5000)
    pane, _array = show(open_window, qtbot, values)
    assert picture(pane).size < values.size / 4
    down, right = pane.view.frame.raster.steps
    assert np.array_equal(picture(pane), values[::down, ::right])
    pane.canvas.view.sigRangeChangedManually.emit([True, True])  # or a resize would fit the plane again
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


def test_a_multiscale_group_is_one_image_and_zoom_selects_the_level(
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
    assert 200 * 200 <= read <= 3 * 3 * 256 * 256  # the part in view, in whole chunks


def test_the_coarse_picture_stays_until_the_fine_one_is_loaded(open_window: OpenWindow, qtbot: QtBot) -> None:
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
    qtbot.waitUntil(lambda: all(tile.row > 300 for tile in pane.view.loader.running))
    with qtbot.waitSignal(pane.plane_shown):
        gate.open()
    tiles_in_view = 9
    assert len(array.selections) <= read + tiles_in_view + pane.view.loader.total


def test_an_unreadable_tile_does_not_affect_the_others(open_window: OpenWindow, qtbot: QtBot) -> None:
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


def test_the_error_of_a_broken_plane_is_shown_only_for_that_plane(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    def fail_at(selection: Any) -> None:
        plane, rows, _columns = selection
        if plane == 2 or (plane == 4 and rows.start == 0):
            raise CodecError(f"plane {plane} is short")

    array = FakeArray(np.arange(6 * 600 * 300.0).reshape(6, 600, 300), chunks=(1, 300, 300))
    array.before_read = fail_at
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)

    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)

    def told(plane: int) -> tuple[str, str]:
        pane.sliders.spins[0].setValue(plane)
        qtbot.waitUntil(lambda: pane.view.is_complete and pane.view.frame.planes[0].index[0] == plane)  # type: ignore[union-attr]
        sentence = "" if pane.stack.shows_data else pane.stack.sentence.text
        return sentence, pane.stack.notice.text if pane.stack.notice.isVisible() else ""

    assert [told(plane) for plane in (3, 2, 1, 4, 2, 5)] == [
        ("", ""),
        ("Plane 2 is short.", ""),
        ("", ""),
        ("", "Plane 4 is short."),
        ("Plane 2 is short.", ""),
        ("", ""),
    ]


def test_scrubbing_shows_planes_even_if_the_store_is_slow(open_window: OpenWindow, qtbot: QtBot) -> None:
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
    qtbot.waitUntil(lambda: shown == [1])  # the first is not dropped for the later ones
    with qtbot.waitSignal(pane.plane_shown):
        gate.open()
    assert shown == [1, 5]
    assert np.array_equal(picture(pane), VOLUME[5])


def test_the_window_does_not_freeze_while_tiles_load_slowly(open_window: OpenWindow, qtbot: QtBot) -> None:
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
    # Reading takes a second: a window that waits for a tile would freeze that long.
    assert len(beats) > 100
    assert max(np.diff(beats)) < 1.0


def test_the_value_under_the_pointer_is_exact_even_if_samples_are_drawn(
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
    assert len(array.selections) <= before + 3  # only where the pointer rests


def test_a_film_reads_ahead(open_window: OpenWindow, qtbot: QtBot) -> None:
    array = FakeArray(VOLUME, chunks=(1, 30, 40))
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete, timeout=5000)
    array.selections.clear()
    pane.sliders.ticker.setInterval(100_000)
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


def test_loaded_tiles_are_not_read_again(open_window: OpenWindow, qtbot: QtBot) -> None:
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


def test_a_plane_that_never_loads_does_not_block_the_next(
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
