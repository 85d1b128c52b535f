"""Objects of fractal heaps."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from tests.core.stores.hdf5.written import node, written
from zarrcore.stores.hdf5.heaps.fractal_heap import FractalHeap
from zarrcore.stores.virtual.file_reader import BrokenFileError


def test_objects_of_all_sizes_of_a_fractal_heap() -> None:
    sizes = (1, 10, 1000, 5000, 60_000, 200_000)

    def write(file: h5py.File) -> None:
        for number in range(40):
            file.attrs[f"small {number}"] = number
        for size in sizes:
            file.attrs[f"of {size}"] = np.full(size, size % 251, "u1")

    file = written(write, libver="latest")
    found = node(file, "").attributes
    for size in sizes:
        assert found[f"of {size}"].data[:size] == bytes((size % 251,)) * size


def test_no_heap_is_one_sentence() -> None:
    file = written(lambda file: file.create_dataset("a", data=np.arange(100)))
    with pytest.raises(BrokenFileError, match="heap is at byte 0"):
        FractalHeap(file.reader, 0)
