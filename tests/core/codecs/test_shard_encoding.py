"""Shards that we write: what is left out, what lies where, and what stays when a part is written."""

from __future__ import annotations

import math
from typing import Any

import google_crc32c
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.codecs import ArraySpec, Pipeline, completed
from zarrcore.codecs.shard_update import updated_shard
from zarrcore.errors import CodecError, UnsupportedError
from zarrcore.metadata import NamedConfiguration

MISSING = 2**64 - 1
PLAIN = [{"name": "bytes", "configuration": {"endian": "little"}}]
NAN = np.array(0x7FC00001, "<u4").view("<f4")


def sharding(chunk_shape: list[int], codecs: Any = ("bytes",), **parameters: Any) -> NamedConfiguration:
    return NamedConfiguration(
        "sharding_indexed",
        {"chunk_shape": chunk_shape, "codecs": list(codecs), "index_codecs": PLAIN, **parameters},
    )


def pipeline(shape: tuple[int, ...], fill: Any, *codecs: NamedConfiguration) -> Pipeline:
    element = np.asarray(fill)
    return Pipeline(codecs, ArraySpec(shape, element.dtype, element))


def index_of(shard: bytes, chunks: int) -> list[list[int]]:
    return np.frombuffer(shard[-16 * chunks :], "<u8").reshape(chunks, 2).tolist()


def test_inner_chunks_of_the_fill_value_are_left_out() -> None:
    chain = pipeline((8,), np.array(7, "<u2"), sharding([2]))
    chunk = np.array([1, 2, 7, 7, 7, 3, 7, 7], "<u2")
    shard = bytes(chain.encode(chunk))
    assert shard[:8] == np.array([1, 2, 7, 3], "<u2").tobytes()
    assert index_of(shard, 4) == [[0, 4], [MISSING] * 2, [4, 4], [MISSING] * 2]
    assert np.array_equal(chain.decode(shard), chunk)


@pytest.mark.parametrize(
    ("fill", "other"), [(np.array(0.0), -0.0), (NAN, np.float32(np.nan)), (np.array("NaT", "M8[s]"), 5)]
)
def test_elements_are_equal_if_their_bits_are(fill: np.ndarray[Any, Any], other: Any) -> None:
    chain = pipeline((2,), fill, sharding([1]))
    chunk = np.array([fill, other], fill.dtype)
    shard = bytes(chain.encode(chunk))
    assert index_of(shard, 2) == [[MISSING] * 2, [0, fill.dtype.itemsize]]
    assert chain.decode(shard).tobytes() == chunk.tobytes()


def test_an_index_at_the_start_counts_itself() -> None:
    chain = pipeline(
        (4,),
        np.array(0, "u1"),
        *completed(
            [NamedConfiguration("sharding_indexed", {"chunk_shape": [2], "index_location": "start"})],
            ArraySpec((4,), np.dtype("u1"), np.array(0, "u1")),
        ),
    )
    shard = bytes(chain.encode(np.arange(4, dtype="u1")))
    assert np.frombuffer(shard[:32], "<u8").tolist() == [36, 2, 38, 2]
    assert int.from_bytes(shard[32:36], "little") == google_crc32c.value(shard[:32])
    assert shard[36:] == bytes(range(4))


def test_completed_adds_index_codecs_and_completes_nested_codecs() -> None:
    inner = {
        "name": "sharding_indexed",
        "configuration": {"chunk_shape": [1], "codecs": ["endian", "numcodecs.gzip"]},
    }
    codecs = [NamedConfiguration("sharding_indexed", {"chunk_shape": [2], "codecs": [inner]})]
    (done,) = completed(codecs, ArraySpec((4,), np.dtype("<u2"), np.array(0, "<u2")))
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    index = {"index_codecs": [little, {"name": "crc32c"}], "index_location": "end"}
    gzip = {"name": "gzip", "configuration": {"level": 5}}
    assert done.configuration == {
        "chunk_shape": [2],
        "codecs": [
            {
                "name": "sharding_indexed",
                "configuration": {"chunk_shape": [1], "codecs": [little, gzip], **index},
            }
        ],
        **index,
    }


def test_shards_of_before_july_2023_are_read_only() -> None:
    chain = pipeline((4,), np.array(0, "u1"), NamedConfiguration("sharding_indexed", {"chunk_shape": [2]}))
    with pytest.raises(UnsupportedError, match="index_codecs"):
        chain.encode(np.zeros(4, "u1"))


def test_texts_in_shards() -> None:
    texts = np.dtypes.StringDType()
    fill = np.array("nothing to be said here, at some length", texts)
    chain = pipeline((6,), fill, sharding([2], ["vlen-utf8", "zstd"]))
    chunk = np.array(["a", "b" * 50, fill.item(), fill.item(), "", "ü"], texts)
    shard = bytes(chain.encode(chunk))
    assert index_of(shard, 3)[1] == [MISSING] * 2
    assert chain.decode(shard).tolist() == chunk.tolist()


SHAPE = (8, 6)
CHAINS = {
    "plain": [sharding([4, 3])],
    "compressed": [sharding([2, 2], ["bytes", "zstd", "crc32c"])],
    "transposed within": [
        sharding([2, 6], [{"name": "transpose", "configuration": {"order": [1, 0]}}, "bytes"])
    ],
    "nested": [sharding([4, 6], [sharding([2, 2], index_location="start").document()])],
}


@pytest.mark.parametrize("name", CHAINS)
@settings(max_examples=40)
@given(data=st.data())
def test_writing_a_region_gives_the_shard_of_the_whole(name: str, data: st.DataObject) -> None:
    chain = pipeline(SHAPE, np.array(3, "<i2"), *CHAINS[name])
    chunk = np.full(SHAPE, 3, "<i2")
    encoded = None
    for _ in range(3):
        region = tuple(
            slice(
                *sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n)))),
                data.draw(st.integers(1, 3)),
            )
            for n in SHAPE
        )
        shape = chunk[region].shape
        numbers = data.draw(st.lists(st.integers(2, 4), min_size=math.prod(shape), max_size=math.prod(shape)))
        values = np.array(numbers, "<i2").reshape(shape)
        chunk[region] = values
        updated = updated_shard(chain, encoded, region, values)
        encoded = None if updated is None else bytes(updated)
        if (chunk == 3).all():
            assert encoded is None
        else:
            assert encoded == bytes(chain.encode(chunk))
            assert np.array_equal(chain.decode(encoded), chunk)


def test_inner_chunks_outside_the_region_are_not_decoded() -> None:
    chain = pipeline((8,), np.array(0, "<u2"), sharding([2], ["bytes", "gzip"]))
    shard = bytearray(chain.encode(np.arange(1, 9).astype("<u2")))
    (_, first_nbytes), (second, _), *_ = index_of(bytes(shard), 4)
    shard[second : second + 4] = b"\xff" * 4  # breaks the second inner chunk
    updated = updated_shard(chain, bytes(shard), (slice(0, 2),), np.array([9, 9], "<u2"))
    assert updated is not None
    updated = bytes(updated)
    (_, nbytes), (second_now, second_nbytes), *_ = index_of(updated, 4)
    assert updated[second_now : second_now + second_nbytes] == shard[second : second + second_nbytes]
    assert first_nbytes + nbytes > 0
    with pytest.raises(CodecError):
        updated_shard(chain, bytes(shard), (slice(2, 3),), np.array([1], "<u2"))
    assert updated_shard(chain, bytes(shard), (slice(2, 4),), np.array([5, 6], "<u2")) is not None


def test_a_shard_without_dimensions_is_written_in_part() -> None:
    chain = pipeline((), np.array(0, "<u2"), sharding([]))
    updated = updated_shard(chain, None, (), np.array(5, "<u2"))
    assert updated is not None
    assert chain.decode(updated)[()] == 5
    assert updated_shard(chain, updated, (), np.array(0, "<u2")) is None


def test_a_chunk_that_is_not_a_shard_is_refused() -> None:
    with pytest.raises(CodecError, match="only a shard"):
        updated_shard(
            pipeline((2,), np.array(0), NamedConfiguration("bytes")), None, (slice(0, 1),), np.array([1])
        )
