"""One view of a plane: it is drawn while its tiles arrive."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky, Gate
from tests.browser.panes.image.pictures import VOLUME, drawn, pane_of, picture, pyramid
from zarrcore.errors import CodecError


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


def test_the_coarse_picture_stays_until_the_fine_one_is_loaded(open_window: OpenWindow, qtbot: QtBot) -> None:
    group, arrays = pyramid()
    gate = Gate()
    arrays[0].before_read = gate.wait
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
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


def test_an_unreadable_tile_does_not_affect_the_others(open_window: OpenWindow, qtbot: QtBot) -> None:
    values, flaky = np.arange(600 * 600, dtype=np.float32).reshape(600, 600), Flaky()
    array = FakeArray(values, chunks=(300, 300))
    array.before_read = lambda selection: flaky() if selection[0].start == selection[1].start == 0 else None
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: "does not answer" in pane.body.stack.notice.text)
    assert pane.body.stack.shows_data
    there = pane.view.mosaics[0].is_there
    assert there is not None
    assert there.mean() == pytest.approx(3 / 4)
    assert (drawn(pane)[~there] == 0).all()
    flaky.mended = True
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.stack.notice.button.click()
    assert pane.view.mosaics[0].is_there is None
    assert not pane.body.stack.notice.isVisible()


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

    qtbot.waitUntil(lambda: pane.view.is_complete)

    def told(plane: int) -> tuple[str, str]:
        pane.body.sliders.spins[0].setValue(plane)
        qtbot.waitUntil(lambda: pane.view.is_complete and pane.view.frame.planes[0].index[0] == plane)
        sentence = "" if pane.body.stack.shows_data else pane.body.stack.sentence.text
        return sentence, pane.body.stack.notice.text if pane.body.stack.notice.isVisible() else ""

    assert [told(plane) for plane in (3, 2, 1, 4, 2, 5)] == [
        ("", ""),
        ("Plane 2 is short.", ""),
        ("", ""),
        ("", "Plane 4 is short."),
        ("Plane 2 is short.", ""),
        ("", ""),
    ]


def test_loaded_tiles_are_not_read_again(open_window: OpenWindow, qtbot: QtBot) -> None:
    one, two = FakeArray(VOLUME, chunks=(1, 30, 40)), FakeArray(VOLUME * 2)
    window = open_window(FakeGroup({"one": one, "two": two}), "/one")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/two")
    read = len(one.selections)
    with qtbot.waitSignal(pane.plane_shown):
        window.open_text("fake.zarr#/one")
    assert np.array_equal(picture(pane), VOLUME[4])
    assert len(one.selections) == read
