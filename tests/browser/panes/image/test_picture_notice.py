"""The notice above the picture: what the image lacks, and what waits for the user."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup
from tests.browser.panes.image.pictures import pane_of, pyramid, show
from zarrbrowser.image.axes import Axes
from zarrbrowser.panes.image.image_pane import ImagePane


def test_an_array_without_chunks_says_so(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show(open_window, qtbot, np.full((20, 30), np.nan))
    qtbot.waitUntil(
        lambda: pane.body.stack.notice.text == "No chunk was written: every element is the fill value."
    )
    assert pane.body.stack.notice.button.isHidden()


def test_a_written_array_of_one_value_says_nothing(open_window: OpenWindow, qtbot: QtBot) -> None:
    array = FakeArray(np.zeros((20, 30)))
    array.stored_chunks = [(0, 0)]
    looked = []
    array.before_read = looked.append
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: (0, 0) in looked)
    qtbot.waitUntil(lambda: not pane.workers.active)
    assert not pane.body.stack.notice.text


def axes_of(pane: ImagePane) -> Axes:
    assert pane.model.state is not None
    return pane.model.state.settings.axes


@pytest.mark.parametrize("stored", [[(0, 0, 0), (3, 0, 0)], [(2, 0, 0)]])
def test_an_image_opens_where_data_are_stored(
    open_window: OpenWindow, qtbot: QtBot, stored: list[tuple[int, ...]]
) -> None:
    values = np.zeros((8, 20, 30))
    values[6:] = np.arange(30)
    array = FakeArray(values, chunks=(2, 20, 30))
    array.stored_chunks = stored
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: not pane.workers.active)
    if stored == [(2, 0, 0)]:  # the middle is written, and is 0
        assert axes_of(pane).index[0] == 4
        assert not pane.body.stack.notice.text
        return
    qtbot.waitUntil(lambda: axes_of(pane).index[0] == 7)
    qtbot.waitUntil(lambda: "holds no chunks" in pane.body.stack.notice.text)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.view.measured is not None
    assert not pane.view.measured.description, "the empty plane was not chosen by the user"
    pane.step(-1)
    qtbot.waitUntil(lambda: not pane.body.stack.notice.text)


@pytest.mark.parametrize(
    ("gone", "text"),
    [
        (("1",), "The metadata describe the level 1, which is missing or broken."),
        (("1", "2"), "The metadata describe the levels 1, 2, which are missing or broken."),
    ],
)
def test_missing_levels_are_named(
    open_window: OpenWindow, qtbot: QtBot, gone: tuple[str, ...], text: str
) -> None:
    group, arrays = pyramid(256, 3)
    children = {str(number): array for number, array in enumerate(arrays) if str(number) not in gone}
    if "2" in gone:
        children["2"] = FakeBroken(ValueError("not JSON"))
    pane = pane_of(open_window(FakeGroup({"image": FakeGroup(children, group.attributes)}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.body.stack.notice.text == text)
    assert len(pane.view.levels) == 3 - len(gone)


def test_transformations_that_are_no_numbers_are_named(open_window: OpenWindow, qtbot: QtBot) -> None:
    _group, arrays = pyramid(256, 2)
    datasets = [
        {"path": path, "coordinateTransformations": [{"type": "scale", "scale": ["a", "b"]}]}
        for path in ("0", "1")
    ]
    attributes = {"multiscales": [{"axes": ["y", "x"], "datasets": datasets}]}
    children = {str(number): array for number, array in enumerate(arrays)}
    pane = pane_of(open_window(FakeGroup({"image": FakeGroup(children, attributes)}), "/image"), qtbot)
    text = "A transformation of the levels is not applied: scale that is not 2 numbers other than 0."
    qtbot.waitUntil(lambda: pane.body.stack.notice.text == text)


def test_coordinates_that_cannot_be_used_are_named(open_window: OpenWindow, qtbot: QtBot) -> None:
    children = {"array": FakeArray(np.eye(4), ("y", "x")), "y": FakeArray(np.arange(3))}
    pane = pane_of(open_window(FakeGroup(children), "/array"), qtbot)
    text = "/y has 3 coordinates for an axis of 4: the axis shows indices instead."
    qtbot.waitUntil(lambda: pane.body.stack.notice.text == text)
