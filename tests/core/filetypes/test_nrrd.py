"""NRRD: other programs read each array unchanged."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.filetypes.images import made, numbers, whole
from tests.core.filetypes.readers import read_nrrd

NRRD_TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.mark.parametrize("dtype", NRRD_TYPES)
@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (5, 7), (7,)])
def test_pynrrd_reads_every_type(shape: tuple[int, ...], dtype: str) -> None:
    data = numbers(shape, dtype)
    read, header = read_nrrd(whole(made(data), "nrrd"))
    assert header["labels"] == [""] * len(shape)
    assert read.dtype == (np.uint8 if dtype == "?" else data.dtype)
    assert read.tobytes() == data.tobytes()
    assert read.shape == shape
