"""Writing a region of a shard."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.codecs.shards import index_of, pipeline, sharding
from zarrcore.codecs.region import as_part, outer_region
from zarrcore.codecs.shard_update import updated_shard
from zarrcore.errors import CodecError
from zarrcore.metadata import NamedConfiguration

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


@pytest.mark.parametrize("name", CHAINS)
@settings(max_examples=40)
@given(data=st.data())
def test_points_and_outer_products_are_written_as_in_numpy(name: str, data: st.DataObject) -> None:
    chain = pipeline(SHAPE, np.array(3, "<i2"), *CHAINS[name])
    chunk = np.full(SHAPE, 3, "<i2")
    encoded = None
    for number in range(2):
        if data.draw(st.booleans()):
            ascending = [st.sets(st.integers(0, n - 1), min_size=1).map(sorted) for n in SHAPE]
            region = outer_region([as_part(np.array(data.draw(axis))) for axis in ascending])
        else:  # in any order, some of them twice
            point = st.tuples(*(st.integers(0, n - 1) for n in SHAPE))
            points = data.draw(st.lists(point, min_size=1, max_size=30))
            region = tuple(np.array(axis) for axis in zip(*points, strict=True))
        values = np.arange(chunk[region].size, dtype="<i2").reshape(chunk[region].shape) + 50 * number
        chunk[region] = values
        updated = updated_shard(chain, encoded, region, values)
        encoded = None if updated is None else bytes(updated)
        assert encoded == (None if (chunk == 3).all() else bytes(chain.encode(chunk)))


def test_all_points_of_an_inner_chunk_may_come_in_any_order() -> None:
    chain = pipeline((4,), np.array(0, "<u2"), sharding([2]))
    updated = updated_shard(chain, None, (np.array([3, 2]),), np.array([5, 6], "<u2"))
    assert updated is not None
    assert chain.decode(bytes(updated)).tolist() == [0, 0, 6, 5]


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
