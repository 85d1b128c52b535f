"""Shards that are truncated, absent, or broken."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
import pytest

from zarrcore.errors import BrokenReferenceError
from zarrcore.stores import MemoryStore
from zarrcore.stores.interface import StoreStat
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


class Edges(MemoryStore):
    """Two servers behind one address, with etags of their own for the same values, which are old."""

    is_remote = True
    answers = 0

    def get_with_stat(self, *arguments: Any, **keywords: Any) -> Any:
        self.answers += 1
        value, stat = super().get_with_stat(*arguments, **keywords) or (b"", StoreStat(0))
        return value, StoreStat(stat.size, 1.0, f"edge {self.answers % 2}")


def test_etags_of_two_servers_are_one_version() -> None:
    store = Edges("", {"a/0.shard": shard({0: b"xyz"})})
    assert Shards(store, "a/", SHARDING).find(0)[:3] == ("a/0.shard", 32, 3)
    assert store.answers == 2


def test_a_shard_that_ends_early_is_an_error() -> None:
    whole = shard({0: b"xyz"})
    for length in (0, 31, len(whole) - 1):
        with pytest.raises(BrokenReferenceError, match="ends"):
            shards({"a/0.shard": whole[:length]}).find(0)
    with pytest.raises(BrokenReferenceError, match="index of its minishard 0 is broken"):
        shards({"a/0.shard": whole[:-20] + bytes(20)}).find(0)
