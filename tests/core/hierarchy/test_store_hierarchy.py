"""The hierarchy of one store: what it believes, who may write, and what is pickled."""

from __future__ import annotations

import json
import pickle

import pytest

import zarrcore
from tests.core.hierarchy.stores import ARRAY, GROUP, V2_GROUP, Remote, memory
from zarrcore.errors import ReadOnlyError
from zarrcore.formats import Format
from zarrcore.hierarchy.hierarchy import HierarchyOptions
from zarrcore.hierarchy.node_loader import Seen
from zarrcore.hierarchy.store_hierarchy import StoreHierarchy

TOLD = {"kind": "inline", "must_understand": False, "metadata": {"old": json.loads(ARRAY)}}
STALE = {
    "zarr.json": json.dumps({**json.loads(GROUP), "consolidated_metadata": TOLD}).encode(),
    "new/zarr.json": ARRAY,
}


def paths(hierarchy: zarrcore.Hierarchy) -> list[str]:
    return [node.path for node in hierarchy.walk()]


def test_consolidated_metadata_are_believed_where_a_request_for_each_node_is_slow() -> None:
    remote = Remote(STALE)
    assert paths(StoreHierarchy(remote, Format.V3)) == ["/", "/old"]
    assert paths(StoreHierarchy(remote, Format.V3, HierarchyOptions(believe_consolidated=False))) == [
        "/",
        "/new",
    ]
    assert paths(StoreHierarchy(remote, Format.V3, HierarchyOptions(read_only=False))) == ["/", "/new"]
    assert paths(StoreHierarchy(remote, Format.V3, HierarchyOptions(metadata_max_age_s=0))) == ["/", "/new"]
    assert paths(StoreHierarchy(memory(**STALE), Format.V3)) == ["/", "/new"]
    assert paths(StoreHierarchy(memory(**STALE), Format.V3, HierarchyOptions(believe_consolidated=True))) == [
        "/",
        "/old",
    ]


def test_alone_it_believes_only_the_documents_of_nodes() -> None:
    believing = StoreHierarchy(Remote(STALE), Format.V3)
    assert paths(believing.alone()) == ["/", "/new"]
    doubting = StoreHierarchy(memory(**STALE), Format.V3)
    assert doubting.alone() is doubting


def test_known_documents_of_the_root_are_not_requested_again() -> None:
    store = Remote({"zarr.json": GROUP})
    hierarchy = StoreHierarchy(store, Format.V3, seen=Seen(0.0, (GROUP,)))
    assert hierarchy.root.attributes == {"a": 1}
    assert store.got == []


def test_a_refresh_and_forgetting_a_node_show_what_is_stored() -> None:
    store = memory(**{"zarr.json": GROUP, "x/zarr.json": ARRAY, "y/zarr.json": ARRAY})
    hierarchy = StoreHierarchy(store, Format.V3, HierarchyOptions(zarrcore.ChunkCache(1 << 20)))
    assert [hierarchy[name].kind for name in "xy"] == ["array", "array"]
    for name in "xy":
        store.set(f"{name}/zarr.json", GROUP)
    assert [hierarchy[name].kind for name in "xy"] == ["array", "array"]
    hierarchy.forget("/x")
    assert [hierarchy[name].kind for name in "xy"] == ["group", "array"]
    hierarchy.refresh()
    assert [hierarchy[name].kind for name in "xy"] == ["group", "group"]


def test_only_a_hierarchy_opened_for_writing_in_a_format_that_is_written_has_a_writer() -> None:
    store = memory(**{"zarr.json": GROUP})
    with pytest.raises(
        ReadOnlyError, match="memory:// was opened for reading only: open it with mode 'r\\+'"
    ):
        StoreHierarchy(store, Format.V3).writer()
    with pytest.raises(ReadOnlyError, match="which is read-only"):
        StoreHierarchy(store, Format.V1, HierarchyOptions(read_only=False)).writer()
    writing = StoreHierarchy(store, Format.V3, HierarchyOptions(read_only=False))
    assert writing.writer() is writing.writer()


def test_a_pickled_hierarchy_keeps_its_options_and_reads_again() -> None:
    store = memory(**{".zgroup": V2_GROUP, ".zattrs": b'{"a": 1}'})
    hierarchy = StoreHierarchy(
        store,
        Format.V2,
        HierarchyOptions(zarrcore.ChunkCache(9), metadata_max_age_s=5.0, max_chunk_bytes=77, read_only=False),
    )
    assert hierarchy.root.attributes == {"a": 1}
    again = pickle.loads(pickle.dumps(hierarchy))
    assert (again.metadata_max_age_s, again.max_chunk_bytes, again.read_only) == (5.0, 77, False)
    assert (again.format, again.chunk_cache, again.root.attributes) == (Format.V2, None, {"a": 1})
    assert repr(again) == "<Hierarchy memory:// (Zarr v2)>"
