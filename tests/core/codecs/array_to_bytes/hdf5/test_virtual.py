"""Chunks of virtual datasets of HDF5."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs import ArraySpec
from zarrcore.codecs.array_to_bytes.hdf5.virtual import Hdf5VirtualCodec, converted
from zarrcore.errors import CodecError, ZarrError

SPEC = ArraySpec((3, 4), np.dtype("i2"), np.array(-1, "i2"))
SOURCE = {
    "data_type": "int16",
    "shape": [2, 2],
    "fill_value": 9,
    "codecs": [
        {"name": "bytes", "configuration": {"endian": "little"}},
        {"name": "gzip", "configuration": {"level": 1}},
    ],
}
PLAIN = {**SOURCE, "codecs": SOURCE["codecs"][:1]}
FOUR = np.arange(4, dtype="<i2").tobytes()


def container(sources: Any, parts: Any, data: bytes = b"") -> bytes:
    head = json.dumps({"sources": sources, "parts": parts}).encode()
    return len(head).to_bytes(8, "little") + head + data


def decoded(*arguments: Any) -> Any:
    return Hdf5VirtualCodec.from_configuration({}).decode(container(*arguments), SPEC).tolist()


def test_parts_go_where_they_belong() -> None:
    whole, row = [[0, 1, 2], [0, 1, 2]], [[1, 1, 1], {"at": [1, 0]}]
    parts = [[0, 8, whole, [[0, 2, 2], {"at": [0, 3]}]], [0, None, row, [[1, 1, 1], [1, 1, 2]]]]
    assert decoded([PLAIN], parts, FOUR) == [[0, -1, -1, 1], [-1, 9, 9, -1], [2, -1, -1, 3]]
    assert decoded([PLAIN], [[0, 8, row, [[0, 1, 2], [3, 1, 1]]]], FOUR) == [
        [-1, -1, -1, 3],
        [-1, -1, -1, 2],
        [-1] * 4,
    ]
    assert decoded([], []) == [[-1] * 4] * 3


@pytest.mark.parametrize(
    ("sources", "parts", "data"),
    [
        ([], [[0, 8, [], []]], FOUR),
        ([{**PLAIN, "shape": [1 << 40]}], [], b""),
        ([{**PLAIN, "shape": [1 << 14, 1 << 14]}], [[0, None, [[0, 1, 1]] * 2, [[0, 1, 1]] * 2]] * 20, b""),
        ([PLAIN], [[0, 8, [[0, 1, 3], [0, 1, 2]], [[0, 1, 3], [0, 1, 2]]]], FOUR),
        ([PLAIN], [[0, 8, [[-1, 1, 1], [0, 1, 2]], [[0, 1, 1], [0, 1, 2]]]], FOUR),
        ([PLAIN], [[0, 8, [[0, 0, 1], [0, 1, 2]], [[0, 1, 1], [0, 1, 2]]]], FOUR),
        ([PLAIN], [[0, 8, [[0, 1, 2], [0, 1, 2]], [[0, 1, 1], [0, 1, 2]]]], FOUR),
        ([PLAIN], [[0, 8, [[0, 1, 2], [0, 1, 2]], [[0, 1, 2], [0, 1, 2]]]], FOUR[:7]),
        ([SOURCE], [[0, 8, [[0, 1, 2], [0, 1, 2]], [[0, 1, 2], [0, 1, 2]]]], FOUR),
        ([{**PLAIN, "data_type": "float32"}], [[0, None, [[0, 1, 2]] * 2, [[0, 1, 2]] * 2]], b""),
        ([{**PLAIN, "codecs": [{"name": "hdf5.virtual"}]}], [[0, 8, [[0, 1, 2]] * 2, [[0, 1, 2]] * 2]], FOUR),
    ],
)
def test_broken_parts_are_errors(sources: Any, parts: Any, data: bytes) -> None:
    with pytest.raises(CodecError):
        decoded(sources, parts, data)


@given(st.binary(max_size=60))
def test_any_bytes_are_elements_or_an_error(data: bytes) -> None:
    for content in (data, len(data).to_bytes(8, "little") + data):
        with pytest.raises(ZarrError):
            Hdf5VirtualCodec().decode(content, SPEC)


@pytest.mark.parametrize(
    ("source", "target"), [("u8", "i1"), ("i8", "u4"), ("i4", "f4"), ("f8", "f2"), (">i2", "<i2")]
)
def test_numbers_out_of_range_become_the_nearest(source: str, target: str) -> None:
    limits = np.iinfo(source) if source[-2] in "iu" else np.finfo(source)
    values = np.array([limits.min, 0, 100, limits.max], source)
    found = converted(values, np.dtype(target))
    assert found.dtype in (np.dtype(target), np.dtype(source))
    assert found[1:3].tolist() == [0, 100]
    with pytest.raises(ValueError, match="its source has the type"):
        converted(np.array([1.5]), np.dtype("i4"))
