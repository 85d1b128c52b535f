"""The age of answers that are made from kept ones."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import zarrcore
from zarrcore.ages import aged, note_age
from zarrcore.stores import MemoryStore


def test_an_answer_is_as_old_as_its_oldest_part_in_each_block() -> None:
    def inner() -> None:
        note_age(5.0)

    def outer() -> float:
        note_age(9.0)
        return aged(inner)[1]

    assert aged(outer) == (5.0, 5.0)
    assert aged(note_age, math.inf) == (None, math.inf)


def test_what_failed_counts_as_used() -> None:
    def fail() -> None:
        note_age(5.0)
        raise ValueError("wrong")

    def outer() -> None:
        with pytest.raises(ValueError, match="wrong"):
            aged(fail)

    assert aged(outer) == (None, 5.0)


@pytest.mark.parametrize("shard_shape", [None, (4,)])
def test_decoded_chunks_are_dated_when_their_bytes_were_requested(
    shard_shape: tuple[int, ...] | None,
) -> None:
    store = MemoryStore()
    made = zarrcore.create(store).create_array(
        "x", shape=(8,), chunks=(2,), shards=shard_shape, dtype="uint8"
    )
    made[...] = np.arange(8)
    array = zarrcore.open_hierarchy(store, chunk_cache=zarrcore.ChunkCache(1 << 20))["x"]
    before_s = time.monotonic()
    assert aged(array.read, slice(0, 2))[0].tolist() == [0, 1]
    after_s = time.monotonic()
    found, oldest_s = aged(array.read, slice(0, 4))
    assert found.tolist() == [0, 1, 2, 3]
    assert before_s <= oldest_s <= after_s


def test_nodes_are_dated_when_their_documents_were_requested() -> None:
    store = MemoryStore()
    zarrcore.create(store).create_group("g")
    before_s = time.monotonic()
    hierarchy = zarrcore.open_hierarchy(store)
    node = hierarchy["g"]
    after_s = time.monotonic()
    assert before_s <= hierarchy.root.read_s <= node.read_s <= after_s
    assert hierarchy["g"].read_s == node.read_s
