"""Limits of contrast that no metadata tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zarrcore
from zarrcore.interop.napari.contrast import contrast_limits, with_contrast
from zarrcore.interop.napari.lazy_array import LazyArray
from zarrcore.stores import MemoryStore
from zarrcore.typing import AnyArray


def lazy(values: AnyArray, store: MemoryStore | None = None) -> LazyArray:
    made = zarrcore.create(store or MemoryStore()).create_array(
        "/x", shape=values.shape, dtype=values.dtype, chunks=(1, *values.shape[1:])
    )
    made[...] = values
    return LazyArray(made)


def test_they_are_the_extremes_of_the_plane_in_the_middle() -> None:
    values = np.zeros((5, 3, 4), "i2")
    values[2] = np.arange(12).reshape(3, 4) - 3
    values[0] = 999
    assert contrast_limits(lazy(values)) == (-3, 8)
    floats = values.astype("f4")
    floats[2, 0, :3] = [np.nan, np.inf, -np.inf]
    assert contrast_limits(lazy(floats)) == (0, 8)


@pytest.mark.parametrize("value", [0, 7, np.nan])
def test_a_plane_without_different_numbers_has_none(value: float) -> None:
    assert contrast_limits(lazy(np.full((3, 4), value, "f4"))) is None
    assert contrast_limits(lazy(np.arange(12, dtype="u1").reshape(3, 4))) is None, "bytes need none"


def test_of_a_large_plane_only_the_middle_counts() -> None:
    values = np.zeros((2050, 2), "u2")
    values[0], values[-1], values[1000] = 50, 60, 7
    assert contrast_limits(lazy(values)) == (0, 7)


def test_a_plane_that_cannot_be_read_is_left_to_napari() -> None:
    store = MemoryStore()
    image = lazy(np.arange(24, dtype="u2").reshape(2, 3, 4), store)
    store.set("x/c/0/0/0", b"broken")
    assert contrast_limits(image) is None


def test_only_visible_images_without_limits_get_some() -> None:
    image = lazy(np.arange(12, dtype="u2").reshape(3, 4))
    told: dict[str, Any] = {"rgb": False, "multiscale": False}
    assert with_contrast((image, told, "image"))[1]["contrast_limits"] == (0, 11)
    levels = [lazy(np.zeros((6, 8), "u2")), image]
    assert with_contrast((levels, {**told, "multiscale": True}, "image"))[1]["contrast_limits"] == (0, 11)
    for more, kind in (
        ({"visible": False}, "image"),
        ({"rgb": True}, "image"),
        ({"contrast_limits": (1, 2)}, "image"),
        ({}, "labels"),
    ):
        layer = (image, {**told, **more}, kind)
        assert with_contrast(layer) is layer
