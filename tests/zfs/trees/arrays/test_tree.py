"""The trees without a kernel: their entries, their requests to the store, and their caches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore as zc
from zarrcore.errors import ChangedError, ListingUnsupportedError, MetadataError, UnsupportedError
from zarrcore.stores import MemoryStore
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
)
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.control import Control
from zarrfs.trees.entry import Directory, Entry, File
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.freshness import Freshness, Remembered
from zarrfs.trees.keys.tree import KeysTree
from zarrfs.trees.root import LazyTree, NamedTrees, WithControl


class Clock:
    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


class Remote(ReadableStore, ListableStore):
    """A store in memory that is marked as remote, and records its requests."""

    is_remote = True
    requests_in_flight = 8

    def __init__(self, values: dict[str, bytes], listable: bool = True, sizes: bool = True) -> None:
        self.url = "test://far"
        self.values = values
        self.listable = listable
        self.sizes = sizes
        self.asked: list[tuple[str, str]] = []

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self.asked.append(("get", key))
        value = self.values.get(key)
        if value is None or byte_range is None:
            return value
        start, stop = byte_range.resolve(len(value))
        return value[start:stop]

    def stat(self, key: str) -> StoreStat | None:
        self.asked.append(("stat", key))
        value = self.values.get(key)
        return None if value is None else StoreStat(len(value), 5.0, str(hash(value)))

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        self.asked.append(("list", prefix))
        if not self.listable:
            raise ListingUnsupportedError("cannot list")
        for key, value in self.values.items():
            if key.startswith(prefix):
                yield StoreEntry(key, len(value) if self.sizes else None, 5.0)


def names(directory: Directory) -> list[str]:
    return [name for name, _ in directory.entries()]


def walk(directory: Directory, *parts: str, wait: bool = True) -> Any:
    entry: Entry | None = directory
    for part in parts:
        assert isinstance(entry, Directory)
        entry = entry.lookup(part, wait)
    return entry


def content(entry: Any) -> bytes:
    assert isinstance(entry, File)
    return bytes(entry.open(True).read(0, entry.size, True))


def fresh(ttl_s: float = 60.0, clock: Clock | None = None) -> Freshness:
    return Freshness(ttl_s, clock or Clock())


KEYS = {
    "a": b"A",
    "a/b": b"AB",
    "a//c": b"empty",
    "d/../e": b"up",
    "z": b"",
    "n\0l": b"nul",
    "%2E": b"percent",
}


@pytest.fixture(params=[MemoryStore, Remote])
def store(request: pytest.FixtureRequest) -> ReadableStore:
    return MemoryStore(values=dict(KEYS)) if request.param is MemoryStore else Remote(dict(KEYS))


def test_directories_win_and_odd_segments_are_spelled(store: ReadableStore) -> None:
    root = KeysTree(store, fresh()).root()
    assert sorted(names(root)) == ["%252E", "a", "d", "n%00l", "z"]
    assert sorted(names(walk(root, "a"))) == ["%", "b"]
    assert content(walk(root, "a", "b")) == b"AB"
    assert content(walk(root, "a", "%", "c")) == b"empty"
    assert content(walk(root, "d", "%2E%2E", "e")) == b"up"
    assert content(walk(root, "n%00l")) == b"nul"
    assert content(walk(root, "%252E")) == b"percent"
    assert walk(root, "%2E") is None
    assert walk(root, "nothing") is None


def test_keys_first_shows_the_key(store: ReadableStore) -> None:
    root = KeysTree(store, fresh(), keys_first=True).root()
    assert content(walk(root, "a")) == b"A"
    assert isinstance(walk(root, "d"), Directory)
    assert isinstance(dict(root.entries())["a"], File)


def test_a_remote_store_is_asked_once_within_the_time_to_live() -> None:
    clock = Clock()
    store = Remote({"a/b": b"1", "c": b"22"})
    root = KeysTree(store, fresh(60.0, clock)).root()
    with pytest.raises(WouldBlockError):
        root.lookup("c", wait=False)
    assert root.lookup("c", wait=True) is not None
    store.asked.clear()
    assert root.lookup("c", wait=False) is not None
    assert store.asked == []
    clock.s += 61
    with pytest.raises(WouldBlockError):
        root.lookup("c", wait=False)


def test_a_listing_answers_for_absent_names() -> None:
    store = Remote({"a/b": b"1", "c": b"22"})
    root = KeysTree(store, fresh()).root()
    assert names(root) == ["a", "c"]
    store.asked.clear()
    assert root.lookup("nothing", wait=False) is None
    assert isinstance(root.lookup("a", wait=False), Directory)
    assert store.asked == []


def test_refreshing_forgets() -> None:
    freshness = fresh(float("inf"))
    store = Remote({"c": b"22"})
    root = KeysTree(store, freshness).root()
    assert names(root) == ["c"]
    store.values["d"] = b""
    assert root.lookup("d", wait=False) is None
    freshness.refresh()
    assert names(root) == ["c", "d"]


def test_sizes_missing_from_a_listing_are_requested() -> None:
    root = KeysTree(Remote({"c": b"22", "d": b"333"}, sizes=False), fresh()).root()
    assert [entry.size for _, entry in root.entries() if isinstance(entry, File)] == [2, 3]


def test_a_store_without_listings_is_walked_by_name() -> None:
    store = Remote({"foo/zarr.json": b"{}", "v1.0/zarr.json": b"{}"}, listable=False)
    root = KeysTree(store, fresh(), is_node=lambda path: path == "/v1.0").root()
    assert content(walk(root, "foo", "zarr.json")) == b"{}"
    assert content(walk(root, "v1.0", "zarr.json")) == b"{}"
    assert walk(root, "zarr.json") is None
    with pytest.raises(ListingUnsupportedError):
        names(root)


def test_parts_of_a_value_all_belong_to_one_version() -> None:
    store = Remote({"k": bytes(3 << 20)})
    opened = walk(KeysTree(store, fresh()).root(), "k").open(True)
    assert opened.read(5, 10, True) == bytes(10)
    store.values["k"] = b"\1" * (3 << 20)
    with pytest.raises(ChangedError):
        opened.read(100, 10, True)


def test_a_small_remote_value_is_fetched_once() -> None:
    store = Remote({"k": b"0123456789"})
    opened = walk(KeysTree(store, fresh()).root(), "k").open(False)
    with pytest.raises(WouldBlockError):
        opened.read(2, 3, False)
    assert opened.read(2, 3, True) == b"234"
    store.asked.clear()
    assert opened.read(5, 99, False) == b"56789"
    assert store.asked == []


def test_a_value_that_vanished_is_stale() -> None:
    store = MemoryStore(values={"k": b"0123456789"})
    entry = walk(KeysTree(store, fresh()).root(), "k")
    opened = entry.open(True)
    store.erase("k")
    with pytest.raises(ChangedError):
        opened.read(0, 5, True)
    with pytest.raises(ChangedError):
        entry.open(True)


def test_remembered_answers_are_bounded() -> None:
    remembered: Remembered[int, int] = Remembered(fresh(), budget=10)
    for question in range(100):
        remembered.put(question, question, 100.0)
    assert len(remembered) == 10
    assert remembered.get(99) == (99, 100.0)
    assert remembered.get(0) is None
    remembered.put(1000, 0, 100.0, weight=11)
    assert len(remembered) == 0


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("views") / "h.zarr"
    group = zarr.open_group(path, mode="w", attributes={"title": "é"})
    group.create_array(
        "cube", shape=(3, 4, 5, 6), chunks=(2, 2, 3, 3), dtype="i4", dimension_names=["t", "z", "y", "x"]
    )
    group["cube"][...] = np.arange(360).reshape(3, 4, 5, 6)
    group.create_array("metadata.json", shape=(2,), dtype="u1")
    group.create_array("text", shape=(2,), dtype=str)
    broken = group.create_array("broken", shape=(2,), dtype="u1")
    document = path / broken.path / "zarr.json"
    document.write_text(document.read_text().replace('"bytes"', '"no-such-codec"'))
    return path


def arrays(path: Path, **options: Any) -> Directory:
    return ArraysTree(lambda: zc.open(path), fresh(), **options).root(True)


def test_a_group_is_a_directory_of_nodes_and_documents(small: Path) -> None:
    root = arrays(small)
    assert sorted(names(root)) == ["attributes.json", "broken", "cube", "metadata.json", "text"]
    assert json.loads(content(walk(root, "attributes.json"))) == {"title": "é"}
    # A node wins over a virtual file of the same name.
    assert isinstance(walk(root, "metadata.json"), Directory)
    assert walk(root, "nothing") is None


def test_an_array_is_a_directory_of_virtual_files(small: Path) -> None:
    cube = walk(arrays(small), "cube")
    assert names(cube) == ["metadata.json", "attributes.json", "data.raw", "data.npy", "slices"]
    expected = np.arange(360, dtype="<i4").reshape(3, 4, 5, 6)
    assert content(walk(cube, "data.raw")) == expected.tobytes()
    assert content(walk(cube, "[t=2,x=0:3].raw")) == expected[2, ..., :3].tobytes()
    assert content(walk(cube, "2,_,0-2.raw")) == expected[2, :, 0:2].tobytes()
    assert content(walk(cube, "t=2,x=0-3.raw")) == expected[2, ..., :3].tobytes()
    for name in ("[t=9].raw", "3.raw", "[q=1].raw", "data.jpg", "slices.raw", "data"):
        assert walk(cube, name) is None


def test_slices_are_computed(small: Path) -> None:
    slices = walk(arrays(small), "cube", "slices")
    expected = np.arange(360, dtype="<i4").reshape(3, 4, 5, 6)
    assert names(slices) == ["0", "1", "2"]
    assert names(walk(slices, "1")) == [f"{z}.{kind}" for z in range(4) for kind in ("raw", "npy")]
    assert content(walk(slices, "1", "3.raw")) == expected[1, 3].tobytes()
    assert walk(slices, "1", "3.png") is not None
    for parts in (("3",), ("01",), ("-1",), ("1.raw",), ("1", "4.raw"), ("1", "3"), ("1", "3.jpg"), ("x",)):
        assert walk(slices, *parts) is None
    assert [name for name, _ in walk(slices, "1").entries_from(5)] == ["2.npy", "3.raw", "3.npy"]


def test_places_of_slices_are_unique_and_reversible(small: Path) -> None:
    slices = walk(arrays(small), "cube", "slices")
    places = []
    for name, level in slices.entries():
        found = [(name, level), *((f"{name}/{file}", entry) for file, entry in level.entries())]
        for path, entry in found:
            numbering, place = entry.numbered
            places.append(place)
            assert 0 <= place < numbering.count
            again = numbering.entry(place)
            assert type(again) is type(entry), path
            assert again.numbered == (numbering, place)
    assert len(set(places)) == len(places) == 3 + 3 * 4 * 2


def test_nodes_have_metadata_for_extended_attributes(small: Path) -> None:
    root = ArraysTree(lambda: zc.open(small), fresh()).root(True)
    tree = WithControl(LazyTree(lambda wait: root), root)
    assert tree.metadata(False) == {"kind": "group", "format": "v3", "attributes.title": "é"}
    assert walk(root, "cube").metadata(False) == {
        "kind": "array",
        "format": "v3",
        "shape": [3, 4, 5, 6],
        "data_type": "int32",
        "fill_value": 0,
        "dimension_names": ["t", "z", "y", "x"],
        "chunk_shape": [2, 2, 3, 3],
        "numpy_dtype": "int32",
    }
    assert walk(root, "broken").metadata(False)["kind"] == "broken"
    assert walk(root, "cube", "data.npy").metadata(False) == {}
    keys = KeysTree(Remote({"k": b"1"}), fresh()).root()
    assert walk(keys, "k").metadata(False) == {"etag": str(hash(b"1"))}


def test_millions_of_slices_list_at_once(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", shape=(10**9, 10**8, 4, 5), chunks=(1, 1, 4, 5), dtype="u1")
    slices = walk(arrays(tmp_path / "a.zarr"), "slices")
    assert next(slices.entries_from(10**9 - 1))[0] == str(10**9 - 1)
    assert next(walk(slices, "7").entries_from(2 * 10**8 - 1))[0] == f"{10**8 - 1}.npy"
    assert walk(slices, "7", f"{10**8 - 1}.raw").size == 20


def test_a_broken_array_says_why(small: Path) -> None:
    broken = walk(arrays(small), "broken")
    assert names(broken) == ["document.json", "error.txt"]
    assert content(walk(broken, "document.json")) == (small / "broken" / "zarr.json").read_bytes()
    reason = content(walk(broken, "error.txt")).decode()
    assert "no-such-codec" in reason
    assert reason.count("\n") == 1


def test_a_missing_hierarchy_is_reported_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    root = arrays(tmp_path)
    assert names(root) == ["error.txt"]
    assert b"holds no hierarchy" in content(walk(root, "error.txt"))


def test_arrays_of_variable_length_have_no_fixed_size_files(small: Path) -> None:
    text = walk(arrays(small), "text")
    assert names(text) == ["metadata.json", "attributes.json"]
    assert json.loads(content(walk(text, "metadata.json")))["data_type"] == "string"
    for name in ("data.raw", "data.npy", "data.png", "data.tiff", "data.nrrd", "0.raw", "slices"):
        assert walk(text, name) is None


def test_elements_of_variable_length_are_text(small: Path) -> None:
    text = walk(arrays(small), "text")
    with pytest.raises(WouldBlockError):
        text.lookup("data.json", wait=False)
    assert content(walk(text, "data.json")) == b'["", ""]\n'
    # From then on it is in memory.
    assert content(text.lookup("data.json", wait=False)) == b'["", ""]\n'
    assert content(walk(text, "[1:].json")) == b'[""]\n'
    assert walk(text, "[5].json") is None
    assert walk(arrays(small), "cube", "data.json") is None


def test_a_text_that_changes_is_stale(tmp_path: Path) -> None:
    values = zarr.create_array(tmp_path / "a.zarr", shape=(2,), dtype=str)
    clock = Clock()
    root = ArraysTree(lambda: zc.open(tmp_path / "a.zarr"), fresh(60.0, clock)).root(True)
    file = walk(root, "data.json")
    values[0] = "longer"
    assert content(file) == b'["", ""]\n'
    clock.s += 61
    with pytest.raises(ChangedError):
        file.open(True)
    assert content(walk(root, "data.json")) == b'["longer", ""]\n'


def test_a_text_that_is_too_long_is_refused(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", shape=(9 << 20,), chunks=(1 << 20,), dtype=str)
    root = arrays(tmp_path / "a.zarr")
    with pytest.raises(UnsupportedError, match="too large for text"):
        walk(root, "data.json")
    assert content(walk(root, "[7:9].json")) == b'["", ""]\n'


def test_the_control_directory_is_hidden_and_reserved() -> None:
    refreshed = []
    values = {"a": b"1", ".zarrscope": b"real"}
    keys = KeysTree(MemoryStore(values=values), fresh()).root()
    control = Control(lambda: {"n": 1}, lambda: refreshed.append(1), keys)
    root = WithControl(keys, control)
    assert names(root) == ["a"]
    assert json.loads(content(walk(root, ".zarrscope", "stats.json"))) == {"n": 1}
    walk(root, ".zarrscope", "refresh").open(True).write(0, b"x", True)
    assert refreshed == [1]
    assert content(walk(root, ".zarrscope", "keys", ".zarrscope")) == b"real"


def test_the_mount_point_shows_all_trees() -> None:
    def broken(wait: bool) -> Directory:
        raise OSError("an outage")

    keys = KeysTree(MemoryStore(values={}), fresh()).root()
    root = WithControl(NamedTrees({"keys": keys, "arrays": LazyTree(broken)}, 1.0), keys)
    assert names(root) == ["keys", "arrays"]
    assert root.lookup("arrays", False) is not None
    assert root.lookup(".zarrscope", False) is keys
    assert root.lookup("other", True) is None
    with pytest.raises(OSError, match="outage"):
        names(walk(root, "arrays"))


@pytest.mark.parametrize("error", [MetadataError("bad"), UnsupportedError("format", "x", "is unknown")])
def test_a_hierarchy_that_does_not_open_says_why(error: Exception) -> None:
    def broken() -> zc.Hierarchy:
        raise error

    root = ArraysTree(broken, fresh()).root(True)
    assert names(root) == ["error.txt"]
    assert content(walk(root, "error.txt")) == f"{error}\n".encode()
