"""Erasing what is outside an array after it became smaller."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from zarrcore.hierarchy.elements_outside import erase_outside, with_whole_chunks
from zarrcore.stores.interface import ReadableStore, WritableStore
from zarrcore.stores.memory import MemoryStore


class WithoutListing(ReadableStore, WritableStore):
    """A store that cannot list."""

    url = "memory://"

    def __init__(self, inner: MemoryStore) -> None:
        self.inner = inner

    def get(self, key: str, *arguments: Any, **options: Any) -> Any:
        return self.inner.get(key, *arguments, **options)

    def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
        return self.inner.set(key, value, if_absent=if_absent)

    def erase(self, key: str) -> None:
        self.inner.erase(key)


@pytest.mark.parametrize("lists", [True, False])
@pytest.mark.parametrize("shape", [(3, 5), (7, 2), (4, 4), (0, 7), (7, 7)])
def test_elements_outside_are_fill_values_when_the_array_grows_again(
    shape: tuple[int, int], lists: bool
) -> None:
    inner = MemoryStore()
    array = zc.create(inner).create_array("/x", shape=(7, 7), dtype="i1", chunks=(2, 3), fill_value=9)
    array[...] = values = np.arange(49).reshape(7, 7)
    store = inner if lists else WithoutListing(inner)
    erase_outside(store, "x/", array.metadata, replace(array.metadata, shape=shape), 1 << 20)
    inside = np.zeros((7, 7), bool)
    inside[: shape[0], : shape[1]] = True
    assert np.array_equal(array[...], np.where(inside, values, 9))


def test_an_array_with_whole_chunks() -> None:
    metadata = zc.create(MemoryStore()).create_array("/x", shape=(7, 7), dtype="i1", chunks=(2, 3)).metadata
    assert with_whole_chunks(metadata).shape == (8, 9)
    assert with_whole_chunks(replace(metadata, shape=(0, 7))).shape == (0, 7)
