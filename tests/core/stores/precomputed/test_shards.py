"""Shards that are truncated, absent, or broken."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
import pytest

from zarrcore.errors import BrokenReferenceError
from zarrcore.stores import MemoryStore
from zarrcore.stores.precomputed.info import Sharding
from zarrcore.stores.precomputed.shards import Shards

SHARDING = Sharding(0, False, 1, 4, True, False)


def shard(chunks: dict[int, bytes]) -> bytes:
    """A shard with one minishard in use."""
    rows = [[*np.diff([0, *chunks])], [0] * len(chunks), [len(chunk) for chunk in chunks.values()]]
    data = b"".join(chunks.values())
    index = gzip.compress(np.array(rows, "<u8").tobytes())
    places = np.array([len(data), len(data) + len(index), 0, 0], "<u8").tobytes()
    return places + data + index


def shards(values: dict[str, Any], *, is_remote: bool = False) -> Shards:
    store = MemoryStore("", values)
    store.is_remote = is_remote
    return Shards(store, "a/", SHARDING)


@pytest.mark.parametrize("is_remote", [False, True])
def test_chunks_are_found(is_remote: bool) -> None:
    found = shards({"a/0.shard": shard({0: b"xyz", 32: b"", 64: b"0123"})}, is_remote=is_remote)
    assert [found.find(number) is None for number in (0, 1, 2, 32, 64, 96)] == [
        False,
        True,
        True,
        False,
        False,
        True,
    ]
    assert found.find(64)[:3] == ("a/0.shard", 32 + 3, 4)
    assert [*found.chunks(0)] == [(0, 3), (32, 0), (64, 4)]
    assert [*found.chunks(1)] == []


def test_a_shard_that_ends_early_is_an_error() -> None:
    whole = shard({0: b"xyz"})
    for length in (0, 31, len(whole) - 1):
        with pytest.raises(BrokenReferenceError, match="ends"):
            shards({"a/0.shard": whole[:length]}).find(0)
    with pytest.raises(BrokenReferenceError, match="index of its minishard 0 is broken"):
        shards({"a/0.shard": whole[:-20] + bytes(20)}).find(0)
