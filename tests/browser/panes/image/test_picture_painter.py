"""Large pictures are painted in a worker: the newest view wins, and what is shown together belongs together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.colours.coloured import channels_group
from tests.browser.panes.image.pictures import drawn, pane_of, picture, show
from zarrbrowser.image.colours.render import Style, rgba
from zarrbrowser.image.state import PlaneLayout, changes
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


def turn_on(pane: ImagePane, *positions: int) -> None:
    channels = pane.model.state.settings.channels
    pane.model.set(
        channels=tuple(replace(one, is_on=at in positions) for at, one in enumerate(channels)),
        is_blended=True,
    )


def load_all(pane: ImagePane, qtbot: QtBot) -> None:
    for plane in range(4):
        move(pane, plane)
        qtbot.waitUntil(lambda: pane.view.is_complete)


def loaded_and_held(open_window: OpenWindow, qtbot: QtBot, held: Held) -> ImagePane:
    """A pane whose planes are all loaded; the next picture waits in the worker until it is freed."""
    pane, _array = show(open_window, qtbot, LARGE)
    load_all(pane, qtbot)
    held.free.clear()
    return pane


def test_a_small_picture_is_painted_at_once(open_window: OpenWindow, qtbot: QtBot, held: Held) -> None:
    pane, _array = show(open_window, qtbot, SMALL)
    load_all(pane, qtbot)
    move(pane, 1)
    assert np.array_equal(picture(pane), SMALL[1])
    assert set(held.threads) == {threading.main_thread().ident}


def test_a_large_picture_is_painted_in_a_worker(
    open_new_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane, _array = show(open_new_window, qtbot, LARGE)
    assert threading.main_thread().ident not in held.threads
    style = Style("gray", levels=pane.view.picture_style().levels)
    assert np.array_equal(drawn(pane), rgba(pane.view.mosaics[0].values, style))


def test_the_newest_view_wins_and_the_picture_before_stays_until_then(
    open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane = loaded_and_held(open_window, qtbot, held)
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
    pane = loaded_and_held(open_window, qtbot, held)
    pane.model.set(keeps_range=False)
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
    pane = loaded_and_held(open_window, qtbot, held)
    move(pane, 0)
    pane.model.set(and_measure=True)
    held.free.set()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.view.frame.planes[0].index[0] == 0
    assert pane.view.measured.statistics[0].minimum == 0


def test_another_image_drops_the_picture_that_is_being_painted(
    open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane = loaded_and_held(open_window, qtbot, held)
    move(pane, 0)
    pane.model.clear()
    held.free.set()
    qtbot.wait(50)
    assert pane.view.mosaics == ()
    assert pane.canvas.image.image is None


def test_the_window_closes_while_a_picture_is_painted(
    open_new_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane, _array = show(open_new_window, qtbot, LARGE)
    held.free.clear()
    pane.model.set(colour_map="viridis")
    pane.window().close()
    held.free.set()


def test_stopping_the_reading_still_draws_what_is_loaded(
    open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane = loaded_and_held(open_window, qtbot, held)
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
    qtbot.waitUntil(lambda: not pane.body.stack.shows_data)
    assert pane.body.stack.sentence.text == "There is not enough memory for this."
    held.error = None
    move(pane, 1)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.body.stack.shows_data)


def test_an_error_of_painting_leaves_no_earlier_picture_beside_another_one(
    open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane, _array = show(open_window, qtbot, LARGE)
    pane.model.arrange(PlaneLayout.ORTHOGONAL)
    right = pane.body.grid.others[0]
    qtbot.waitUntil(lambda: all(view.is_complete for view in pane.body.grid.views))
    held.error = MemoryError()
    pane.model.set(axes=pane.model.state.settings.axes.at(2, 7))
    qtbot.waitUntil(lambda: right.canvas.image.image is None)
    assert right.words.text() == "There is not enough memory for this."
    assert right.words.isVisibleTo(right)
    held.error = None
    pane.model.set(axes=pane.model.state.settings.axes.at(2, 8))
    qtbot.waitUntil(lambda: right.is_complete)
    assert not right.words.isVisibleTo(right)


def test_a_figure_and_the_displayed_slice_are_of_the_picture_on_the_screen(
    open_window: OpenWindow, qtbot: QtBot, held: Held
) -> None:
    pane, _array = show(open_window, qtbot, LARGE, ("time", "y", "x"))
    load_all(pane, qtbot)
    before = drawn(pane)
    held.free.clear()
    move(pane, 1)
    pane.model.set(flip_columns=True)
    figure = pane.figure().as_shown()
    assert figure.title == "array, time = 3"
    assert np.array_equal(figure.panels[0][2].layers[0].pixels, before)
    assert figure.panels[0][2].columns.low > figure.panels[0][2].columns.high, "that is on the screen at once"
    pane.model.set(colour_map="viridis")
    assert (pane.displayed().axes.index[0], pane.displayed().style.colour_map) == (3, "gray")
    assert pane.position() == "time = 1", "where a bookmark leads"
    held.free.set()
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.displayed().style.colour_map == "viridis")
    assert pane.figure().as_shown().title == "array, time = 1"
    assert pane.displayed().style.colour_map == "viridis"


def test_a_picture_that_waits_keeps_its_tiles(open_window: OpenWindow, qtbot: QtBot, held: Held) -> None:
    pane = loaded_and_held(open_window, qtbot, held)
    move(pane, 0)
    move(pane, 1)
    pane.view._cache.clear()  # other views may need the room
    held.free.set()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert np.array_equal(picture(pane), LARGE[1])
    assert pane.view.mosaics[0].is_there is None


def test_a_channel_that_is_still_read_does_not_lend_its_colour_to_another_one(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    group, array = channels_group()
    pane = pane_of(open_window(group, "/"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    turn_on(pane, 0, 1)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    before, gate = drawn(pane), threading.Event()
    pane.view._cache.clear()  # opening has read all channels
    array.before_read = lambda _selection: gate.wait(30)
    turn_on(pane, 0, 2)
    assert drawn(pane) is before
    assert pane.view.shown_state.settings.channels_on == [0, 1]
    gate.set()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert not np.array_equal(drawn(pane), before)
    assert not changes(pane.view.shown_state, pane.model.state)


def test_a_picture_in_other_colours_stays_at_its_position(open_window: OpenWindow, qtbot: QtBot) -> None:
    array = FakeArray(SMALL, ("time", "y", "x"), chunks=(1, 20, 30))
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    gate = threading.Event()
    array.before_read = lambda _selection: gate.wait(30)
    move(pane, 3)
    pane.model.set(colour_map="viridis")
    figure = pane.figure().as_shown()
    assert figure.title == "array, time = 0"
    assert np.array_equal(figure.panels[0][2].layers[0].pixels, drawn(pane))
    gate.set()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.figure().as_shown().title == "array, time = 3"


def test_the_pictures_of_these_tests_are_small_and_large() -> None:
    assert SMALL[0].nbytes <= picture_painter._SMALL_BYTES < LARGE[0].nbytes
