"""Elements as the bits that they use, compared with what h5py writes."""

from __future__ import annotations

import io
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.bytes_to_bytes.hdf5_nbit import UNCOMPRESSED, Hdf5NbitCodec
from zarrcore.errors import CodecError, MetadataError

COUNT = 37


def number(base: Any, precision: int, offset: int) -> h5py.h5t.TypeID:
    """A type of some bits."""
    made = base.copy()
    made.set_precision(precision)
    made.set_offset(offset)
    return made


def written(kind: h5py.h5t.TypeID, values: np.ndarray, filtered: bool) -> tuple[bytes, tuple[int, ...]]:
    """The chunk that the HDF5 library writes, and the values of its filter."""
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((COUNT,))
        if filtered:
            plist.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL)
        made = h5py.h5d.create(file.id, b"a", kind, h5py.h5s.create_simple((COUNT,)), plist)
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        file.flush()
        told = made.get_create_plist().get_filter(0)[2] if filtered else ()
        return made.read_direct_chunk((0,))[1], told


def structure() -> h5py.h5t.TypeID:
    """A structure with gaps, of numbers, arrays and text."""
    text = h5py.h5t.C_S1.copy()
    text.set_size(5)
    made = h5py.h5t.create(h5py.h5t.COMPOUND, 40)
    made.insert(b"a", 1, number(h5py.h5t.STD_I16LE, 11, 3))
    made.insert(b"b", 4, h5py.h5t.array_create(number(h5py.h5t.STD_U32BE, 21, 9), (2, 2)))
    made.insert(b"c", 22, text)
    made.insert(b"d", 32, h5py.h5t.IEEE_F64LE)
    return made


FIELDS = np.dtype([("a", "i2"), ("b", "u4", (2, 2)), ("c", "S5"), ("d", "f8")])


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        (number(h5py.h5t.STD_I16LE, 12, 2), "i2"),
        (number(h5py.h5t.STD_I32BE, 17, 5), "i4"),
        (number(h5py.h5t.STD_U64LE, 40, 24), "u8"),
        (number(h5py.h5t.STD_U8LE, 1, 7), "u1"),
        (h5py.h5t.STD_I32LE, "i4"),
        (h5py.h5t.py_create(np.dtype(bool), logical=True), "?"),
        (h5py.h5t.py_create(np.dtype("V3")), "V3"),
        (structure(), FIELDS),
    ],
)
def test_chunks_are_those_without_the_filter(kind: h5py.h5t.TypeID, dtype: Any) -> None:
    values = np.zeros(COUNT, dtype)
    random = np.random.default_rng(0)
    for name in values.dtype.names or ("",):
        part = values[name] if name else values
        part[...] = (random.random(part.shape) * 1000).astype(part.dtype)
    encoded, described = written(kind, values, True)
    expected, _ = written(kind, values, False)
    codec = Hdf5NbitCodec.from_configuration({"values": list(described)})
    assert bytes(codec.decode(encoded, len(expected))) == expected
    assert bytes(codec.decode(UNCOMPRESSED + expected, len(expected))) == expected
    if len(encoded) < len(expected):
        with pytest.raises(CodecError, match="ends early"):
            codec.decode(encoded[: len(encoded) // 2], len(expected))
    with pytest.raises(CodecError):
        codec.decode(encoded, len(expected) - 1)


def test_large_chunks_are_unpacked_in_parts() -> None:
    values = np.arange(3_000_000) % 8
    packed = np.packbits((values[:, None] >> np.arange(2, -1, -1) & 1).astype("u1").reshape(-1))
    codec = Hdf5NbitCodec([8, 0, len(values), 1, 1, 0, 3, 4])
    assert np.array_equal(np.frombuffer(codec.decode(packed.tobytes(), len(values)), "u1"), values << 4)


@pytest.mark.parametrize(
    "values",
    [
        [5, 0, 3, 1],
        [5, 0, 3, 1, 2],
        [8, 0, 3, 1, 2, 0, 17, 0],
        [8, 0, 3, 1, 2, 0, 0, 0],
        [8, 0, 3, 9, 2, 0, 0, 0],
        [8, 0, 3, 4, 0],
        [8, 0, 3, 2, 7, 4, 2],
        [8, 0, 3, 3, 4, 1, 2, 4, 4],
        [8, 0, 3, 4, 2**31],
        [8, 0, 3, 3, 4, 2**31, 0, 4, 4],
        [8, 0, 3, *[2, 4] * 40, 4, 4],
    ],
)
def test_broken_values_are_refused(values: list[int]) -> None:
    with pytest.raises(MetadataError):
        Hdf5NbitCodec.from_configuration({"values": values})


@given(st.lists(st.integers(0, 9) | st.integers(0, 2**32 - 1), max_size=20))
def test_any_values_are_a_codec_or_refused(values: list[int]) -> None:
    try:
        codec = Hdf5NbitCodec.from_configuration({"values": values})
        codec.decode(bytes(100), 1000)
    except (MetadataError, CodecError):
        return
