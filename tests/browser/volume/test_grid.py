"""Which samples are offered, what they cost, and that the blocks cover each sample once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.browser.volume.volumes import image, image_of
from zarrbrowser.image.levels import whole
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.volume import grid as grids
from zarrbrowser.volume.axes import VolumeAxes, volume_axes
from zarrbrowser.volume.grid import VolumeGrid, choices, first_choice


def of(
    shape: tuple[int, ...], chunks: tuple[int, ...], steps: tuple[int, int, int] = (1, 1, 1)
) -> VolumeGrid:
    values = np.arange(np.prod(shape), dtype="u4").reshape(shape)
    array: Any = image_of(values, None, chunks).base
    return VolumeGrid(whole(array), 0, (len(shape) - 3, len(shape) - 2, len(shape) - 1), steps)


@pytest.mark.parametrize("steps", [(1, 1, 1), (2, 3, 1), (4, 4, 4)])
@pytest.mark.parametrize("limit", [1, 500, 10**6])
def test_blocks_cover_each_sample_once(
    steps: tuple[int, int, int], limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grids, "_BLOCK_BYTES", limit)
    grid = of((2, 9, 10, 11), (1, 4, 3, 5), steps)
    seen = np.zeros(grid.shape, int)
    array: Any = grid.level.array
    read = np.zeros(grid.shape, "u4")
    for part in grid.blocks():
        seen[part] += 1
        read[part] = array.read(grid.selection((1, 0, 0, 0), part))
    assert (seen == 1).all()
    down, across, right = steps
    assert np.array_equal(read, array.values[1, ::down, ::across, ::right])


def test_blocks_are_small_enough_to_be_cancelled() -> None:
    grid = of((64, 64, 64), (8, 16, 16))
    assert len(list(grid.blocks())) == 1
    costly = of((4, 64, 64, 64), (4, 64, 64, 64))
    assert len(list(costly.blocks())) == 1, "a chunk is not cut"


def test_the_cost_counts_whole_chunks() -> None:
    assert of((9, 10, 11), (4, 5, 11)).cost() == ReadCost(6, 6 * 4 * 5 * 11 * 4)
    assert of((9, 10, 11), (4, 5, 11)).cost(3).chunks == 18
    assert of((2, 9, 10, 11), (2, 9, 10, 11)).cost() == ReadCost(1, 2 * 9 * 10 * 11 * 4)
    assert of((64, 64, 64), (1, 64, 64), (4, 4, 4)).cost().chunks == 16, "steps skip whole chunks"
    assert of((64, 64, 64), (8, 64, 64), (4, 4, 4)).cost().chunks == 8


def test_the_extent_reaches_from_edge_to_edge() -> None:
    assert of((8, 8, 9), (8, 8, 9), (1, 2, 4)).extent == ((-0.5, 7.5), (-0.5, 7.5), (-0.5, 11.5))
    one = image()
    level = VolumeGrid(one.levels[1], 1, (2, 3, 4))
    (_, _), (top, bottom), _ = level.extent
    assert bottom - top == 24


def axes_of(one: Any) -> VolumeAxes:
    found = volume_axes(one, initial_settings(one), {})
    assert found is not None
    return found


def test_levels_are_offered_the_finest_first() -> None:
    one = image(levels=3)
    found = choices(one, axes_of(one), 2048)
    assert [(grid.number, grid.shape, grid.steps) for grid in found] == [
        (0, (16, 24, 32), (1, 1, 1)),
        (1, (16, 12, 16), (1, 1, 1)),
        (2, (16, 6, 8), (1, 1, 1)),
    ]


def test_levels_that_cannot_be_drawn_are_not_offered() -> None:
    one = image(levels=3)
    assert [grid.number for grid in choices(one, axes_of(one), 16)] == [1, 2]
    found = choices(one, axes_of(one), 6)
    assert [(grid.number, grid.steps) for grid in found] == [(2, (4, 1, 2))]


def test_a_large_array_without_levels_is_offered_with_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grids, "_ENOUGH_SAMPLES", 1000)
    one = image_of(np.zeros((16, 32, 32), "u1"), ("z", "y", "x"), (4, 16, 16))
    found = choices(one, axes_of(one), 2048)
    assert [grid.steps for grid in found] == [(1, 1, 1), (2, 2, 2), (4, 4, 4)]


def test_steps_make_samples_more_like_cubes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grids, "_ENOUGH_SAMPLES", 1000)
    one = image(levels=1)
    assert [grid.steps for grid in choices(one, axes_of(one), 2048)][1] == (1, 2, 2)


def test_the_first_choice_is_the_finest_that_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    one = image(levels=3)
    found = choices(one, axes_of(one), 2048)
    assert first_choice(found, 3).number == 0
    monkeypatch.setattr(grids, "READ_BYTES", found[0].cost(3).nbytes - 1)
    assert first_choice(found, 3).number == 1
    assert first_choice(found, 1).number == 0
    monkeypatch.setattr(grids, "READ_BYTES", 0)
    assert first_choice(found, 1).number == 2
    monkeypatch.setattr(grids, "READ_BYTES", 2**30)
    monkeypatch.setattr(grids, "_FIRST_SAMPLES", found[1].samples)
    assert first_choice(found, 1).number == 1


def test_without_a_cheap_level_the_cheapest_one_is_drawn_as_finely_as_is_quick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(grids, "_ENOUGH_SAMPLES", 100)
    monkeypatch.setattr(grids, "READ_BYTES", 0)
    one = image_of(np.zeros((16, 32, 32), "u1"), ("z", "y", "x"), (16, 32, 32))
    found = choices(one, axes_of(one), 2048)
    assert len({grid.cost().nbytes for grid in found}) == 1
    assert first_choice(found, 1).steps == (1, 1, 1)
    monkeypatch.setattr(grids, "_FIRST_SAMPLES", 16 * 32 * 32 - 1)
    assert first_choice(found, 1).steps == (2, 2, 2)
