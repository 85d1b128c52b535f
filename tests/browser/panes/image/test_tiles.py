"""Large pictures: tiles and levels are loaded on demand, and nothing waits for tiles that hang."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Gate
from tests.browser.panes.image.pictures import VOLUME, pane_of, picture, pyramid, show
from zarrbrowser.image.tiles import frames


def test_large_reads_need_consent(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "ASK_ABOVE_BYTES", 1000)
    array = FakeArray(VOLUME)
    window = open_window(FakeGroup({"array": array}), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.body.stack.notice.isVisible())
    assert "crosses 1 chunk" in pane.body.stack.notice.text
    assert "37.5 KiB" in pane.body.stack.notice.text
    assert array.selections == []
    qtbot.waitUntil(lambda: window.view.status.message.text == "/array, axis 0 = 4: nothing was read")
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.stack.notice.button.click()
    assert not pane.body.stack.notice.isVisible()
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
    qtbot.waitUntil(lambda: len(ticks) >= 60)
    assert not pane.view.mosaics
    qtbot.waitUntil(lambda: "Reading /array" in window.view.status.message.text)
    assert window.view.status.cancel.isVisible()
    window.view.status.cancel.click()
    assert "cancelled" in pane.body.stack.sentence.text
    gate.open()
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.stack.sentence.button.click()
    ticker.stop()


def test_a_multiscale_group_is_one_image_and_zoom_selects_the_level(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    group, arrays = pyramid()
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
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


def test_scrubbing_shows_planes_even_if_the_store_is_slow(open_window: OpenWindow, qtbot: QtBot) -> None:
    array, gate = FakeArray(VOLUME), Gate()
    window = open_window(FakeGroup({"array": array}), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    array.before_read = lambda selection: gate.wait() if selection[0] > 1 else None
    array.selections.clear()
    shown: list[int] = []
    pane.view.drawn.connect(lambda: shown.append(pane.view.frame.planes[0].index[0]))
    for position in (1, 2, 3, 5):
        pane.body.sliders.sliders[0].setValue(position)
    qtbot.waitUntil(lambda: shown == [1])  # the first is not dropped for the later ones
    with qtbot.waitSignal(pane.plane_shown):
        gate.open()
    assert shown == [1, 5]
    assert np.array_equal(picture(pane), VOLUME[5])


def test_the_window_does_not_freeze_while_tiles_load_slowly(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.random.default_rng(1).standard_normal((3, 2048, 2048), np.float32)
    array = FakeArray(values, chunks=(1, 256, 256))
    beats: list[int] = []
    heart = QTimer(interval=2)
    heart.timeout.connect(lambda: beats.append(1))
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    heart.start()
    for position in (0, 2):
        gate = Gate()
        array.before_read = gate.wait
        pane.body.sliders.spins[0].setValue(position)
        qtbot.waitUntil(lambda gate=gate: gate.waiting.acquire(blocking=False))
        beats.clear()
        qtbot.waitUntil(lambda: len(beats) > 100)
        with qtbot.waitSignal(pane.plane_shown):
            gate.open()
    heart.stop()


def test_a_film_reads_ahead(open_window: OpenWindow, qtbot: QtBot) -> None:
    array = FakeArray(VOLUME, chunks=(1, 30, 40))
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    array.selections.clear()
    pane.body.sliders.ticker.setInterval(100_000)
    pane.body.sliders.plays[0].click()
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
