"""Detecting N5."""

from __future__ import annotations

import json

import pytest

import zarrcore
from tests.core.formats.n5.datasets import DATASET
from zarrcore.errors import HierarchyNotFoundError
from zarrcore.formats import Format
from zarrcore.stores import MemoryStore


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
