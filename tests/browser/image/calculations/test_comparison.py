"""Comparisons are those of NumPy; unsigned integers do not wrap, and what is missing in one plane is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.image.calculations.comparison import Comparison, Operation, candidates
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.image.view_settings import initial_settings

NUMBERS = arrays(np.float64, 8, elements=st.floats(-1e9, 1e9) | st.sampled_from([np.nan, 0.0]))


@given(st.sampled_from(Operation), NUMBERS, NUMBERS)
def test_numbers_are_compared_as_numpy_does(operation: Operation, a: Any, b: Any) -> None:
    found = operation.of(a, b)
    assert np.isnan(found[np.isnan(a) | np.isnan(b)]).all()
    with np.errstate(all="ignore"):
        expected = {
            "difference": a - b,
            "ratio": np.divide(a, b),
            "relative difference": np.divide(a - b, b),
            "mask": np.array([x if y == 0 else np.nan for x, y in zip(a, b, strict=True)]),
        }[operation.value]
    assert np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize("operation", [one for one in Operation if one is not Operation.MASK])
def test_equal_numbers_give_the_centre(operation: Operation) -> None:
    assert operation.of(np.array([5.0]), np.array([5.0])) == operation.centre
    assert "a" in operation.formula


@given(st.sampled_from(["u1", "u2", "u4", "i1", "i4"]).flatmap(lambda one: arrays(one, (2, 3, 6))))
def test_integers_do_not_wrap(values: Any) -> None:
    image = image_of_array(FakeArray(values, ("t", "y", "x")))
    settings = replace(initial_settings(image), comparison=Comparison(axis=0, position=1))
    settings = replace(settings, elements=replace(settings.elements, masks_largest=False))
    found = Raster.of(image.levels[0], settings.planes(image)[0]).read((slice(0, 3), slice(0, 6)))
    assert (found == values[0].astype(np.int64) - values[1].astype(np.int64)).all()


def test_what_is_missing_in_one_plane_is_missing() -> None:
    array = FakeArray(np.array([[[1, -9, 5]], [[-9, 2, 3]]], np.int16), ("t", "y", "x"))
    array.attributes = {"_FillValue": -9, "scale_factor": 0.5}
    image = image_of_array(array)
    settings = replace(initial_settings(image), comparison=Comparison(axis=0, position=1))
    found = Raster.of(image.levels[0], settings.planes(image)[0]).read((slice(0, 1), slice(0, 3)))
    assert np.array_equal(found, [[np.nan, np.nan, 1.0]], equal_nan=True)


def test_arrays_with_planes_of_the_same_shape_are_offered() -> None:
    group = FakeGroup(
        {
            "a": FakeArray(np.zeros((2, 3, 4))),
            "b": FakeArray(np.zeros((4, 3))),
            "c": FakeArray(np.zeros((3, 3))),
            "d": FakeArray(np.zeros(4)),
            "e": FakeGroup(),
            "f": FakeArray(np.zeros((3, 4))),
        }
    )
    assert candidates("/a", (3, 4), group.find) == ["/b", "/f"]
    assert candidates("/c", (3, 3), group.find) == []


def test_masks_of_several_levels_are_offered_beside_an_array_and_in_the_group_of_an_image() -> None:
    datasets = [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1.0, 1.0]}]}]
    axes = [{"name": name, "type": "space"} for name in "yx"]
    image = {"ome": {"version": "0.5", "multiscales": [{"axes": axes, "datasets": datasets}]}}
    level = np.zeros((3, 4))
    group = FakeGroup(
        {
            "a": FakeGroup(
                {
                    "0": FakeArray(level),
                    "mask": FakeGroup({"0": FakeArray(level)}, image),
                    "no_mask": FakeGroup({"0": FakeArray(level)}),
                    "other": FakeGroup({"0": FakeArray(level)}, image),
                },
                image,
            ),
            "b": FakeArray(level),
        }
    )
    assert candidates("/a", (3, 4), group.find) == ["/a/mask", "/b"]
    assert candidates("/a/0", (3, 4), group.find) == ["/a/mask"]
    assert candidates("/b", (3, 4), group.find) == []
