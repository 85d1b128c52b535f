"""The storage of an array: counted by listing, or chunk by chunk if the store cannot list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import zarrcore as zc
from zarrcore.array.storage_info import MAX_PROBED_CHUNKS, StorageInfo
from zarrcore.stores.interface import ByteRange, ListableStore, ReadableStore, StoreEntry
from zarrcore.stores.memory import MemoryStore

DATA = np.arange(1, 101, dtype="i4").reshape(10, 10)


class Unlistable(ReadableStore):
    """Values that can only be read by key."""

    def __init__(self, values: dict[str, bytes]) -> None:
        self.values = values
        self.url = "unlistable://"

    def get(self, key: str, byte_range: ByteRange | None = None, **options: Any) -> Any:
        value = self.values.get(key)
        return value if value is None or byte_range is None else value[slice(*byte_range.resolve(len(value)))]


class Unsized(Unlistable, ListableStore):
    """The same with a listing without sizes."""

    def list_prefix(self, prefix: str) -> Any:
        return (StoreEntry(key) for key in self.values if key.startswith(prefix))


def values_of(root: Path) -> dict[str, bytes]:
    return {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*") if file.is_file()}


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_chunks_present_missing_and_outside_the_grid_are_counted(tmp_path: Path, zarr_format: Any) -> None:
    root = tmp_path / "x.zarr"
    zarr.create_group(root, zarr_format=zarr_format).create_array("a", data=DATA, chunks=(3, 4))
    key = "a/c/{}/{}" if zarr_format == 3 else "a/{}.{}"
    (root / key.format(0, 0)).unlink()
    (root / key.format(4, 0)).parent.mkdir(exist_ok=True)
    (root / key.format(4, 0)).write_bytes(b"left")
    (root / "a/other").write_bytes(b"no chunk")
    stored = sum(
        (root / key.format(y, x)).stat().st_size for y in range(4) for x in range(3) if (y, x) != (0, 0)
    )
    expected = StorageInfo(12, 11, stored, DATA.nbytes, outside=1, outside_nbytes=4)
    values = values_of(root)
    assert zc.open_hierarchy(root)["a"].storage_info() == expected
    assert zc.open_hierarchy(MemoryStore(values=values))["a"].storage_info() == expected
    assert zc.open_hierarchy(Unsized(values))["a"].storage_info() == expected
    probed = zc.open_hierarchy(Unlistable(values))["a"].storage_info()
    assert probed == StorageInfo(12, 11, stored, DATA.nbytes), "chunks outside the grid are not checked"
    assert probed.missing == 1
    assert probed.ratio == pytest.approx(DATA.nbytes * 11 / 12 / stored)


def test_shards_count_as_chunks(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "x.zarr", data=DATA, chunks=(1, 5), shards=(5, 5))
    info = zc.open_hierarchy(tmp_path / "x.zarr")["/"].storage_info()
    assert (info.chunks, info.present) == (4, 4)


def test_an_empty_array_has_no_chunks_to_check_however_long_its_other_axis_is() -> None:
    store = MemoryStore()
    zc.create(store).create_array("a", shape=(0, 1 << 60), dtype="int8", chunks=(1, 1))
    values = {entry.key: bytes(store.get(entry.key) or b"") for entry in store.list()}
    assert zc.open_hierarchy(Unlistable(values))["a"].storage_info() == StorageInfo(0, 0, 0, 0)


def test_too_many_chunks_to_check_one_by_one_is_an_error() -> None:
    store = MemoryStore()
    zc.create(store).create_array("a", shape=(MAX_PROBED_CHUNKS + 1,), dtype="int8", chunks=(1,))
    array = zc.open_hierarchy(store)["a"]
    assert array.storage_info().present == 0
    values = {entry.key: bytes(store.get(entry.key) or b"") for entry in store.list()}
    with pytest.raises(zc.ListingUnsupportedError, match="10,001 chunks one by one would take too long"):
        zc.open_hierarchy(Unlistable(values))["a"].storage_info()


def test_the_ratio_of_strings_of_variable_length_is_unknown() -> None:
    array = zc.create(MemoryStore()).create_array("a", shape=(3,), dtype="string")
    array[...] = ["long" * 100, "", "ü"]
    info = array.storage_info()
    assert (info.present, info.nbytes, info.ratio) == (1, None, None)


def test_an_array_without_stored_chunks_is_counted() -> None:
    hierarchy = zc.create(MemoryStore())
    for name, shape in (("a", (0,)), ("b", (5,)), ("c", ())):
        hierarchy.create_array(name, shape=shape, dtype="int8")
        info = hierarchy[name].storage_info()
        assert (info.present, info.stored_nbytes, info.ratio) == (0, 0, None)
    assert hierarchy["c"].storage_info().chunks == 1


@given(present=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_any_set_of_chunks_is_counted(present: set[tuple[int, int]]) -> None:
    store = MemoryStore()
    array = zc.create(store).create_array("a", shape=(12, 7), dtype="int8", chunks=(3, 2))
    for y, x in present:
        store.set(f"a/c/{y}/{x}", bytes(y + 1))
    inside = [y for y, x in present if y < 4 and x < 4]
    info = array.storage_info()
    assert (info.chunks, info.present, info.stored_nbytes) == (16, len(inside), sum(y + 1 for y in inside))
    assert info.outside == len(present) - len(inside)


def test_each_chunk_is_reported_and_counting_can_be_stopped(tmp_path: Path) -> None:
    root = tmp_path / "x.zarr"
    zarr.create_group(root).create_array("a", data=DATA, chunks=(3, 4))
    (root / "a/c/0/0").unlink()
    for store in (
        root,
        MemoryStore(values=values_of(root)),
        Unsized(values_of(root)),
        Unlistable(values_of(root)),
    ):
        array, told = zc.open_hierarchy(store)["a"], {}
        info = array.storage_info(told.__setitem__)
        assert set(told) == {(y, x) for y in range(4) for x in range(3)} - {(0, 0)}
        assert (len(told), sum(told.values())) == (info.present, info.stored_nbytes)

        def stop(_index: tuple[int, ...], _nbytes: int) -> None:
            raise zc.ReadCancelledError("enough")

        with pytest.raises(zc.ReadCancelledError, match="enough"):
            array.storage_info(stop)
