"""Chunk indexes of all kinds, compared with h5py's."""

from __future__ import annotations

import io
from typing import Any

import h5py
import numpy as np
import pytest

from tests.core.stores.hdf5.written import node, opened
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores import MemoryStore
from zarrcore.stores.hdf5.store import Hdf5Store

CASES: dict[str, dict[str, Any]] = {
    "single": {"chunks": (40, 50)},
    "fixed": {"chunks": (3, 4)},
    "fixed, of pages": {"chunks": (1, 1)},
    "one unlimited": {"chunks": (1, 1), "maxshape": (None, 60)},
    "the other unlimited": {"chunks": (2, 3), "maxshape": (45, None)},
    "both unlimited": {"chunks": (1, 2), "maxshape": (None, None)},
}


@pytest.mark.sampled(14)
@pytest.mark.parametrize("options", [{}, {"libver": "latest"}, {"userblock_size": 512, "libver": "v110"}])
@pytest.mark.parametrize("compression", [None, "gzip"])
@pytest.mark.parametrize("case", CASES)
def test_places_are_those_of_h5py(case: str, compression: str | None, options: dict) -> None:
    memory = io.BytesIO()
    with h5py.File(memory, "w", **options) as file:
        made = file.create_dataset("a", (40, 50), "i4", compression=compression, **CASES[case])
        made[:7] = 1
        made[30:, 20:] = np.arange(300).reshape(10, 30)
    hierarchy = open_place(Hdf5Store(MemoryStore("", {"a.h5": memory.getvalue()}), "a.h5", "memory://a.h5"))
    dataset = node(opened(memory.getvalue()), "a").dataset
    parts = (dataset.chunk(index) for index, _ in dataset.chunks())
    found = {(part.start, part.nbytes) for part in parts}
    told = set()
    with h5py.File(memory) as file:
        # The elements show which place belongs to which chunk. HDF5 2.0 tells wrong offsets
        # if the unlimited dimension is not the first.
        file["a"].id.chunk_iter(lambda chunk: told.add((chunk.byte_offset, chunk.size)))
        assert (hierarchy["a"][...] == file["a"][...]).all()
    assert found == told
    assert {nbytes for _, nbytes in dataset.chunks()} == {nbytes for _, nbytes in told}
    assert dataset.chunk((20, 0) if case != "single" else (1, 0)) is None
