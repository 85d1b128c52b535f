"""Virtual files: any bytes at any offset equal those of a file of NumPy or an image library."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.core.filetypes.elements import DATA
from zarrcore.stores.memory import MemoryStore

SELECTIONS = [
    (...,),
    (3,),
    (slice(None), 4),
    (slice(None, None, -2), slice(1, 9, 3)),
    (2, 3, 4),
    (slice(0, 0),),
    (-1, slice(None, None, -1)),
]


@given(
    name=st.sampled_from(["float", "sharded"]),
    selection=st.sampled_from(SELECTIONS),
    suffix=st.sampled_from(["raw", "npy"]),
    offset=st.integers(0, 4000),
    nbytes=st.integers(0, 4000),
)
def test_any_part_equals_that_of_numpy(
    arrays: zarrcore.Hierarchy, name: str, selection: tuple, suffix: str, offset: int, nbytes: int
) -> None:
    file = zarrcore.virtual_file(arrays[name], selection, suffix)
    expected = np.array(DATA[selection], order="C")
    if suffix == "npy":
        stream = io.BytesIO()
        np.save(stream, expected)
        whole = stream.getvalue()
    else:
        whole = expected.tobytes()
    assert file.size == len(whole)
    assert bytes(file.read(offset, nbytes)) == whole[offset : offset + nbytes]
    file.prefetch(offset, nbytes)
    written = io.BytesIO()
    file.write_to(written)
    assert written.getvalue() == whole


@pytest.mark.parametrize("shape", [(1 << 40,), (1 << 10, 1 << 20)])
def test_many_small_chunks_are_written_in_small_pieces(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrcore.array.array._MOST_UNITS", 1 << 11)
    array = zarrcore.create(MemoryStore()).create_array(
        "/x", shape=shape, dtype="u1", chunks=(1,) * len(shape)
    )
    pieces = []

    def progress(nbytes: int) -> None:
        pieces.append(nbytes)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        zarrcore.virtual_file(array, suffix="raw").write_to(io.BytesIO(), progress)
    assert pieces == [1 << 11]


def test_cached_is_true_only_for_cached_ranges(arrays: zarrcore.Hierarchy) -> None:
    cache = zarrcore.ChunkCache(1 << 20)
    array = arrays["float"].with_chunk_cache(cache)
    file = zarrcore.virtual_file(array, suffix="npy")
    assert file.cached(0, 64)
    assert not file.cached(0, 200)
    file.prefetch(0, 200)
    assert file.cached(0, 200)
    misses = cache.misses
    file.read(0, 200)
    assert cache.misses == misses
