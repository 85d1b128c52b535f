"""Figures of planes without a window: the samples, the part in view, other positions, chunks that do not decode."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.export.figures.figure import Picture
from zarrbrowser.export.figures.planes import ShownPlane, ShownPlanes
from zarrbrowser.image.colours.painting import measure
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.tiles.frames import Mosaic, View, plan
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.maps.lines import PlaneLines
from zarrbrowser.maps.sketch import NOTHING, Sketch
from zarrcore.errors import CodecError, SelectionError

VALUES = np.arange(4 * 20 * 30, dtype=np.float32).reshape(4, 20, 30)
WHOLE = View((-5.0, 25.0), (-0.5, 29.5), 300, 300)


def planes_of(array: FakeArray, view: View = WHOLE) -> ShownPlanes:
    """The first plane of an array as a window would show it."""
    image = image_of_array(array)
    state = ImageState(image, initial_settings(image), lambda _path: None)
    frame = plan(image, state.settings.planes(image), view)
    values = frame.raster.read(frame.window)
    mosaics = (Mosaic(frame.raster, frame.window, values, None),)
    return ShownPlanes((ShownPlane((0, 0), state, view, measure(state.settings, mosaics), mosaics, 1.0),))


def picture(planes: ShownPlanes) -> Picture:
    found = planes.as_shown().panels[0][2]
    assert isinstance(found, Picture)
    return found


def test_the_blank_beside_a_plane_is_not_in_the_figure() -> None:
    found = picture(planes_of(FakeArray(VALUES, ("t", "y", "x"))))
    assert (found.rows.low, found.rows.high) == (-0.5, 19.5)
    assert found.layers[0].pixels.shape == (20, 30, 4)


def test_lines_of_a_map_are_kept_in_all_figures() -> None:
    planes = planes_of(FakeArray(VALUES, ("t", "y", "x")))
    sketch = Sketch(PlaneLines(np.arange(2.0), np.arange(2.0), np.array([True, False])), NOTHING.graticule)
    planes = replace(planes, planes=(replace(planes.main, map_lines=sketch),))
    axes = planes.main.state.settings.axes
    for figure in (planes.as_shown(), planes.read((90, 60)), planes.frame(axes.at(0, 3), (90, 60))):
        assert getattr(figure.panels[0][2], "map_lines", None) is sketch
        assert not figure.note


def test_the_part_in_view_is_cut_out() -> None:
    found = picture(planes_of(FakeArray(VALUES), View((2.5, 6.5), (9.5, 12.5), 300, 300)))
    assert found.layers[0].pixels.shape == (4, 3, 4)
    assert found.layers[0].rect == (2.5, 9.5, 6.5, 12.5)


def test_a_coarse_sampling_is_read_for_a_small_figure() -> None:
    array = FakeArray(np.zeros((2000, 3000), np.float32), chunks=(100, 100))
    planes = planes_of(array, View((-0.5, 1999.5), (-0.5, 2999.5), 300, 300))
    small = planes.read((60, 40)).panels[0][2]
    fine = planes.read((6000, 4000)).panels[0][2]
    assert isinstance(small, Picture)
    assert isinstance(fine, Picture)
    assert small.layers[0].pixels.shape[0] < 100
    assert small.layers[0].is_smooth
    assert fine.layers[0].pixels.shape[:2] == (2000, 3000)
    assert not fine.layers[0].is_smooth


def test_a_frame_keeps_the_colours_or_has_its_own() -> None:
    planes = planes_of(FakeArray(VALUES, ("t", "y", "x")))
    there = planes.main.state.settings.axes.at(0, 3)
    kept, own = (planes.frame(there, (90, 60), has_own_contrast=one) for one in (False, True))
    assert kept.colour_bar is not None
    assert own.colour_bar is not None
    assert kept.colour_bar.levels == planes.as_shown().colour_bar.levels
    assert own.colour_bar.levels[0] > kept.colour_bar.levels[1]
    assert kept.title.endswith("t = 3")


def test_a_frame_that_costs_too_much_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    planes = planes_of(FakeArray(VALUES, ("t", "y", "x")))
    monkeypatch.setattr("zarrbrowser.image.tiles.frames.ASK_ABOVE_BYTES", 10)
    with pytest.raises(SelectionError, match="a frame cannot be read"):
        planes.frame(planes.main.state.settings.axes.at(0, 3), (90, 60))


def test_a_chunk_that_does_not_decode_is_a_hole() -> None:
    array = FakeArray(VALUES[0], ("y", "x"), chunks=(10, 10))
    planes = planes_of(array)

    def fail(selection: tuple[slice, slice]) -> None:
        rows, columns = selection
        if rows.start < 10 and columns.start < 10:
            raise CodecError("is short", key="c/0/0")

    array.before_read = fail
    found = planes.read((300, 200)).panels[0][2]
    assert isinstance(found, Picture)
    opacity = found.layers[0].pixels[..., 3]
    assert not opacity[:10, :10].any()
    assert found.holes == ((-0.5, -0.5, 9.5, 9.5),)
    assert (opacity[10:] == 255).all()


def test_labels_of_the_axes_have_no_coordinates_without_any() -> None:
    planes = replace(planes_of(FakeArray(VALUES, ("t", "y", "x"))), coordinates={})
    assert picture(planes).rows.ticks(5)[0] == (0, "0")


def test_a_figure_says_that_elements_are_masked() -> None:
    counts = np.full((4, 20, 30), 7, np.uint32)
    counts[:, 0] = 2**32 - 1
    planes = planes_of(FakeArray(counts, ("t", "y", "x")))
    assert planes.as_shown().note == "Elements of 4,294,967,295 are masked."
    assert planes.read((90, 60)).note == "Elements of 4,294,967,295 are masked."
