"""Chunk indexes of all kinds, compared with h5py's."""

from __future__ import annotations

import io
import itertools
from typing import Any

import h5py
import numpy as np
import pytest

from tests.core.stores.hdf5.written import node, opened

CASES: dict[str, dict[str, Any]] = {
    "single": {"chunks": (40, 50)},
    "fixed": {"chunks": (3, 4)},
    "fixed, of pages": {"chunks": (1, 1)},
    "one unlimited": {"chunks": (1, 1), "maxshape": (None, 60)},
    "the other unlimited": {"chunks": (2, 3), "maxshape": (45, None)},
    "both unlimited": {"chunks": (1, 2), "maxshape": (None, None)},
}


@pytest.mark.parametrize("options", [{}, {"libver": "latest"}, {"userblock_size": 512, "libver": "v110"}])
@pytest.mark.parametrize("compression", [None, "gzip"])
@pytest.mark.parametrize("case", CASES)
def test_places_are_those_of_h5py(case: str, compression: str | None, options: dict) -> None:
    memory = io.BytesIO()
    with h5py.File(memory, "w", **options) as file:
        made = file.create_dataset("a", (40, 50), "i4", compression=compression, **CASES[case])
        made[:7] = 1
        made[30:, 20:] = np.arange(300).reshape(10, 30)
    dataset = node(opened(memory.getvalue()), "a").dataset
    with h5py.File(memory) as file:
        # Iterating over chunks, HDF5 2.0 gives wrong offsets if the unlimited dimension is not the first one.
        chunks = CASES[case]["chunks"]
        grid = [range(-(-n // c)) for n, c in zip((40, 50), chunks, strict=True)]
        told = {}
        for index in itertools.product(*grid):
            info = file["a"].id.get_chunk_info_by_coord(
                tuple(i * c for i, c in zip(index, chunks, strict=True))
            )
            if info.byte_offset is not None:
                told[index] = (info.byte_offset, info.size)
    assert dict(dataset.chunks()) == {index: place[1] for index, place in told.items()}
    for index, place in told.items():
        assert dataset.chunk(index) == place
    assert dataset.chunk((20, 0) if case != "single" else (1, 0)) is None
