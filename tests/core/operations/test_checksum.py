"""Checksums of elements, compared with what the document says is hashed."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from typing import Any

import numpy as np
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore as zc
from tests.memory import forget_peak, peak_nbytes
from zarrcore.array import array as arrays
from zarrcore.errors import UnsupportedError
from zarrcore.operations.checksum import checksum, row_nbytes, slabs
from zarrcore.stores.memory import MemoryStore

SECONDS = {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}


def array(values: Any, format_: str = "v3", **options: Any) -> Any:
    made = zc.create(MemoryStore(), format_).create_array(
        "/x", shape=values.shape, dtype=options.pop("dtype", values.dtype), **options
    )
    made[...] = values
    return made


def expected(data_type: Any, shape: tuple[int, ...], elements: bytes) -> str:
    told = json.dumps({"data_type": data_type, "shape": list(shape)}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(told.encode() + b"\n" + elements).hexdigest()


@given(data=st.data())
@settings(max_examples=60)
def test_it_is_that_of_the_bytes_for_all_chunks_formats_and_memory(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=3), "shape"))
    values = np.arange(math.prod(shape), dtype="i2").reshape(shape)
    chunks = tuple(data.draw(st.integers(1, length), "chunk") for length in shape)
    format_ = data.draw(st.sampled_from(["v3", "v2", "n5"]), "format")
    is_sharded = format_ == "v3" and data.draw(st.booleans(), "sharded")
    shards = {"shards": tuple(2 * length for length in chunks)} if is_sharded else {}
    made = array(values, format_, chunks=chunks, **shards)
    memory = data.draw(st.integers(1, 3000), "memory")
    assert checksum(made, memory_nbytes=memory) == expected("int16", shape, values.tobytes())


@given(data=st.data())
@settings(max_examples=60)
def test_parts_follow_one_another_in_c_order(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(0, 6), max_size=4), "shape"))
    chunks = tuple(data.draw(st.integers(1, 4), "chunk") for _ in shape)
    limit = data.draw(st.integers(1, 200), "limit")
    made = zc.create(MemoryStore()).create_array("/x", shape=shape, dtype="i2", chunks=chunks)
    numbers = np.arange(math.prod(shape)).reshape(shape)
    parts = [numbers[box].reshape(-1) for box in slabs(made, limit)]
    assert np.concatenate([np.empty(0, int), *parts]).tolist() == numbers.reshape(-1).tolist()
    assert all(part.size * 2 <= max(2, limit) for part in parts)


def test_rows_of_chunks_are_not_cut_if_they_fit() -> None:
    made = zc.create(MemoryStore()).create_array("/x", shape=(10, 4), dtype="i2", chunks=(3, 2))
    assert row_nbytes(made, 8) == 24
    assert row_nbytes(made, 7) == 4
    assert [box[0] for box in slabs(made, 56)] == [slice(0, 6), slice(6, 10)]


@pytest.mark.parametrize(
    ("values", "data_type"),
    [
        (np.array([[1, 2], [3, 4]], ">f8"), "float64"),
        (np.array([True, False]), "bool"),
        (np.array([np.nan, -0.0], "f4"), "float32"),
        (np.array(5, "u1"), "uint8"),
        (np.zeros((0, 3), "c8"), "complex64"),
        (
            np.array(["2020-01-01", "NaT"], "M8[s]"),
            SECONDS,
        ),
        (np.array(["a", "bcd"], "U3"), {"name": "fixed_length_utf32", "configuration": {"length_bytes": 12}}),
    ],
)
def test_types_of_fixed_size(values: Any, data_type: Any) -> None:
    little = values.astype(values.dtype.newbyteorder("<")).tobytes()
    for format_ in ("v3", "v2"):
        assert checksum(array(values, format_)) == expected(data_type, values.shape, little)


def test_elements_of_variable_length() -> None:
    texts = np.array(["a", "", "größe"], np.dtypes.StringDType())
    encoded = b"".join(struct.pack("<Q", len(text.encode())) + text.encode() for text in texts)
    for format_ in ("v3", "v2"):
        assert checksum(array(texts, format_, dtype="string")) == expected("string", (3,), encoded)
    pieces = np.array([b"ab", b"\0"], object)
    encoded = b"".join(struct.pack("<Q", len(piece)) + piece for piece in pieces)
    for name in ("bytes", "variable_length_bytes"):
        assert checksum(array(pieces, dtype=name)) == expected("bytes", (2,), encoded)


def test_records() -> None:
    values = np.array([(1, 2.5), (3, 4.5)], [("a", "u1"), ("b", "f4")])
    digests = {checksum(array(values, format_)) for format_ in ("v3", "v2")}
    assert len(digests) == 1
    values["b"][1] = 5
    assert checksum(array(values)) not in digests


def test_shape_type_and_each_element_count() -> None:
    values = np.arange(6, dtype="i4")
    digests = {
        checksum(array(values)),
        checksum(array(values.reshape(2, 3))),
        checksum(array(values.astype("u4"))),
        checksum(array(values[::-1])),
    }
    assert len(digests) == 4


def test_other_hash_functions() -> None:
    made = array(np.arange(3, dtype="u1"))
    hashed = b'{"data_type":"uint8","shape":[3]}\n' + bytes(range(3))
    assert checksum(made, "xxh128") == xxhash.xxh128_hexdigest(hashed)
    with pytest.raises(UnsupportedError):
        checksum(made, "crc32")


def test_memory_does_not_grow_with_the_array() -> None:
    made = zc.create(MemoryStore()).create_array(
        "/x", shape=(1 << 9, 1 << 10, 1 << 10), dtype="u1", chunks=(1 << 9, 64, 64)
    )
    before, told = forget_peak(), []
    checksum(made, "xxh128", memory_nbytes=96 << 20, progress=told.append)
    assert peak_nbytes() - before < 200 << 20
    assert told[-1] == made.nbytes


def test_memory_does_not_grow_with_the_number_of_small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_MOST_UNITS", arrays._MOST_UNITS >> 4)
    made = zc.create(MemoryStore()).create_array("/x", shape=(1 << 40,), dtype="u1", chunks=(1,))
    before = forget_peak()
    told: list[int] = []

    def progress(nbytes: int) -> None:
        told.append(nbytes)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        checksum(made, progress=progress)
    assert peak_nbytes() - before < 600 << 16
    assert told == [1 << 14]
