"""Figures of volumes: the picture with its box at the resolution of the figure, colours explained, and the place in the title."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.volume.panes import show
from tests.browser.volume.volumes import blocks, group
from zarrbrowser.drawing.figure_files import FIGURE_TYPES, file_of
from zarrbrowser.export.figures.figure import Figure, FigureOptions, Picture
from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.panes.volume import shown_volume
from zarrbrowser.panes.volume.shown_volume import ShownVolume

pytestmark = pytest.mark.usefixtures("fake_renderer")


@pytest.fixture
def shown(open_window: OpenWindow, qtbot: QtBot) -> ShownVolume:
    array = FakeArray(blocks((2, 6, 7, 8)), ("t", "z", "y", "x"))
    array.attributes = {"long_name": "density", "units": "kg"}
    pane = show(open_window, qtbot, FakeGroup({"a": array}), "/a")
    found = pane.figure()
    assert found is not None
    return found


def pixels_of(figure: Figure) -> np.ndarray:
    panel = figure.panels[0][2]
    assert isinstance(panel, Picture)
    assert not panel.has_axes
    return panel.layers[0].pixels


def test_a_figure_tells_what_is_shown(shown: ShownVolume) -> None:
    figure = shown.as_shown()
    assert figure.title == "a, t = 0"
    assert figure.colour_bar is not None
    assert figure.colour_bar.label == "density (kg)"
    assert not figure.legend
    height, width = pixels_of(figure).shape[:2]
    assert (width, height) == (shown.scene.projection.width, shown.scene.projection.height)


def test_the_picture_is_drawn_for_the_size_of_the_figure(shown: ShownVolume) -> None:
    width, height = shown.scene.projection.width, shown.scene.projection.height
    figure = shown.read((int(2 * width), int(5 * height)))
    found = pixels_of(figure)
    assert found.shape == (2 * height, 2 * width, 4)
    assert not figure.note
    green = (found[..., :3] == (0, 200, 0)).all(axis=-1)
    assert 0.8 < green.mean() < 1, "the picture, with the edges and the texts of the box over it"


def test_large_figures_have_pictures_within_a_bound(
    shown: ShownVolume, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown_volume, "MOST_PIXELS", 90_000)
    height, width = pixels_of(shown.read((9000, 9000))).shape[:2]
    assert 80_000 < height * width < 92_000
    monkeypatch.setattr(shown_volume, "MOST_SIDE", 100)
    assert max(pixels_of(shown.read((9000, 9000))).shape) == 100


def test_what_cannot_be_drawn_again_is_shown_as_on_the_screen(shown: ShownVolume) -> None:
    figure = replace(shown, textures=()).read((4000, 4000))
    assert figure.note == "The figure has the resolution of the screen: another volume is shown by now"
    assert np.array_equal(pixels_of(figure), pixels_of(shown.as_shown()))


def test_a_figure_can_be_cancelled(shown: ShownVolume) -> None:
    with pytest.raises(Cancelled):
        shown.read((400, 300), lambda: True)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_files_hold_the_picture(shown: ShownVolume, suffix: str) -> None:
    assert suffix in FIGURE_TYPES
    options = FigureOptions(width_mm=60, height_mm=40, dpi=100, title="Volume")
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    document = file_of(shown.read(options.pixels), options, suffix)
    assert document.startswith(begins[suffix])
    if suffix == "svg":
        assert b"<image" in document
        assert b"Volume" in document


def test_channels_have_a_legend(open_window: OpenWindow, qtbot: QtBot) -> None:
    found = show(open_window, qtbot, group()).figure()
    assert found is not None
    assert found.colour_bar is None
    assert [colour for _, colour in found.legend] == [(255, 0, 0), (0, 255, 0), (0, 0, 255)]


def test_nothing_is_a_figure_before_it_is_drawn(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, group())
    pane.clear()
    assert pane.figure() is None
