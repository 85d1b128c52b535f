"""Large pictures are painted in a worker: the newest view wins, and what is shown together belongs together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import drawn, picture, show
from zarrbrowser.image.colours.render import Style, rgba
from zarrbrowser.panes.image import picture_painter
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.image.picture_painter import Painted, Task

LARGE = np.arange(4 * 800 * 800.0).reshape(4, 800, 800)
SMALL = LARGE[:, :20, :30]


class Held:
    """Holds painting in workers until it is released, and notes the threads that paint."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.threads: list[int] = []
        self.free = threading.Event()
        self.free.set()
        self.error: Exception | None = None
        original: Callable[[Task], Painted] = Task.painted

        def painted(task: Task) -> Painted:
            self.threads.append(threading.get_ident())
            if self.error is not None:
                raise self.error
            if threading.current_thread() is not threading.main_thread():
                assert self.free.wait(30)
            return original(task)

        monkeypatch.setattr(Task, "painted", painted)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    made = Held(monkeypatch)
    yield made
    made.free.set()


def move(pane: ImagePane, plane: int) -> None:
    pane.model.set(axes=pane.model.state.settings.axes.at(0, plane))


def load_all(pane: ImagePane, qtbot: QtBot) -> None:
    for plane in range(4):
        move(pane, plane)
        qtbot.waitUntil(lambda: pane.view.is_complete)


def test_a_small_picture_is_painted_at_once(open_window: OpenWindow, qtbot: QtBot, held: Held) -> None:
    pane, _array = show(open_window, qtbot, SMALL)
    load_all(pane, qtbot)
    move(pane, 1)
    assert np.array_equal(picture(pane), SMALL[1])
    assert set(held.threads) == {threading.main_thread().ident}


def test_a_large_picture_is_painted_in_a_worker(open_window: OpenWindow, qtbot: QtBot, held: Held) -> None:
    pane, _array = show(open_window, qtbot, LARGE)
    assert threading.main_thread().ident not in held.threads
    style = Style("gray", levels=pane.view.picture_style().levels)
    assert np.array_equal(drawn(pane), rgba(pane.view.mosaics[0].values, style))


def test_the_newest_view_wins_and_the_picture_before_stays_until_then(
    open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane, _array = show(open_window, qtbot, LARGE)
    load_all(pane, qtbot)
    held.free.clear()
    held.threads.clear()
    before = drawn(pane)
    shown: list[int] = []
    pane.view.drawn.connect(lambda: shown.append(pane.view.frame.planes[0].index[0]))
    for plane in (0, 1, 2):
        move(pane, plane)
    assert drawn(pane) is before
    assert pane.view.mosaics[0].values[3, 5] == LARGE[3, 3, 5], "the values are those of the picture"
    assert pane.view.painted_state.settings.axes.index[0] == 3
    assert not pane.view.is_complete
    held.free.set()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert shown == [0, 2], "the one that waited was dropped"
    assert len(held.threads) == 2


def test_statistics_change_together_with_the_picture(
    open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane, _array = show(open_window, qtbot, LARGE)
    load_all(pane, qtbot)
    held.free.clear()
    measured = pane.model.measured
    move(pane, 0)
    assert pane.model.measured is measured
    held.free.set()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.model.measured is pane.view.measured
    assert pane.model.measured.statistics[0].maximum == pane.view.mosaics[0].values.max()


def test_a_new_measurement_takes_the_place_of_a_picture_that_is_being_painted(
    open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane, _array = show(open_window, qtbot, LARGE)
    load_all(pane, qtbot)
    held.free.clear()
    move(pane, 0)
    pane.model.set(and_measure=True)
    held.free.set()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.view.frame.planes[0].index[0] == 0
    assert pane.view.measured.statistics[0].minimum == 0


def test_another_image_drops_the_picture_that_is_being_painted(
    open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane, _array = show(open_window, qtbot, LARGE)
    load_all(pane, qtbot)
    held.free.clear()
    move(pane, 0)
    pane.model.clear()
    held.free.set()
    qtbot.wait(50)
    assert pane.view.mosaics == ()
    assert pane.canvas.image.image is None


def test_the_window_closes_while_a_picture_is_painted(
    open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane, _array = show(open_window, qtbot, LARGE)
    held.free.clear()
    pane.model.set(colour_map="viridis")
    pane.window().close()
    held.free.set()


def test_stopping_the_reading_still_draws_what_is_loaded(
    open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane, _array = show(open_window, qtbot, LARGE)
    load_all(pane, qtbot)
    held.free.clear()
    move(pane, 0)
    pane.view.painter._workers.stop()
    held.free.set()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.view.frame.planes[0].index[0] == 0


@pytest.mark.parametrize("values", [SMALL, LARGE])
def test_an_error_of_painting_is_one_sentence_until_a_picture_succeeds(
    values: np.ndarray, open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane, _array = show(open_window, qtbot, values)
    load_all(pane, qtbot)
    held.error = MemoryError()
    move(pane, 0)
    qtbot.waitUntil(lambda: not pane.stack.shows_data)
    assert pane.stack.sentence.text == "There is not enough memory for this."
    held.error = None
    move(pane, 1)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.stack.shows_data)


def test_the_pictures_of_these_tests_are_small_and_large() -> None:
    assert SMALL[0].nbytes <= picture_painter._SMALL_BYTES < LARGE[0].nbytes
