"""The area of the second image: its contrast, its errors, its read cost."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup
from tests.browser.panes.image.beside.pictures import area_of
from tests.browser.panes.image.pictures import VOLUME, pane_of
from zarrbrowser.image.colours.contrast import ContrastMode
from zarrbrowser.panes.image.beside.beside_area import BesideArea
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.window.main_window import MainWindow
from zarrcore.errors import MetadataError


class HugeArray(FakeArray):
    """One chunk of a gigabyte, which must not be read unasked."""

    def __init__(self) -> None:
        super().__init__(np.zeros((4, 4), np.uint8))
        self.shape = self.chunk_shape = self.inner_chunk_shape = (32_768, 32_768)
        self.chunk_grid_shape, self.nbytes = (1, 1), math.prod(self.shape)
        self.values = np.broadcast_to(np.uint8(7), self.shape)


@pytest.fixture
def window(open_window: OpenWindow) -> MainWindow:
    channels = np.stack([VOLUME[0], VOLUME[1]])
    return open_window(
        FakeGroup(
            {
                "array": FakeArray(VOLUME[0], ("y", "x")),
                "other": FakeArray(VOLUME[1] * 100, ("y", "x")),
                "channels": FakeArray(channels, ("c", "y", "x")),
                "broken": FakeBroken(MetadataError("/broken: zarr.json is not JSON.")),
                "huge": HugeArray(),
                "line": FakeArray(np.arange(5.0)),
            }
        ),
        "/array",
    )


def show(window: MainWindow, qtbot: QtBot, path: str) -> tuple[ImagePane, BesideArea]:
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    window.beside.show(window.session.sources[0], path)
    return pane, area_of(pane)


def levels(pane: ImagePane) -> tuple[float, float]:
    found = pane.view.picture_style().levels
    return float(found[0]), float(found[1])


def test_each_image_has_its_own_contrast_until_one_takes_over_the_other_s(
    window: MainWindow, qtbot: QtBot
) -> None:
    pane, area = show(window, qtbot, "/other")
    qtbot.waitUntil(lambda: area.pane.view.is_complete)
    mine, theirs = levels(pane), levels(area.pane)
    assert theirs[1] > 10 * mine[1]
    area.bar.taken.emit()
    assert levels(area.pane) == pytest.approx(mine)
    state = area.pane.model.state
    assert state is not None
    assert state.settings.contrast.mode is ContrastMode.FIXED
    assert levels(pane) == mine
    area.pane.model.set(contrast=state.settings.contrast.__class__(ContrastMode.FIXED, 0.0, 5.0))
    area.bar.given.emit()
    assert levels(pane) == (0.0, 5.0)


def test_colour_maps_are_chosen_apart(window: MainWindow, qtbot: QtBot) -> None:
    pane, area = show(window, qtbot, "/other")
    qtbot.waitUntil(lambda: area.pane.view.is_complete)
    area.pane.body.contrast.colour_map_chosen.emit("viridis")
    mine, theirs = pane.model.state, area.pane.model.state
    assert mine is not None
    assert theirs is not None
    assert (mine.colour_map, theirs.colour_map) == ("gray", "viridis")
    assert window.session.colour_map == "gray"


def test_stored_colours_have_no_contrast_to_take_over(open_window: OpenWindow, qtbot: QtBot) -> None:
    colours = np.random.default_rng(1).integers(0, 255, (20, 30, 3)).astype(np.uint8)
    root = FakeGroup({"rgb": FakeArray(colours, ("y", "x", "c")), "array": FakeArray(VOLUME[0], ("y", "x"))})
    _pane, area = show(open_window(root, "/array"), qtbot, "/rgb")
    qtbot.waitUntil(lambda: area.pane.view.is_complete)
    state = area.pane.model.state
    assert state is not None
    assert state.settings.axes.channel is not None
    for signal in (area.bar.taken, area.bar.given):
        with qtbot.waitSignal(area.reported) as heard:
            signal.emit()
        assert heard.args[0].startswith("Only images that are drawn with a colour map")


def test_channels_take_over_the_contrasts_of_channels_only(window: MainWindow, qtbot: QtBot) -> None:
    pane, area = show(window, qtbot, "/channels")
    qtbot.waitUntil(lambda: area.pane.view.is_complete)
    area.pane.model.set(is_blended=True)
    qtbot.waitUntil(lambda: area.pane.view.is_complete and area.pane.view.fits_settings)
    with qtbot.waitSignal(pane.reported) as heard:
        area.bar.taken.emit()
    assert heard.args == ["The two images do not have the same number of contrasts."]
    window.open_text("fake.zarr#/channels")
    qtbot.waitUntil(lambda: pane.model.state is not None and pane.model.state.image.path == "/channels")
    pane.model.set(is_blended=True)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.model.measured is not None)
    area.bar.given.emit()
    state = pane.model.state
    assert state is not None
    assert [one.contrast.mode for one in state.settings.channels] == [ContrastMode.FIXED] * 2


@pytest.mark.parametrize(
    ("path", "sentence", "may_retry"),
    [
        ("/broken", "zarr.json is not JSON", True),
        ("/line", "This image has only one axis", False),
        ("/", "is not one image: choose an image or array in it", False),
    ],
)
def test_what_is_no_image_is_one_sentence(
    window: MainWindow, qtbot: QtBot, path: str, sentence: str, *, may_retry: bool
) -> None:
    pane, area = show(window, qtbot, path)
    qtbot.waitUntil(lambda: sentence in area.pane.body.stack.sentence.text)
    assert area.pane.body.stack.sentence.button.isVisible() is may_retry
    assert not area.pane.body.sliders.isVisible()
    assert area.bar.words.text == ""
    assert pane.body.stack.shows_data


def test_large_reads_are_asked_for(window: MainWindow, qtbot: QtBot) -> None:
    _pane, area = show(window, qtbot, "/huge")
    huge = window.session.sources[0].hierarchy.node("/huge")
    qtbot.waitUntil(lambda: area.pane.body.stack.notice.text.startswith("The"))
    assert area.pane.body.stack.notice.button.text() == "Load anyway"
    assert huge.selections == []
