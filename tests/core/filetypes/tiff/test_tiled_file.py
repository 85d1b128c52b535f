"""Tiles of all levels are apart from each other, and from the tables, so that reading tables reads no tile."""

from __future__ import annotations

import io
from itertools import pairwise

import numpy as np
import pytest
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.filetypes.stream import Stream
from tests.core.filetypes.tiff.maps import array_in
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes import file_type

PAGE = 4096


def pyramid(shape: tuple[int, int, int], chunk: int) -> zarrcore.Group:
    """Three levels, each with half the rows and columns of the one before it."""
    hierarchy = zarrcore.create("memory://")
    names = ["c", "y", "x"]
    datasets = []
    for number in range(3):
        lengths = shape[0], *(-(-length // 2**number) for length in shape[1:])
        array_in(hierarchy, str(number), np.zeros(lengths, "u2"), names, chunks=(1, chunk, chunk))
        scale = [{"type": "scale", "scale": [1, 2**number, 2**number]}]
        datasets.append({"path": str(number), "coordinateTransformations": scale})
    axes = [{"name": name, "type": "channel" if name == "c" else "space"} for name in names]
    hierarchy["/"].attributes = {
        "ome": {"version": "0.5", "multiscales": [{"axes": axes, "datasets": datasets}]}
    }
    return hierarchy["/"]


@settings(max_examples=15, deadline=None)
@given(
    suffix=st.sampled_from(["tif", "ome.tiff"]),
    shape=st.tuples(st.integers(1, 3), st.integers(8, 900), st.integers(8, 900)),
    chunk=st.sampled_from([64, 100, 256]),
)
def test_parts_do_not_overlap(suffix: str, shape: tuple[int, int, int], chunk: int) -> None:
    file = file_type(suffix).of_group(pyramid(shape, chunk))
    with tifffile.TiffFile(io.BufferedReader(Stream(file), PAGE)) as tiff:
        tiles = sorted(
            (offset, offset + nbytes)
            for level in tiff.series[0].levels
            for page in level.pages
            for offset, nbytes in zip(page.dataoffsets, page.databytecounts, strict=True)
        )
        levels = len(tiff.series[0].levels)
    assert all(end <= start for (_, end), (start, _) in pairwise(tiles))
    assert tiles[-1][1] == file.size
    # Gaps are only where a level begins, at a page of memory.
    begins = [start for (_, end), (start, _) in pairwise([(0, 0), *tiles]) if end != start]
    assert len(begins) <= levels
    assert all(start % PAGE == 0 for start in begins)
    last = max(np.flatnonzero(np.frombuffer(file.read(0, tiles[0][0]), "u1"))) + 1
    gap, all_tiles = tiles[0][0] - last, sum(end - start for start, end in tiles)
    assert gap >= min(8 * (last + (64 << 10)), all_tiles)


@pytest.mark.parametrize("suffix", ["tif", "ome.tiff"])
def test_files_longer_than_those_of_any_system_are_refused(suffix: str) -> None:
    shape = (1 << 30), (1 << 30) - 1  # fits, but not with the padding of its tiles
    array = zarrcore.create("memory://").create_array("a", shape=shape, dtype="f8", chunks=(512, 512))
    with pytest.raises(UnsupportedError, match="is too large for a file: select a part"):
        zarrcore.virtual_file(array, suffix=suffix)
