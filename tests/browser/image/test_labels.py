"""Labels cover the objects that they mark, for any axes and scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.labels import Labels, label_names, label_text, open_labels, paint_labels
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
