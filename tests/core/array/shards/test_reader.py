"""A shard that is replaced between two reads gives its old or its new elements, never other bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zarrcore
from zarrcore.errors import ChangedError
from zarrcore.stores import ByteRange, BytesLike, MemoryStore

NESTED = {
    "name": "sharding_indexed",
    "configuration": {
        "chunk_shape": [2, 2],
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
    },
}
OLD = np.arange(1, 65, dtype="i4").reshape(8, 8)
NEW = OLD + 100
NEW[:2, :2] = 0  # a missing inner chunk, so that all others are at other positions


class Replaced(MemoryStore):
    """A store that replaces a shard after its n-th read."""

    def __init__(self) -> None:
        super().__init__()
        self.replace: Callable[[], Any] = lambda: None
        self.after = -1

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        value = super().get(key, byte_range, max_nbytes=max_nbytes)
        if "/c/" in key:
            self.after -= 1
            if self.after == 0:
                self.replace()
        return value


def made(codecs: list[Any], cache: zarrcore.ChunkCache | None = None) -> tuple[Replaced, Any]:
    store = Replaced()
    inner = (4, 4) if codecs else (2, 2)
    zarrcore.create(store).create_array(
        "a", shape=(8, 8), data_type="int32", chunk_shape=inner, shard_shape=(8, 8), codecs=codecs
    )[...] = OLD
    array, other = zarrcore.open(store, chunk_cache=cache)["a"], zarrcore.open(store, "r+")["a"]
    store.replace = lambda: other.__setitem__(..., NEW)
    return store, array


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("codecs", [[], [NESTED]])
@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_replaced_shard_reads_as_old_or_new(codecs: list[Any], after: int, cached: bool) -> None:
    store, array = made(codecs, zarrcore.ChunkCache(1 << 20) if cached else None)
    store.after = after
    found = array[...]
    units = [found[y : y + 2, x : x + 2] for y in range(0, 8, 2) for x in range(0, 8, 2)]
    places = [np.s_[y : y + 2, x : x + 2] for y in range(0, 8, 2) for x in range(0, 8, 2)]
    for unit, place in zip(units, places, strict=True):
        assert np.array_equal(unit, OLD[place]) or np.array_equal(unit, NEW[place])


def test_an_index_in_the_cache_is_not_taken_for_the_new_shards() -> None:
    store, array = made([], zarrcore.ChunkCache(1 << 20))
    assert array[7, 7] == OLD[7, 7]
    store.replace()
    assert array[5, 5] == NEW[5, 5]


def test_a_shard_that_keeps_changing_is_an_error() -> None:
    store, array = made([])
    again = store.replace

    def replace() -> None:
        store.after = -1
        again()
        store.after = 1

    store.replace, store.after = replace, 1
    with pytest.raises(ChangedError, match=r"a/c/0/0 in .* changes faster than it can be read"):
        array[...]
