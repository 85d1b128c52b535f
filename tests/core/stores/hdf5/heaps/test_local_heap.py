"""Local heaps."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.stores.hdf5.written import written
from zarrcore.stores.hdf5.heaps.local_heap import LocalHeap
from zarrcore.stores.virtual.file_reader import BrokenFileError


def test_no_heap_is_one_sentence() -> None:
    file = written(lambda file: file.create_dataset("a", data=np.arange(100)))
    with pytest.raises(BrokenFileError, match="heap is at byte 0"):
        LocalHeap(file.reader, 0)
