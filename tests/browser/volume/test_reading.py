"""Blocks are read once, in any format, and chunks that do not decode leave holes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from tests.browser.fakes import FakeArray
from tests.browser.volume.volumes import image_of
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import whole
from zarrbrowser.session.sources import SourceRequest, open_source
from zarrbrowser.volume import grid as grids
from zarrbrowser.volume.grid import VolumeGrid
from zarrbrowser.volume.reading import VolumeSamples, read
from zarrcore.errors import CodecError, ReadCancelledError

VALUES = np.random.default_rng(3).integers(0, 9999, (2, 20, 30, 40)).astype(np.uint16)


def samples(array: Any, axes: tuple[int, int, int], steps: tuple[int, int, int] = (1, 1, 1)) -> VolumeSamples:
    plane = Axes.initial(array).at(0, 1)
    return VolumeSamples.empty(VolumeGrid(whole(array), 0, axes, steps), plane)


@pytest.mark.parametrize("axes", [(1, 2, 3), (3, 1, 2), (2, 3, 1)])
def test_samples_are_those_of_the_array(axes: tuple[int, int, int], tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "v.zarr", mode="w")
    group.create_array("v", data=VALUES, chunks=(1, 7, 16, 16))
    array = open_source(SourceRequest(str(tmp_path / "v.zarr"))).hierarchy.node("/v")
    volume = samples(array, axes, (2, 1, 3))
    done: list[float] = []
    read([volume], progressed=done.append)
    expected = VALUES[1].transpose([axis - 1 for axis in axes])[::2, :, ::3]
    assert np.array_equal(volume.values, expected)
    assert volume.is_whole
    assert done[-1] == 1.0


def test_colours_are_read_as_a_whole() -> None:
    values = VALUES[..., None].repeat(3, axis=-1).astype("u1")
    array: Any = FakeArray(values[0])
    volume = VolumeSamples.empty(VolumeGrid(whole(array), 0, (0, 1, 2)), Axes.initial(array))
    read([volume])
    assert np.array_equal(volume.values, values[0])


def test_what_is_read_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grids, "_BLOCK_BYTES", 1)
    array: Any = image_of(VALUES, None, (1, 10, 30, 40)).base
    volume = samples(array, (1, 2, 3))
    calls = iter((False, True))

    def read_part(selection: Any) -> None:
        if next(calls):
            raise ReadCancelledError("the read was cancelled")

    array.before_read = read_part
    with pytest.raises(ReadCancelledError):
        read([volume])
    assert len(volume.blocks) == 1
    assert not volume.is_whole
    array.before_read = lambda _selection: None
    array.selections.clear()
    read([volume])
    assert len(array.selections) == 1
    assert volume.is_whole
    assert np.array_equal(volume.values, VALUES[1])


def test_a_chunk_that_does_not_decode_leaves_a_hole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grids, "_BLOCK_BYTES", 1)
    array: Any = image_of(VALUES, None, (1, 10, 30, 40)).base
    error = CodecError("the chunk is damaged")

    def fail(selection: Any) -> None:
        if selection[1].start == 0:
            raise error

    array.before_read = fail
    volume = samples(array, (1, 2, 3))
    read([volume])
    assert volume.holes == [(slice(0, 10), slice(0, 30), slice(0, 40))]
    assert volume.error is error
    assert not volume.is_whole
    assert np.array_equal(volume.values[10:], VALUES[1, 10:])
    array.before_read = lambda _selection: None
    read([volume])
    assert volume.error is None
    assert volume.is_whole


def test_the_other_chunks_of_a_damaged_block_are_read() -> None:
    array: Any = image_of(VALUES, None, (1, 10, 15, 40)).base
    damaged = True

    def fail(selection: Any) -> None:
        if damaged and selection[1].start == 0 and selection[2].start == 0:
            raise CodecError("the chunk is damaged")

    array.before_read = fail
    volume = samples(array, (1, 2, 3))
    read([volume])
    assert volume.holes == [(slice(0, 10), slice(0, 15), slice(0, 40))]
    assert np.array_equal(volume.values[:, 15:], VALUES[1, :, 15:])
    assert np.array_equal(volume.values[10:], VALUES[1, 10:])
    assert not volume.values[:10, :15].any()
    assert not volume.is_whole
    damaged = False
    array.selections.clear()
    read([volume])
    assert len(array.selections) == 1
    assert volume.is_whole
    assert np.array_equal(volume.values, VALUES[1])


def test_a_block_that_two_workers_read_counts_once() -> None:
    array: Any = image_of(VALUES, None, (1, 10, 15, 40)).base
    volume = samples(array, (1, 2, 3))

    def read_meanwhile(_selection: Any) -> None:
        array.before_read = lambda _again: None
        read([volume])

    array.before_read = read_meanwhile
    read([volume])  # the other worker reads the same block meanwhile
    assert len(volume.blocks) == 1
    assert volume.is_whole


def test_a_volume_without_any_readable_chunk_fails() -> None:
    array: Any = image_of(VALUES).base

    def fail(_selection: Any) -> None:
        raise CodecError("the chunk is damaged")

    array.before_read = fail
    with pytest.raises(CodecError):
        read([samples(array, (1, 2, 3))])
