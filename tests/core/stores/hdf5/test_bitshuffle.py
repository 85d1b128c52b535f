"""Bits of elements as HDF5's filter stores them without compression."""

from __future__ import annotations

import h5py
import hdf5plugin
import numpy as np
import pytest

from zarrcore.stores.hdf5.bitshuffle import default_block, shuffled


@pytest.mark.sampled(16)
@pytest.mark.parametrize("dtype", ["u1", "<i2", "S3", "<c16"])
@pytest.mark.parametrize("block", [0, 8, 64])
@pytest.mark.parametrize("count", [1, 8, 4099, 20_000])
def test_chunks_are_what_the_filter_writes(dtype: str, block: int, count: int) -> None:
    elements = (np.arange(count) * 7 % 119).astype(dtype)
    with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
        made = file.create_dataset(
            "x", data=elements, chunks=(count,), **hdf5plugin.Bitshuffle(nelems=block, cname="none")
        )
        file.flush()
        skipped, expected = made.id.read_direct_chunk((0,))
    assert not skipped
    item = elements.dtype.itemsize
    assert shuffled(elements.tobytes(), item, block or default_block(item)) == expected


@pytest.mark.parametrize("block", [0, 12])
def test_blocks_are_of_eight_elements(block: int) -> None:
    with pytest.raises(ValueError, match="blocks of eight elements"):
        shuffled(bytes(16), 1, block)
