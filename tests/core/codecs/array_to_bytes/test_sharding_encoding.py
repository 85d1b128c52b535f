"""Encoding shards: missing inner chunks, the order of bytes, completed codecs."""

from __future__ import annotations

from typing import Any

import google_crc32c
import numpy as np
import pytest

from tests.core.codecs.shards import index_of, pipeline, sharding
from zarrcore.codecs import ArraySpec, completed
from zarrcore.errors import UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.typing import AnyArray

MISSING = 2**64 - 1


NAN = np.array(0x7FC00001, "<u4").view("<f4")


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
def test_elements_are_equal_if_their_bits_are(fill: AnyArray, other: Any) -> None:
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
