"""A hierarchy of any format as Zarr v3: read by zarr-python, and compared with a copy of it on disk."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from zarr.core.sync import _collect_aiterator, sync
from zarr.storage import LocalStore

import zarrcore
from tests.core.array.test_rectilinear import PACKED
from tests.core.array.test_rectilinear import written as rectilinear
from zarrcore.errors import BodyTooLargeError, UnsupportedError
from zarrcore.interop.plain_zarr import PlainZarrStore
from zarrcore.interop.zarr import ZarrcoreStore
from zarrcore.stores import ByteRange, MemoryStore

VALUES = np.arange(70, dtype="i4").reshape(5, 14)


def hierarchy(format_name: str = "n5") -> zarrcore.Hierarchy:
    """Groups, arrays of several shapes and types, and missing chunks."""
    made = zarrcore.create(MemoryStore(), format_name)
    made.create_group("deep/c", attributes={"title": "c"})
    made.create_array("a", shape=(5, 14), dtype="int32", chunks=(2, 5))[...] = VALUES
    made.create_array("deep/c/0", shape=(3,), dtype="uint8", chunks=(2,))
    made.create_array("deep/empty", shape=(0, 4) if format_name != "n5" else (1, 4), dtype="float32")
    if format_name != "n5":
        made.create_array("deep/scalar", shape=(), dtype="float64")[...] = 2.5
        made.create_array("text", shape=(3,), dtype="string", chunks=(2,))[...] = ["a", "ä", ""]
    return made


@pytest.mark.filterwarnings("ignore:The codec `vlen-utf8`:UserWarning")
@pytest.mark.parametrize("format_name", ["v2", "v3", "n5"])
def test_zarr_python_reads_all_nodes(format_name: str) -> None:
    source = hierarchy(format_name)
    group = zarr.open_group(ZarrcoreStore(source), mode="r")
    found = dict(group.members(max_depth=None))
    nodes = [node for node in source.walk() if node.path != "/"]
    assert set(found) == {node.path[1:] for node in nodes}
    for node in nodes:
        one = found[node.path[1:]]
        assert dict(one.attrs) == dict(node.attributes)
        if isinstance(node, zarrcore.Array):
            assert one.shape == node.shape
            assert np.array_equal(np.asarray(one[...]).astype(node.dtype), node[...])


def test_other_formats_are_read_by_zarr_python(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("g/x", data=VALUES, chunks=(2, 5), compression="gzip")
    edges = rectilinear([[1, 3, 3], [4, 1, 2]], np.arange(49, dtype="u2").reshape(7, 7), PACKED)
    sources: list[tuple[Any, str, np.ndarray]] = [
        (tmp_path / "a.h5", "/g/x", VALUES),
        (edges, "/", np.arange(49).reshape(7, 7)),
    ]
    for source, path, values in sources:
        with zarrcore.open_hierarchy(source) as opened:
            assert np.array_equal(zarr.open_array(ZarrcoreStore(opened), path=path, mode="r")[...], values)


@pytest.fixture(scope="module", params=["n5", "v3"])
def view_and_copy(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[ZarrcoreStore, LocalStore]:
    view = PlainZarrStore(hierarchy(request.param))
    folder = tmp_path_factory.mktemp("copy")
    for entry in view.list():
        (folder / entry.key).parent.mkdir(parents=True, exist_ok=True)
        (folder / entry.key).write_bytes(view.get(entry.key))
    return ZarrcoreStore(view), LocalStore(folder)


PARTS = st.sampled_from(
    ["a", "c", "0", "1", "2", "9", "00", "zarr.json", "deep", "empty", "scalar", "text", "x", ".."]
)


@settings(max_examples=80, deadline=None)
@given(parts=st.lists(PARTS, max_size=5))
def test_keys_and_folders_are_those_of_a_copy(
    view_and_copy: tuple[ZarrcoreStore, LocalStore], parts: list[str]
) -> None:
    view, copy = view_and_copy
    key = "/".join(parts)
    if ".." not in parts:
        for method in ("list_prefix", "list_dir"):
            for prefix in {key, key and f"{key}/"}:
                if method == "list_prefix" and prefix and not prefix.endswith("/"):
                    continue  # there zarr-python's stores differ from each other
                found, expected = (
                    sorted(sync(_collect_aiterator(getattr(store, method)(prefix)))) for store in (view, copy)
                )
                assert found == expected, (method, prefix)
        if key:
            assert sync(view.exists(key)) == sync(copy.exists(key))
    value = None if not key else view.get_sync(key)
    path = Path(copy.root, key)
    assert (None if value is None else value.to_bytes()) == (
        path.read_bytes() if ".." not in parts and path.is_file() else None
    )


PLAIN = PlainZarrStore(hierarchy())


@pytest.mark.parametrize("key", ["a/c/2/2", "zarr.json"])
@given(start=st.integers(-30, 60), stop=st.none() | st.integers(0, 60))
def test_a_part_of_a_value_is_read(key: str, start: int, stop: int | None) -> None:
    byte_range = ByteRange(start, stop) if start >= 0 else ByteRange(start)
    whole = bytes(PLAIN.get(key))
    begin, end = byte_range.resolve(len(whole))
    assert bytes(PLAIN.get(key, byte_range)) == whole[begin:end]


def test_a_value_that_is_too_large_is_refused_before_it_is_made() -> None:
    with pytest.raises(BodyTooLargeError):
        PlainZarrStore(hierarchy()).get("a/c/0/0", max_nbytes=39)


def test_a_listing_has_the_sizes_of_values() -> None:
    view = PlainZarrStore(hierarchy("v3"))
    for entry in view.list():
        stat = view.stat(entry.key)
        assert stat is not None
        assert stat.size == len(view.get(entry.key))
        assert entry.size in (stat.size, None)


def test_nodes_that_zarr_v3_cannot_express_are_not_listed_and_say_why() -> None:
    store = MemoryStore()
    made = zarrcore.create(store)
    made.create_array("good", shape=(2,), dtype="uint8")
    document = json.loads(bytes(store.get("good/zarr.json")))
    store.set("broken/zarr.json", json.dumps({**document, "codecs": ["unheard-of"]}).encode())
    store.set("worse/zarr.json", b"{")
    view = PlainZarrStore(zarrcore.open_hierarchy(store))
    assert {entry.key for entry in view.list_dir("")} == {"zarr.json", "good/"}
    assert {entry.key for entry in view.list()} == {"zarr.json", "good/zarr.json", "good/c/0"}
    with pytest.raises(UnsupportedError, match="unheard-of"):
        view.get("broken/zarr.json")
    group = zarr.open_group(ZarrcoreStore(view), mode="r")
    assert [name for name, _ in group.members()] == ["good"]


def test_it_pickles_with_its_hierarchy(tmp_path: Path) -> None:
    made = zarrcore.create(tmp_path / "a.n5", "n5")
    made.create_array("a", shape=(5, 14), dtype="int32", chunks=(2, 5))[...] = VALUES
    view = PlainZarrStore(zarrcore.open_hierarchy(tmp_path / "a.n5"))
    again = pickle.loads(pickle.dumps(view))
    assert again.identity == view.identity
    assert bytes(again.get("a/c/0/0")) == bytes(view.get("a/c/0/0"))


def test_the_plain_chunks_of_few_arrays_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.interop.plain_zarr._ARRAYS_MAX", 2)
    made = zarrcore.create(MemoryStore())
    for number in range(4):
        made.create_array(str(number), shape=(1,), dtype="uint8")[...] = number
    view = PlainZarrStore(made)
    for _ in range(2):
        assert [bytes(view.get(f"{number}/c/0")) for number in range(4)] == [b"\0", b"\1", b"\2", b"\3"]
    assert len(view._known) == 2


def test_a_member_of_a_collection_is_seen_from_its_own_root(tmp_path: Path) -> None:
    zarrcore.create(tmp_path / "a.n5", "n5").create_array("g/x", shape=(4,), dtype="uint8")[...] = 3
    zarrcore.create(tmp_path / "b.zarr")
    collection = zarrcore.open_hierarchy(tmp_path)
    member = PlainZarrStore(collection.member("/a.n5"))
    keys = ["g/x/c/0", "g/x/zarr.json", "g/zarr.json", "zarr.json"]
    assert sorted(entry.key for entry in member.list()) == keys
    assert bytes(member.get("g/x/c/0")) == b"\3\3\3\3"
    found = sorted(entry.key for entry in PlainZarrStore(collection).list())
    assert found == sorted([*(f"a.n5/{key}" for key in keys), "b.zarr/zarr.json", "zarr.json"])


def test_refreshing_shows_what_changed_in_the_source(tmp_path: Path) -> None:
    zarrcore.create(tmp_path / "a.zarr").create_array("a", shape=(1,), dtype="uint8")
    view = PlainZarrStore(zarrcore.open_hierarchy(tmp_path / "a.zarr"))
    assert view.get("a/c/1") is None
    zarrcore.open_hierarchy(tmp_path / "a.zarr", "r+")["a"].resize((2,))
    view.refresh()
    assert view.stat("a/c/1") is not None
