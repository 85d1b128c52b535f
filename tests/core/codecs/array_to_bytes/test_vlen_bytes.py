"""``vlen-utf8`` and ``vlen-bytes``: chunks that numcodecs writes and reads, and chunks that are invalid."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numcodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import zero

KINDS = {"vlen-utf8": ("string", numcodecs.VLenUTF8()), "vlen-bytes": ("bytes", numcodecs.VLenBytes())}


def pipeline(codec: str, shape: tuple[int, ...], *more: str) -> Pipeline:
    dtype = parse_data_type(KINDS[codec][0]).dtype
    named = [NamedConfiguration(name) for name in (codec, *more)]
    return Pipeline(named, ArraySpec(shape, dtype, zero(dtype)))


def objects(values: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)


TEXT = st.text(st.characters(codec="utf-8"), max_size=20)


@given(st.sampled_from(sorted(KINDS)), st.sampled_from([(), (1,), (2, 3), (0,)]), st.data())
def test_the_bytes_are_those_of_numcodecs(codec: str, shape: tuple[int, ...], data: st.DataObject) -> None:
    size = int(np.prod(shape))
    values = data.draw(
        st.lists(TEXT if codec == "vlen-utf8" else st.binary(max_size=20), min_size=size, max_size=size)
    )
    array, theirs = objects(values, shape), KINDS[codec][1]
    made = pipeline(codec, shape)
    ours = array.astype(made.spec.dtype)
    encoded = bytes(made.encode(ours))
    assert encoded == bytes(theirs.encode(array.reshape(-1)))
    decoded = made.decode(encoded)
    assert decoded.dtype == made.spec.dtype
    assert decoded.tolist() == array.tolist()
    if len(shape) > 1:
        assert bytes(pipeline(codec, shape[::-1]).encode(ours.T)) == bytes(theirs.encode(array.T.reshape(-1)))


@pytest.mark.parametrize("codec", sorted(KINDS))
@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"\2\0\0",
        b"\3\0\0\0" + bytes(12),  # more elements than the chunk has
        b"\1\0\0\0" + bytes(8),  # fewer
        b"\2\0\0\0" + bytes(4),  # one is missing
        b"\2\0\0\0\5\0\0\0abc\0",  # shorter than announced
        b"\2\0\0\0\xff\xff\xff\xff\0\0\0\0",
        b"\xff\xff\xff\xff" + bytes(64),
    ],
)
def test_broken_chunks(codec: str, broken: bytes) -> None:
    with pytest.raises(CodecError, match="vlen"):
        pipeline(codec, (2,)).decode(broken)


def test_invalid_utf8_is_refused() -> None:
    with pytest.raises(CodecError, match=r"vlen-utf8.*utf-8"):
        pipeline("vlen-utf8", (1,)).decode(b"\1\0\0\0\1\0\0\0\xff")


def test_missing_elements_allocate_no_memory() -> None:
    made = pipeline("vlen-bytes", (2**26,))
    tracemalloc.start()
    try:
        with pytest.raises(CodecError, match="at least 268,435,460 bytes"):
            made._decode_array(b"\0\0\0\4" + bytes(1000))
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_objects_of_another_kind_are_not_encoded() -> None:
    with pytest.raises(CodecError, match="bytes"):
        pipeline("vlen-bytes", (2,)).encode(objects(["text", b"bytes"], (2,)))


@pytest.mark.parametrize(
    ("codec", "data_type"),
    [("vlen-utf8", "bytes"), ("vlen-bytes", "string"), ("vlen-utf8", "r8"), ("bytes", "string")],
)
def test_codecs_for_other_data_types_are_refused(codec: str, data_type: str) -> None:
    dtype = parse_data_type(data_type).dtype
    with pytest.raises(MetadataError, match="elements of"):
        Pipeline([NamedConfiguration(codec)], ArraySpec((1,), dtype, zero(dtype)))


def test_a_shard_leaves_out_chunks_of_the_fill_value() -> None:
    dtype = np.dtypes.StringDType()
    inner = {"chunk_shape": [2], "codecs": ["vlen-utf8", "zstd"], "index_codecs": ["bytes", "crc32c"]}
    spec = ArraySpec((6,), dtype, np.array("fill", dtype))
    made = Pipeline([NamedConfiguration("sharding_indexed", inner)], spec)
    values = np.array(["fill", "fill", "a", "fill", "", "é" * 100], dtype)
    shard = made.encode(values)
    assert made.decode(shard).tolist() == values.tolist()
    assert made.shard is not None
    start, stop = made.shard.index_range(spec).resolve(len(shard))
    assert made.shard.member(made.shard.parse_index(memoryview(shard)[start:stop], spec), 0) is None
