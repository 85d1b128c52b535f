"""The nodes in a file, and the version of their documents."""

from __future__ import annotations

import json

from hypothesis import given

import zarrcore
from tests.core.filetypes.hdf5.test_file import hierarchies
from zarrcore.filetypes.hdf5 import HDF5File, documents_version, file_size, nodes_of
from zarrcore.stores.memory import MemoryStore


def sea() -> MemoryStore:
    """An array with two coordinates, and another array."""
    store = MemoryStore()
    hierarchy = zarrcore.create(store)
    for name, names in {"wave": ["y", "x"], "x": ["x"], "lat": ["y"], "other": ["y", "x"]}.items():
        attributes = {"coordinates": "lat gone"} if name == "wave" else {}
        hierarchy.create_array(
            f"/sea/{name}", shape=(3,) * len(names), dtype="i2", dimension_names=names, attributes=attributes
        )  # fmt: skip
    return store


def version(store: MemoryStore, path: str, netcdf: bool = False) -> str:
    node = zarrcore.open_hierarchy(store)[path]
    return documents_version(nodes_of(node), netcdf=netcdf)


def test_the_nodes_of_files() -> None:
    hierarchy = zarrcore.open_hierarchy(sea())
    assert set(nodes_of(hierarchy["/sea/wave"])) == {"wave", "x", "lat"}
    assert set(nodes_of(hierarchy["/sea/lat"])) == {"lat"}
    assert set(nodes_of(hierarchy["/"])) == {"", "sea", "sea/wave", "sea/x", "sea/lat", "sea/other"}


def test_the_version_changes_with_each_document_in_the_file_only() -> None:
    store = sea()
    paths = ("/sea/wave", "/sea/lat", "/sea", "/")
    before = {path: version(store, path) for path in paths}
    assert before == {path: version(store, path) for path in paths}
    assert len(set(before.values())) == len(paths)
    assert version(store, "/sea/wave", netcdf=True) != before["/sea/wave"]
    changes = {
        "sea/wave": {"/sea/wave", "/sea", "/"},
        "sea/lat": {"/sea/wave", "/sea/lat", "/sea", "/"},
        "sea/other": {"/sea", "/"},
        "sea": {"/sea", "/"},
    }
    for changed, affected in changes.items():
        key = f"{changed}/zarr.json"
        kept = bytes(store.get(key) or b"")
        document = json.loads(kept)
        store.set(key, json.dumps({**document, "attributes": {**document["attributes"], "new": 1}}).encode())
        assert {path for path in paths if version(store, path) != before[path]} == affected
        store.set(key, kept)
    # A new coordinate, and one that cannot be opened.
    lat = bytes(store.get("sea/lat/zarr.json") or b"")
    for document in (lat, b"{", b"{}"):
        store.set("sea/gone/zarr.json", document)
        now = version(store, "/sea/wave")
        assert now not in before.values()
        before[f"{document!r}"] = now


def test_the_version_of_consolidated_metadata() -> None:
    entry = json.loads(sea().get("sea/wave/zarr.json") or b"")

    def consolidated(units: str) -> str:
        documents = {"wave": {**entry, "attributes": {"units": units}}}
        told = {"kind": "inline", "must_understand": False, "metadata": documents}
        root = {"zarr_format": 3, "node_type": "group", "attributes": {}, "consolidated_metadata": told}
        store = MemoryStore()
        store.set("zarr.json", json.dumps(root).encode())
        wave = zarrcore.open_hierarchy(store, believe_consolidated=True)["/wave"]
        assert wave.attributes == {"units": units}
        return documents_version(nodes_of(wave), netcdf=False)

    assert consolidated("m") == consolidated("m") != consolidated("s")


@given(hierarchy=hierarchies())
def test_files_of_one_version_are_the_same(hierarchy: zarrcore.Hierarchy) -> None:
    """A file can be kept for nodes that were read again, and its size is known without it."""
    again = zarrcore.open_hierarchy(hierarchy.store)
    for node in hierarchy.walk():
        if not isinstance(node, zarrcore.Group | zarrcore.Array):
            continue
        nodes, others = nodes_of(node), nodes_of(again[node.path])
        for netcdf in (False, True):
            assert documents_version(nodes, netcdf=netcdf) == documents_version(others, netcdf=netcdf)
            file, other = (HDF5File(node, netcdf=netcdf, nodes=found) for found in (nodes, others))
            whole = bytes(file.read(0, file.size))
            assert file_size(others, netcdf=netcdf) == len(whole)
            assert bytes(other.read(0, file.size)) == whole
            file.take_nodes(others)
            assert file.arrays == other.arrays
            assert bytes(file.read(0, file.size)) == whole
