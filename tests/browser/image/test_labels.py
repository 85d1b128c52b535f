"""Labels cover the objects that they mark, for any axes and scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.colour_maps import LABELS
from zarrbrowser.image.colours.render import Style, rgba
from zarrbrowser.image.labels import (
    DrawnLabels,
    Labels,
    label_names,
    label_text,
    lay_over,
    open_labels,
    paint_labels,
)
from zarrbrowser.image.levels import Image, whole
from zarrbrowser.image.multiscales import image_of_group
from zarrbrowser.image.tiles.frames import Mosaic, View, plan
from zarrbrowser.image.view_settings import initial_settings


def image(shape: tuple[int, ...], names: str, spacing: Any = (), origin: Any = ()) -> Image:
    array = FakeArray(np.zeros(shape, np.uint8))
    return Image("/image", (whole(array),), tuple(names), ("",) * len(names), spacing, origin)


@given(
    st.integers(1, 50),
    st.floats(0.1, 10),
    st.floats(0.1, 10),
    st.floats(-20, 20),
    st.floats(-20, 20),
    st.floats(0, 49),
)
def test_a_position_has_the_same_coordinates_in_image_and_labels(
    length: int, mine: float, theirs: float, begin: float, start: float, position: float
) -> None:
    over = image((2, length, 9), "cyx", (1.0, mine, 1.0), (0.0, begin, 0.0))
    labels = Labels("cells", image((7, 9), "yx", (theirs, 1.0), (start, 0.0)), over)
    assert start + theirs * labels.place(1, position) == pytest.approx(begin + mine * position, abs=1e-6)


def test_without_a_scale_image_and_labels_cover_the_same_extent() -> None:
    labels = Labels("cells", image((10, 30), "yx"), image((40, 30), "yx"))
    assert [labels.place(0, edge) for edge in (-0.5, 39.5)] == [-0.5, 9.5]
    axes = Axes.initial(labels.over.base, labels.over.names)
    theirs = labels.axes(axes)
    assert theirs is not None
    frame = plan(labels.image, [theirs], labels.view(axes, View((-0.5, 39.5), (-0.5, 29.5), 80, 60)))
    mosaic = Mosaic(frame.raster, frame.window, np.zeros((10, 30), np.uint8), None)
    assert labels.rect(axes, mosaic) == (-0.5, -0.5, 39.5, 29.5)


def test_axes_are_matched_by_name() -> None:
    over = image((2, 5, 40, 30), "czyx")
    axes = Axes(over.base.shape, over.names, 3, 1, None, (1, 4, 20, 7))  # x down, z to the right
    assert Labels("a", image((5, 40, 30), "zyx"), over).axes(axes) == Axes(
        (5, 40, 30), ("z", "y", "x"), 2, 0, None, (4, 20, 7)
    )
    assert Labels("a", image((1, 10, 40, 30), "czyx"), over).axes(axes).index == (0, 8, 20, 7)
    assert Labels("a", image((40, 30), "yx"), over).axes(axes) is None


def test_the_background_label_is_transparent() -> None:
    array = FakeArray(np.array([[0, 7, 7], [2**40, 0, 9]]))
    of_labels = Image("/a", (whole(array),), ("y", "x"))
    raster = plan(of_labels, [Axes.initial(array)], View((0, 2), (0, 3), 9, 9)).raster
    there = np.array([[True, True, True], [True, True, False]])
    colours = paint_labels(Mosaic(raster, (slice(0, 2), slice(0, 3)), array.values, there), of_labels)
    assert colours[..., 3].tolist() == [[0, 255, 255], [255, 0, 0]]
    assert (colours[0, 1] == colours[0, 2]).all()
    assert (colours[0, 1] != colours[1, 0]).any()


def test_labels_have_the_colours_and_properties_of_their_metadata() -> None:
    array = FakeArray(np.array([[0, 1, 2], [300, 1, 3]], np.uint16))
    array.path = "/labels/cells/0"
    told = {
        "colors": [
            {"label-value": 1, "rgba": [10, 20, 30, 255]},
            {"label-value": 300, "rgba": [1, 2, 3, 99]},
        ],
        "properties": [
            {"label-value": 1, "class": "neuron", "area": 12.5},
            {"label-value": 2, "note": "x" * 99},
        ],
    }
    entry = {
        "multiscales": [
            {"version": "0.4", "axes": [{"name": "y"}, {"name": "x"}], "datasets": [{"path": "0"}]}
        ]
    }
    group = FakeGroup({"0": array}, {**entry, "image-label": told})
    cells = image_of_group(FakeHierarchy(group).node("/"), FakeHierarchy(group).node)
    assert cells.label_colours == ((1, (10, 20, 30, 255)), (300, (1, 2, 3, 99)))
    raster = plan(cells, [Axes.initial(array)], View((0, 2), (0, 3), 9, 9)).raster
    colours = paint_labels(Mosaic(raster, (slice(0, 2), slice(0, 3)), array.values, None), cells)
    assert colours[0, 1].tolist() == colours[1, 1].tolist() == [10, 20, 30, 255]
    assert colours[1, 0].tolist() == [1, 2, 3, 99]
    assert colours[0, 0].tolist() == [0, 0, 0, 0]
    assert colours[0, 2, 3] == 255, "a label without a colour gets one"
    assert label_text(cells, np.uint16(1)) == "1 (class neuron, area 12.5)"
    assert label_text(cells, np.uint16(2)) == f"2 (note {'x' * 39}…)"
    assert label_text(cells, np.uint16(300)) == "300"


@pytest.mark.parametrize("told", [{"labels": ["cells", 3]}, {"ome": {"version": "0.5", "labels": ["cells"]}}])
def test_labels_are_listed_by_their_group(told: dict[str, Any]) -> None:
    entry = {"multiscales": [{"axes": ["y", "x"], "datasets": [{"path": "0"}]}]}
    cells = FakeGroup({"0": FakeArray(np.ones((4, 5), int))}, {**entry, "image-label": {}})
    group = FakeGroup({"0": FakeArray(np.zeros((4, 5))), "labels": FakeGroup({"cells": cells}, told)}, entry)
    find = FakeHierarchy(FakeGroup({"scan": group})).node
    found = image_of_group(find("/scan"), find)
    assert label_names(found, find) == ("cells",)
    labels = open_labels(found, "cells", find)
    assert labels.image.is_labels
    assert label_names(labels.image, find) == ()
    assert initial_settings(found).labels == ""


def labelled(side: int, theirs: int) -> tuple[Image, FakeArray]:
    """An image of a side, and labels over it in a coarser or finer array, each with its own number."""
    values = np.arange(1, theirs * theirs + 1, dtype=np.uint32).reshape(theirs, theirs)
    array = FakeArray(values)
    over = image((side, side), "yx")
    return over, array


@pytest.mark.parametrize(("side", "theirs"), [(12, 12), (12, 4), (12, 24)])
def test_exported_labels_are_those_at_each_pixel(side: int, theirs: int) -> None:
    over, array = labelled(side, theirs)
    labels = Labels("cells", Image("/l", (whole(array),), ("y", "x")), over)
    drawn = DrawnLabels(labels, Axes.initial(over.base, over.names), over.levels[0], 0.5)
    found = drawn.over(slice(2, 9), slice(3, 12))
    places = [
        np.rint([labels.place(axis, place) for place in places])
        for axis, places in enumerate((range(2, 9), range(3, 12)))
    ]
    if theirs > side:  # every second label is drawn
        assert len({tuple(one) for one in found.reshape(-1, 4)}) > 40
        return
    expected = array.values[np.ix_(places[0].astype(int), places[1].astype(int))]
    colours = rgba(expected, Style(LABELS))
    assert np.array_equal(found, colours)


def test_labels_do_not_reach_beyond_their_array() -> None:
    over = image((10, 10), "yx", (1.0, 1.0), (0.0, 0.0))
    array = FakeArray(np.full((4, 4), 7, np.uint8))
    theirs = Image("/l", (whole(array),), ("y", "x"), ("", ""), (1.0, 1.0), (3.0, 3.0))
    drawn = DrawnLabels(Labels("a", theirs, over), Axes.initial(over.base, over.names), over.levels[0], 1.0)
    alpha = drawn.over(slice(None), slice(None))[..., 3] > 0
    assert np.argwhere(alpha).min() == 3
    assert np.argwhere(alpha).max() == 6
    assert not drawn.over(slice(8, 10), slice(0, 2)).any()
    assert drawn.over(slice(0, 0), slice(0, 2)).shape == (0, 2, 4)


def test_a_picture_is_mixed_with_what_is_over_it() -> None:
    picture = np.array([[[100, 0, 0, 255], [0, 0, 0, 0]]], np.uint8)
    over = np.array([[[0, 200, 0, 255], [0, 200, 0, 255]]], np.uint8)
    assert lay_over(picture, over, 0.5).tolist() == [[[50, 100, 0, 255], [0, 200, 0, 128]]]
    assert np.array_equal(lay_over(picture, np.zeros_like(over), 0.5)[0, 0], picture[0, 0])
