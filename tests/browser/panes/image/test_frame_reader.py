"""The frame reader draws a frame when its tiles are loaded, and never an outdated one."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, Gate
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.tiles.frames import Frame, View, plan
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.panes.image.frame_reader import FrameReader
from zarrbrowser.workers import Workers

VIEW = View((-0.5, 29.5), (-0.5, 39.5), 300, 400)


@pytest.fixture
def array() -> FakeArray:
    return FakeArray(np.arange(3 * 30 * 40.0).reshape(3, 30, 40), ("z", "y", "x"))


def frame_at(array: FakeArray, position: int) -> Frame:
    image = image_of_array(array)
    axes = initial_settings(image).axes.at(0, position)
    return plan(image, [axes.as_plane()], VIEW)


def reader_of(workers: Workers, qtbot: QtBot) -> tuple[FrameReader, list[tuple[Frame, bool]]]:
    reader, due = FrameReader(workers, TileCache(), workers), list[tuple[Frame, bool]]()
    reader.due.connect(lambda frame, is_whole: due.append((frame, is_whole)))
    return reader, due


def test_a_frame_is_due_when_its_tiles_are_loaded(array: FakeArray, workers: Workers, qtbot: QtBot) -> None:
    reader, due = reader_of(workers, qtbot)
    frame = frame_at(array, 1)
    reader.want(frame, "Reading")
    reader.read()
    qtbot.waitUntil(lambda: (frame, True) in due)
    assert reader.is_wanted(frame)
    assert not reader.is_wanted(frame_at(array, 2))


def test_the_previous_plane_is_still_drawn_when_it_is_loaded(
    array: FakeArray, workers: Workers, qtbot: QtBot
) -> None:
    reader, due = reader_of(workers, qtbot)
    gate, (first, second) = Gate(), (frame_at(array, number) for number in (0, 1))
    array.before_read = lambda selection: gate.wait() if selection[0] == 1 else None
    for frame in (first, second):
        reader.want(frame, "Reading")
        reader.read()
    qtbot.waitUntil(lambda: (first, False) in due)
    gate.open()
    qtbot.waitUntil(lambda: (second, True) in due)


def test_nothing_is_due_after_the_reader_was_reset(array: FakeArray, workers: Workers, qtbot: QtBot) -> None:
    reader, due = reader_of(workers, qtbot)
    gate = Gate()
    array.before_read = lambda _selection: gate.wait()
    reader.want(frame_at(array, 0), "Reading")
    reader.read()
    assert gate.waiting.acquire(timeout=30)
    reader.forget()
    gate.open()
    qtbot.wait(50)
    assert due == []
    assert reader.wanted is None


def test_nothing_is_read_while_reading_is_paused(array: FakeArray, workers: Workers, qtbot: QtBot) -> None:
    reader, due = reader_of(workers, qtbot)
    reader.pause(is_on=True)
    reader.want(frame_at(array, 0), "Reading")
    reader.read()
    qtbot.wait(30)
    assert due == []
    reader.pause(is_on=False)
    qtbot.waitUntil(lambda: [is_whole for _, is_whole in due] == [True])


def test_a_long_read_is_announced(array: FakeArray, workers: Workers, qtbot: QtBot) -> None:
    reader, _due = reader_of(workers, qtbot)
    gate = Gate()
    array.before_read = lambda _selection: gate.wait()
    with qtbot.waitSignal(reader.waiting) as heard:
        reader.want(frame_at(array, 0), "Reading /a")
        reader.read()
    assert heard.args == ["Reading /a"]
    gate.open()
