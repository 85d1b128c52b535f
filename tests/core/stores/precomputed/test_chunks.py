"""The names of chunks."""

from __future__ import annotations

import gzip

from hypothesis import given
from hypothesis import strategies as st

from zarrcore.stores import MemoryStore
from zarrcore.stores.precomputed.chunks import ObjectChunks
from zarrcore.stores.precomputed.info import Scale

LENGTHS = st.tuples(*[st.integers(1, 9)] * 3)


def scale(size: tuple[int, int, int], offset: tuple[int, int, int], chunk: tuple[int, int, int]) -> Scale:
    return Scale("a", "a/", size, offset, chunk, (1.0, 1.0, 1.0), "raw", None, None, {})


def test_a_chunk_is_named_after_its_voxels() -> None:
    chunks = ObjectChunks(MemoryStore(""), scale((10, 10, 3), (-4, 0, 7), (8, 8, 8)), 1)
    assert chunks.key((0, 1, 0)) == "a/-4-4_8-10_7-10"


@given(LENGTHS, st.tuples(*[st.integers(-20, 20)] * 3), LENGTHS, st.data())
def test_names_lead_to_places(
    size: tuple[int, int, int], offset: tuple[int, int, int], chunk: tuple[int, int, int], data: st.DataObject
) -> None:
    one = scale(size, offset, chunk)
    x, y, z = (data.draw(st.integers(0, count - 1)) for count in one.grid_shape)
    key = ObjectChunks(MemoryStore(""), one, 1).key((x, y, z))
    store = MemoryStore(
        "", {f"{key}.gz": gzip.compress(b"x"), "a/1-2": b"", "a/0-1_0-1_0-1_0-1": b"", f"{key}0": b""}
    )
    assert [place for place, _ in ObjectChunks(store, one, 1).list()] == [(x, y, z)]
