"""The elements of a selection as bytes: rows of chunks, and the chunks decoded for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.filetypes.elements import DATA
from zarrcore.filetypes.interface import HeaderAndBody

CHUNKS = {"float": 3 * 3 * 3, "sharded": 3 * 6 * 3}


@pytest.mark.parametrize("name", CHUNKS)
def test_slabs_are_decoded_without_the_cache(arrays: zarrcore.Hierarchy, name: str) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    file = zarrcore.virtual_file(arrays[name].with_chunk_cache(cache), suffix="npy")
    assert isinstance(file, HeaderAndBody)
    begin, slab = file.slabs
    assert (begin, slab) == (len(file.header), 2 * 11 * 13 * 4)
    read = [file.read(offset, slab) for offset in range(begin, file.size, slab)]
    assert b"".join(read) == DATA.tobytes()
    assert cache.decoded == CHUNKS[name]
    assert cache.nbytes < 20_000, "no more than the indices of shards"
    assert not file.cached(begin, 4)


@pytest.mark.parametrize("name", CHUNKS)
def test_cached_chunks_of_a_slab_are_not_decoded_again(arrays: zarrcore.Hierarchy, name: str) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    file = zarrcore.virtual_file(arrays[name].with_chunk_cache(cache), suffix="raw")
    _, slab = file.slabs
    pieces = [file.read(0, 100), file.read(100, slab - 100)]
    pieces += [file.read(slab, slab), file.read(2 * slab, slab)]
    assert b"".join(pieces) == DATA.tobytes()
    assert cache.decoded == CHUNKS[name]


@pytest.mark.parametrize(
    ("selection", "rows"),
    [
        (..., 2),
        (np.s_[2:], 2),
        (np.s_[1:], 0),
        (np.s_[::-1], 0),
        (np.s_[::2], 0),
        (3, 4),
        (np.s_[1, 2], 5),
        (np.s_[1, 2, 3], 0),
    ],
)
def test_slabs_end_where_chunks_do(arrays: zarrcore.Hierarchy, selection: Any, rows: int) -> None:
    file = zarrcore.virtual_file(arrays["float"], selection, "raw")
    row = DATA[selection][:1].nbytes if rows else 0
    assert file.slabs == (0, rows * row)


def test_a_plane_through_thick_chunks_keeps_them_for_the_next_plane(arrays: zarrcore.Hierarchy) -> None:
    array = arrays["float"].with_chunk_cache(zarrcore.ChunkCache(1 << 20))
    for plane in (2, 3):
        assert bytes(zarrcore.virtual_file(array, plane, "raw").read(0, 1 << 20)) == DATA[plane].tobytes()
    assert array.chunk_cache is not None
    assert array.chunk_cache.decoded == 9
