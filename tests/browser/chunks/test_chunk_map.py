"""The map of stored chunks: each chunk is in exactly one cell."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore as zc
from tests.browser.fakes import FakeArray
from zarrbrowser.chunks import chunk_map
from zarrbrowser.chunks.chunk_map import Cells, ChunkMap, count_chunks
from zarrbrowser.chunks.storage_facts import storage_facts
from zarrbrowser.nodes.read_cost import Cancelled

GRIDS = st.lists(st.integers(0, 12), max_size=4).map(tuple)


@given(GRIDS, st.integers(1, 9))
def test_cells_hold_all_chunks_once(grid: tuple[int, ...], most: int) -> None:
    before, chunk_map.MOST_ACROSS = chunk_map.MOST_ACROSS, most
    try:
        cells = Cells.of(grid)
        counts = np.zeros(cells.shape, np.int64)
        for index in product(*map(range, grid)):
            counts[cells.cell(index)] += 1
        assert np.array_equal(counts, cells.capacity())
        assert counts.sum() == math.prod(grid)
        for index in product(*map(range, grid)):
            text = cells.describe(*cells.cell(index))
            single = bool(cells.capacity()[cells.cell(index)] == 1)
            assert (text == f"chunk ({', '.join(map(str, index))})") is single
    finally:
        chunk_map.MOST_ACROSS = before


def test_a_huge_grid_takes_few_cells() -> None:
    assert math.prod(Cells.of((10**6, 10**6)).shape) <= 512**2
    assert math.prod(Cells.of((10**4, 10**4, 10**4)).shape) <= 512 * 600


def test_a_real_array_is_counted(tmp_path: Path) -> None:
    array = zc.create(tmp_path / "a.zarr").create_array("x", shape=(10, 12), dtype="int32", chunks=(3, 4))
    array[0:3, 0:4] = 1
    array[9:10, 8:12] = 2
    found = count_chunks(zc.open_hierarchy(tmp_path / "a.zarr")["x"], lambda: False, lambda _map: None)
    expected = np.zeros((4, 3))
    expected[0, 0] = expected[3, 2] = 1
    assert np.array_equal(found.fractions(), expected)
    facts = {fact.label: fact.text for fact in storage_facts(array, found)}
    assert facts["Stored"] == "2 of 12 chunks (16.7 %)"
    assert facts["Not stored"] == "10 chunks"
    assert facts["Ratio"].endswith(" : 1")


def test_counting_reports_its_progress_and_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_map, "_TELL_S", -1.0)
    array = FakeArray(np.zeros((10, 10)), chunks=(1, 1))
    array.stored_chunks = [*product(range(10), range(10))]
    told: list[ChunkMap] = []
    count_chunks(array, lambda: False, told.append)
    assert [one.present for one in told] == list(range(1, 101))
    assert all(one.counts.sum() == one.present for one in told), "reported maps are not changed later"
    with pytest.raises(Cancelled):
        count_chunks(array, lambda: True, told.append)
    partly = {fact.label: fact.text for fact in storage_facts(array, told[9])}
    assert partly["Stored"] == "10 of 100 chunks (10 %) so far"
    assert "Not stored" not in partly
