"""Listing one group of arrays: the same keys by directories and by prefixes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import InvalidKeyError
from zarrcore.stores import MemoryStore
from zarrcore.stores.interface import BytesLike, StoreEntry
from zarrcore.stores.virtual.flat_file import FlatFile
from zarrcore.stores.virtual.parsed_file import FileVersion
from zarrcore.stores.virtual.store import Part

Arrays = dict[str, list[tuple[int, ...]]]


class Grids(FlatFile[Arrays]):
    """Arrays by name, with the indices of their chunks."""

    presents = "grids"

    def __init__(self, arrays: Arrays) -> None:
        super().__init__(MemoryStore(), "a", "grids://a")
        self.arrays = arrays

    def read_content(self) -> tuple[Arrays, FileVersion]:
        return self.arrays, FileVersion(0, None)

    def find(self, key: str) -> BytesLike | Part | None:
        return None

    def array_names(self) -> Collection[str]:
        return [*self.content]

    def chunk_entries(self, name: str, prefix: str) -> Iterator[StoreEntry]:
        for index in self.content[name]:
            key = "/".join((name, "c", *map(str, index)))
            if key.startswith(prefix):
                yield StoreEntry(key, 8)


GRIDS = st.dictionaries(
    st.sampled_from(["a", "ab", "b", "c"]),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), unique=True)
    | st.lists(st.tuples(st.integers(0, 3)), unique=True)
    | st.just([()]),
    max_size=3,
)


@given(arrays=GRIDS)
def test_directories_and_prefixes_list_the_same_keys(arrays: Arrays) -> None:
    store = Grids(arrays)
    keys = ["zarr.json"]
    for name, indices in arrays.items():
        keys += [f"{name}/zarr.json", *("/".join((name, "c", *map(str, index))) for index in indices)]
    assert sorted(entry.key for entry in store.list_prefix("")) == sorted(keys)
    assert sorted(_walked(store, "")) == sorted(keys)
    for name in arrays:
        below = [key for key in keys if key.startswith(f"{name}/")]
        assert sorted(entry.key for entry in store.list_prefix(f"{name}/")) == sorted(below)
        chunks = [key for key in keys if key.startswith(f"{name}/c/1/")]
        assert sorted(entry.key for entry in store.list_prefix(f"{name}/c/1/")) == sorted(chunks)


def _walked(store: Grids, prefix: str) -> Iterator[str]:
    for entry in store.list_dir(prefix):
        if entry.is_prefix:
            yield from _walked(store, entry.key)
        else:
            yield entry.key


def test_other_prefixes_are_empty_or_refused() -> None:
    store = Grids({"a": [(0,)]})
    assert [*store.list_dir("b/")] == [*store.list_prefix("b/")] == []
    assert [*store.list_dir("a/c/7/")] == []
    with pytest.raises(InvalidKeyError):
        [*store.list_dir("a")]
