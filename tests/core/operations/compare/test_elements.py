"""Elements of two arrays of any chunks, shards and formats, compared with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore as zc
from tests.memory import forget_peak, peak_nbytes
from zarrcore.errors import CodecError
from zarrcore.operations.compare import Difference, Wanted
from zarrcore.operations.compare.elements import compare_elements
from zarrcore.stores.memory import MemoryStore

FORMATS = st.sampled_from(["v3", "v2", "n5"])


def array(values: Any, chunk_shape: tuple[int, ...], format_: str = "v3", **options: Any) -> Any:
    hierarchy = zc.create(MemoryStore(), format_)
    made = hierarchy.create_array("/x", shape=values.shape, dtype=values.dtype, chunks=chunk_shape, **options)
    made[...] = values
    return made


def compared(one: Any, other: Any, examples: int = 3) -> Difference | None:
    return compare_elements(one, other, "/x", Wanted(examples=examples), None)


@given(data=st.data())
@settings(max_examples=80)
def test_planted_differences_are_counted_and_the_first_are_named(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=3), "shape"))
    values = np.random.default_rng(1).integers(-5, 5, shape).astype("f4")
    places = data.draw(st.sets(st.integers(0, values.size - 1), max_size=6), "places")
    planted = values.copy()
    planted.flat[sorted(places)] += 7
    arrays = []
    for content in (values, planted):
        chunks = tuple(data.draw(st.integers(1, length), "chunk") for length in shape)
        format_ = data.draw(FORMATS, "format")
        shards = {}
        if format_ == "v3" and data.draw(st.booleans(), "sharded"):
            shards = {"shards": tuple(2 * length for length in chunks)}
        arrays.append(array(content, chunks, format_, **shards))
    found = compared(*arrays)
    assert (found is None) == np.array_equal(values, planted)
    if found is not None:
        expected = [tuple(map(int, index)) for index in np.argwhere(values != planted)]
        assert (found.count, found.size, found.largest) == (len(expected), values.size, 7.0)
        assert [example.index for example in found.examples] == expected[:3]
        first = expected[0]
        assert (float(found.examples[0].a), float(found.examples[0].b)) == (values[first], planted[first])


def test_scalars_and_empty_arrays() -> None:
    one, other = (array(np.array(value, "i2"), ()) for value in (3, 4))
    found = compared(one, other)
    assert found is not None
    assert (found.count, found.examples[0].index, found.examples[0].b) == (1, (), "4")
    assert compared(one, one) is None
    empty = array(np.zeros((0, 3), "i2"), (1, 3))
    assert compared(empty, empty) is None


def test_missing_chunks_equal_stored_fill_values() -> None:
    one = array(np.zeros(10, "i2"), (5,), fill_value=0)
    other = array(np.zeros(10, "i2"), (5,), fill_value=1)
    assert one.storage_info().present == 0
    assert other.storage_info().present == 2
    assert compared(one, other) is None


def test_long_values_are_shortened() -> None:
    one, other = (array(np.array([letter * 500]), (1,)) for letter in "ab")
    found = compared(one, other, examples=1)
    assert found is not None
    assert len(found.examples[0].a) <= 60
    assert found.largest is None


def test_a_broken_chunk_is_an_error() -> None:
    store = MemoryStore()
    made = zc.create(store).create_array("/x", shape=(4,), dtype="i4", chunks=(2,))
    made[...] = 5
    store.set("x/c/1", b"broken")
    with pytest.raises(CodecError):
        compared(made, made)


def test_memory_does_not_grow_with_the_arrays() -> None:
    one, other = (
        zc.create(MemoryStore()).create_array(
            "/x", shape=(1 << 10, 1 << 10, 1 << 9), dtype="u1", chunks=chunk_shape
        )
        for chunk_shape in ((8, 1 << 10, 1 << 9), (1 << 10, 8, 1 << 9))
    )
    told: list[int] = []
    before = forget_peak()
    assert compare_elements(one, other, "/x", Wanted(), lambda _path, done, _total: told.append(done)) is None
    assert peak_nbytes() - before < 300 << 20
    assert told[-1] == one.nbytes == 1 << 29
