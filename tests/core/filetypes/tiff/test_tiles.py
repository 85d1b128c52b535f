"""The tiles of planes: their sides, and the slabs of chunks that they cross."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from zarrcore.filetypes.tiff.tiles import TilesFile

SIDES = st.tuples(st.integers(1, 5000), st.integers(1, 5000)).map(lambda pair: (max(pair), min(pair)))


@given(SIDES | st.integers(1, 1100).map(lambda side: (side, side)), SIDES)
def test_sides_of_tiles_are_multiples_of_16(rows: tuple[int, int], columns: tuple[int, int]) -> None:
    """As TIFF 6.0, section 15, requires; a plane of at most one tile is a strip without tiles."""
    (height, rows_of_chunk), (width, columns_of_chunk) = rows, columns
    hierarchy = zarrcore.create(zarrcore.stores.MemoryStore())
    shape, chunks = (height, width), (rows_of_chunk, columns_of_chunk)
    body = TilesFile(hierarchy.create_array("a", shape=shape, dtype="uint8", chunks=chunks)).body
    assert body.is_strip or [side % 16 for side in body.tile] == [0, 0]
    assert not body.is_strip or body.grid == (1, 1)
    assert max(body.tile) <= 1024


@pytest.mark.parametrize(
    ("names", "chunks", "planes_or_rows"),
    [
        ("tzyx", (1, 1, 256, 256), (0, 1)),
        ("tzyx", (1, 2, 256, 256), (2, 0)),
        (
            "tzyx",
            (1, 3, 256, 256),
            (4, 0),
        ),  # three of four: all of them, since three begin at another place each time
        ("tzyx", (2, 1, 256, 256), (8, 0)),
        ("tzyx", (1, 1, 512, 256), (0, 1)),
        ("tzyx", (1, 1, 1000, 256), (0, 3)),
        ("yxzt", (512, 256, 4, 2), (8, 0)),
    ],
)
def test_slabs_are_rows_of_chunks(
    names: str, chunks: tuple[int, ...], planes_or_rows: tuple[int, int]
) -> None:
    lengths = {"t": 2, "z": 4, "y": 1300, "x": 600}
    shape = tuple(lengths[name] for name in names)
    hierarchy = zarrcore.create(zarrcore.stores.MemoryStore())
    array = hierarchy.create_array("a", shape=shape, dtype="uint8", chunks=chunks, dimension_names=[*names])
    body = TilesFile(array).body
    planes, rows = planes_or_rows
    assert body.slab_nbytes == planes * body.plane_nbytes + rows * body.plane_nbytes // body.grid[0]
