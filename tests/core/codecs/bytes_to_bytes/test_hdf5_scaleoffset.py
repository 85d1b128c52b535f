"""HDF5's scale-offset filter; real files are in the tests of the store."""

from __future__ import annotations

import io

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from zarrcore.codecs.bytes_to_bytes.hdf5_scaleoffset import Hdf5ScaleoffsetCodec, unpacked
from zarrcore.errors import CodecError, MetadataError
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores import MemoryStore
from zarrcore.stores.hdf5.store import Hdf5Store

INTEGERS = [2, 0, 4, 0, 2, 1, 0, 0]


@given(st.integers(1, 64), st.data())
def test_numbers_of_any_bits_are_unpacked(bits: int, data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, 2**bits - 1), min_size=1, max_size=20))
    text = "".join(f"{number:0{bits}b}" for number in numbers)
    packed = int(text.ljust(-(-len(text) // 8) * 8, "0"), 2).to_bytes(-(-len(text) // 8), "big")
    assert unpacked(np.frombuffer(packed, "u1"), len(numbers), bits).tolist() == numbers


@pytest.mark.parametrize("dtype", ["i1", ">i2", "u4", "<i8", "f4", "f8"])
def test_fill_values_and_numbers_read_as_with_h5py(dtype: str) -> None:
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        made = file.create_dataset(
            "a", (40,), dtype, chunks=(40,), scaleoffset=2 if "f" in dtype else 0, fillvalue=7
        )
        made[3:20] = (np.arange(17) * 1.25 + (0 if dtype[-2] == "u" else -9)).astype(dtype)
    hierarchy: zarrcore.Hierarchy = open_place(
        Hdf5Store(MemoryStore("", {"a.h5": memory.getvalue()}), "a.h5", "memory://a.h5")
    )
    with h5py.File(memory) as file:
        assert (hierarchy["a"][...] == file["a"][...]).all()


@pytest.mark.parametrize("dtype", [">i2", ">u4", ">i8", ">f4", "<i2"])
def test_numbers_that_need_all_bits_read_as_with_h5py(dtype: str) -> None:
    """The library stores them as they are, in little-endian order whatever that of the dataset is."""
    memory = io.BytesIO()
    limits = np.finfo(dtype) if "f" in dtype else np.iinfo(dtype)
    with h5py.File(memory, "w") as file:
        values = np.array([limits.min, limits.max, 1, 2], dtype)
        file.create_dataset("a", data=values, chunks=(4,), scaleoffset=0)
    hierarchy: zarrcore.Hierarchy = open_place(
        Hdf5Store(MemoryStore("", {"a.h5": memory.getvalue()}), "a.h5", "memory://a.h5")
    )
    with h5py.File(memory) as file:
        assert (hierarchy["a"][...] == file["a"][...]).all()


def test_without_bits_each_element_is_the_fill_value() -> None:
    """As in the HDF5 library: the largest difference of no bits is 0."""
    values = [2, 0, 4, 0, 2, 1, 0, 1, 7]
    codec = Hdf5ScaleoffsetCodec.from_configuration({"values": values})
    assert bytes(codec.decode(bytes(21), 8)) == np.full(4, 7, "<i2").tobytes()


def test_broken_heads_are_refused() -> None:
    codec = Hdf5ScaleoffsetCodec.from_configuration({"values": INTEGERS})
    for encoded in (b"", bytes(20), bytes((17,)) + bytes(40), bytes((9,)) + bytes(20)):
        with pytest.raises(CodecError):
            codec.decode(encoded, 8)
    with pytest.raises(MetadataError, match="eight numbers"):
        Hdf5ScaleoffsetCodec.from_configuration({"values": [1]})
