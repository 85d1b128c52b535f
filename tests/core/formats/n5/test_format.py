"""Detecting N5."""

from __future__ import annotations

import json

import pytest

import zarrcore
from tests.core.formats.n5.datasets import DATASET
from zarrcore.errors import HierarchyNotFoundError, MetadataError
from zarrcore.formats import Format
from zarrcore.stores import MemoryStore

SETUP = {**DATASET, "downsamplingFactors": [[1, 1], [2, 2]]}
"""As BigStitcher writes for each set-up: the members of a dataset, although it is the group of the time points."""


class TestSetup:
    def test_it_is_the_group_of_its_time_points(self) -> None:
        store = MemoryStore()
        store.set("attributes.json", b'{"n5": "4.0.0"}')
        store.set("setup0/attributes.json", json.dumps(SETUP).encode())
        for level, lengths in enumerate(([7, 5], [4, 3])):
            own = {**DATASET, "dimensions": lengths, "downsamplingFactors": [2**level] * 2}
            store.set(f"setup0/timepoint0/s{level}/attributes.json", json.dumps(own).encode())
        hierarchy = zarrcore.open_hierarchy(store, "r+")
        assert [(node.path, node.kind) for node in hierarchy.walk()][1:] == [
            ("/setup0", "group"),
            ("/setup0/timepoint0", "group"),
            ("/setup0/timepoint0/s0", "array"),
            ("/setup0/timepoint0/s1", "array"),
        ]
        setup = hierarchy.node("/setup0")
        assert setup.attributes == SETUP
        setup.attributes["name"] = "left"
        assert json.loads(store.get("setup0/attributes.json") or b"") == {**SETUP, "name": "left"}

    def test_an_array_cannot_get_the_attribute_that_makes_it_one(self) -> None:
        root = zarrcore.create(MemoryStore(), format="n5")
        with pytest.raises(MetadataError, match="downsamplingFactors"):
            root.create_array(
                "a", shape=(2,), dtype="u1", attributes={"downsamplingFactors": [[1, 1], [2, 2]]}
            )
        array = root.create_array("b", shape=(2,), dtype="u1", attributes={"downsamplingFactors": [2, 2]})
        with pytest.raises(MetadataError, match="downsamplingFactors"):
            array.attributes["downsamplingFactors"] = [[2, 2]]


class TestDetection:
    def test_a_folder_of_other_files_is_not_a_hierarchy(self) -> None:
        store = MemoryStore()
        store.set("photos/1.jpg", b"\xff\xd8")
        store.set("photos/0/0", b"")
        with pytest.raises(HierarchyNotFoundError):
            zarrcore.open_hierarchy(store)

    def test_a_folder_of_containers_is_not_a_container(self) -> None:
        store = MemoryStore()
        store.set("a.n5/attributes.json", b'{"n5": "2.0.0"}')
        assert zarrcore.open_hierarchy(store).format.name == "collection"

    def test_a_dataset_below_a_root_without_document(self) -> None:
        store = MemoryStore()
        store.set("x/attributes.json", json.dumps(DATASET).encode())
        assert zarrcore.open_hierarchy(store).format is Format.N5

    def test_a_set_up_below_a_root_without_document(self) -> None:
        store = MemoryStore()
        store.set("setup0/attributes.json", json.dumps(SETUP).encode())
        assert zarrcore.open_hierarchy(store).format is Format.N5

    def test_the_newer_formats_come_first(self) -> None:
        store = MemoryStore()
        store.set("attributes.json", b"{}")
        assert zarrcore.open_hierarchy(store).format is Format.N5
        store.set(".zgroup", b'{"zarr_format": 2}')
        assert zarrcore.open_hierarchy(store).format is Format.V2
        store.set("zarr.json", b'{"zarr_format": 3, "node_type": "group"}')
        assert zarrcore.open_hierarchy(store).format is Format.V3

    def test_an_attributes_file_that_is_not_json_is_broken(self) -> None:
        store = MemoryStore()
        store.set("attributes.json", b"[1, 2]")
        with pytest.raises(HierarchyNotFoundError):
            zarrcore.open_hierarchy(store)
