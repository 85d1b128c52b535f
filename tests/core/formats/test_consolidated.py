"""Consolidated metadata: as zarr-python reads and writes them, and never in place of a node's own document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zarr

import zarrcore
from zarrcore.errors import ListingUnsupportedError, MetadataError, UnsupportedError
from zarrcore.formats import Format, format_named
from zarrcore.hierarchy import Hierarchy
from zarrcore.stores import MemoryStore

ROOT_KEYS = {"v3": "zarr.json", "v2": ".zmetadata"}
each_format = pytest.mark.parametrize("name", ROOT_KEYS)


class Unlistable(MemoryStore):
    """Tells values and no names."""

    def list_dir(self, prefix: str) -> Any:
        raise ListingUnsupportedError("cannot be listed", url=self.url)


def filled(source: Any, name: str) -> Hierarchy:
    hierarchy = zarrcore.create(source, format=name)
    hierarchy.create_group("a/b", attributes={"who": "me"})
    for path in ("x", "a/b/y"):
        array = hierarchy.create_array(
            path, shape=(4, 6), dtype="int16", chunks=(2, 3), attributes={"path": path}
        )
        array[...] = 3
    return hierarchy


def consolidated(hierarchy: Hierarchy) -> dict[str, Any] | None:
    return hierarchy.format.consolidated_documents(hierarchy.store.get, hierarchy["/"].documents)


@each_format
@pytest.mark.filterwarnings("ignore:Consolidated metadata")
def test_zarr_python_opens_our_consolidated_metadata(tmp_path: Path, name: str) -> None:
    filled(tmp_path, name).consolidate()
    group = zarr.open_consolidated(str(tmp_path), zarr_format=int(name[1]))
    assert group.metadata.consolidated_metadata is not None
    assert sorted(path for path, _ in group.members(max_depth=None)) == ["a", "a/b", "a/b/y", "x"]
    assert group["a/b"].attrs["who"] == "me"
    assert group["a/b/y"].attrs["path"] == "a/b/y"
    assert group["x"][3, 5] == 3


@each_format
@pytest.mark.filterwarnings("ignore:Consolidated metadata")
def test_consolidated_metadata_of_zarr_python_equal_the_nodes(tmp_path: Path, name: str) -> None:
    group = zarr.create_group(tmp_path, zarr_format=int(name[1]), attributes={"top": 1})
    group.create_group("a").create_array("x", shape=(4,), chunks=(2,), dtype="f4")
    zarr.consolidate_metadata(tmp_path)
    hierarchy = zarrcore.open_hierarchy(tmp_path)
    found = consolidated(hierarchy)
    assert found is not None
    nodes = [node for node in hierarchy.walk() if node.path != "/"]
    assert {node.path for node in nodes} == found.keys() - {"/"}
    assert all(found[node.path] == hierarchy.format.normalize(node.documents) for node in nodes)


@each_format
def test_our_consolidated_metadata_serve_a_store_that_cannot_list(name: str) -> None:
    store = Unlistable()
    hierarchy = filled(store, name)
    nodes = {path: hierarchy[path].documents for path in ("/", "/a", "/a/b", "/a/b/y", "/x")}
    for key, value in hierarchy.format.consolidate(nodes).items():
        assert key == ROOT_KEYS[name]
        store.set(key, value)
    opened = zarrcore.open_hierarchy(store)
    assert [node.path for node in opened.walk()] == ["/", "/a", "/a/b", "/a/b/y", "/x"]
    found = consolidated(opened)
    assert found is not None
    for path, documents in nodes.items():
        if path != "/" or name == "v2":
            assert found[path] == opened.format.normalize(documents)


@each_format
def test_a_nodes_own_document_wins_over_a_stale_copy(name: str) -> None:
    store = MemoryStore()
    hierarchy = filled(store, name)
    hierarchy.consolidate()
    before = hierarchy["x"].documents
    after = hierarchy.format.with_attributes(before, {"changed": True})
    for key, value in zip(hierarchy.format.document_keys("/x"), after, strict=True):
        if value is not None:
            store.set(key, value)  # as a writer does that does not know about the copy
    opened = zarrcore.open_hierarchy(store)
    assert opened["x"].attributes == {"changed": True}
    found = consolidated(opened)
    assert found is not None
    stale = [path for path in found if found[path] != opened.format.normalize(opened[path].documents)]
    assert stale == ["/x"]


@each_format
@pytest.mark.parametrize("broken", [{}, {"metadata": []}, {"metadata": None}])
def test_broken_consolidated_metadata_are_reported(name: str, broken: dict[str, Any]) -> None:
    written = format_named(name)
    root = {"zarr_format": 3, "node_type": "group", "consolidated_metadata": broken}
    documents = tuple(json.dumps(root).encode() for _ in written.document_keys("/"))
    with pytest.raises(MetadataError, match="metadata: expected an object"):
        written.consolidated_documents(lambda key: json.dumps(broken).encode(), documents)


def test_formats_without_consolidated_metadata_refuse_to_write_it() -> None:
    with pytest.raises(UnsupportedError, match="needs a group at the root"):
        Format.V3.consolidate({"/": (b'{"zarr_format": 3, "node_type": "array"}',)})
    with pytest.raises(UnsupportedError, match="format 'n5' has no consolidated metadata"):
        Format.N5.consolidate({})
    with pytest.raises(MetadataError, match=r"a/zarr\.json: expected a JSON object"):
        Format.V3.consolidate({"/a": (b"[]",)})
    with pytest.raises(MetadataError, match=r"a/\.zattrs: expected a JSON object"):
        Format.V2.consolidate({"/a": (None, b"{}", b"[]")})
