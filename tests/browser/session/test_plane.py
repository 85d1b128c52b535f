"""Planes against NumPy: any axes, any block size; what they cost; giving up."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray
from zarrbrowser.session import plane as plane_module
from zarrbrowser.session.axes import Axes
from zarrbrowser.session.plane import Cancelled, Cost, PlaneRequest, read_plane

VOLUME = np.arange(4 * 5 * 6, dtype=np.int32).reshape(4, 5, 6)


@pytest.mark.parametrize(("rows", "columns"), list(itertools.permutations(range(3), 2)))
@pytest.mark.parametrize("block_bytes", [1, 2**20])
def test_every_plane_equals_numpys(
    rows: int, columns: int, block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plane_module, "BLOCK_BYTES", block_bytes)
    axes = Axes((4, 5, 6), ("a", "b", "c"), rows, columns, None, (1, 2, 3))
    progress: list[float] = []
    plane = read_plane(PlaneRequest(FakeArray(VOLUME, chunks=(2, 2, 2)), axes), progress=progress.append)
    selection: list[Any] = [1, 2, 3]
    selection[rows] = selection[columns] = slice(None)
    expected = VOLUME[tuple(selection)]
    assert np.array_equal(plane.values, expected if rows < columns else expected.T)
    assert np.array_equal(plane.picture, plane.values)
    assert progress == sorted(progress)
    assert bool(progress) == (block_bytes == 1)


def test_colours_keep_their_axis_last() -> None:
    values = np.random.default_rng(0).integers(0, 255, (3, 8, 9, 4), dtype=np.uint8)
    array = FakeArray(values)
    plane = read_plane(PlaneRequest(array, Axes.initial(array)))
    assert np.array_equal(plane.picture, values[1])
    assert plane.statistics is None
    turned = read_plane(PlaneRequest(array, Axes.initial(array).with_rows(2)))
    assert np.array_equal(turned.picture, values[1].transpose(1, 0, 2))


def test_the_cost_counts_whole_chunks() -> None:
    array = FakeArray(np.zeros((100, 100, 10), np.float32), chunks=(30, 50, 4))
    axes = Axes((100, 100, 10), ("a", "b", "c"), 0, 1, None, (0, 0, 5))
    assert PlaneRequest(array, axes).cost() == Cost(4 * 2, 4 * 2 * 30 * 50 * 4 * 4)


def test_a_plane_that_nobody_wants_is_given_up_between_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plane_module, "BLOCK_BYTES", 1)
    array = FakeArray(VOLUME, chunks=(1, 1, 6))
    with pytest.raises(Cancelled):
        read_plane(PlaneRequest(array, Axes.initial(array)), cancelled=lambda: len(array.selections) == 2)
    assert len(array.selections) == 2


def test_one_field_of_a_structure_is_drawn_and_all_are_known() -> None:
    values = np.zeros((5, 6), dtype=[("height", "f4"), ("name", "S3")])
    values["height"] = np.arange(30).reshape(5, 6)
    array = FakeArray(values)
    plane = read_plane(PlaneRequest(array, Axes.initial(array), "height"))
    assert np.array_equal(plane.picture, values["height"])
