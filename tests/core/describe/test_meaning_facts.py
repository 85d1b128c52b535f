"""What a node is, with and without reading elements."""

from __future__ import annotations

from typing import Any

import numpy as np

import zarrcore
from zarrcore.describe import meaning_facts, meaning_or_error
from zarrcore.errors import ZarrError
from zarrcore.stores import MemoryStore, StatisticsStore


def raster(store: MemoryStore) -> zarrcore.Array:
    hierarchy = zarrcore.create(store)
    for name, length, units in (("lat", 4, "degrees_north"), ("lon", 3, "degrees_east")):
        hierarchy.create_array(
            name, shape=(length,), dtype="float64", dimension_names=[name], attributes={"units": units}
        )[...] = np.arange(length)
    hierarchy.create_array(
        "t",
        shape=(4, 3),
        dtype="float32",
        dimension_names=["lat", "lon"],
        attributes={"units": "K", "standard_name": "air_temperature"},
    )
    return zarrcore.open_hierarchy(store)["t"]


class Counting(MemoryStore):
    chunks = 0

    def get(self, key: str, *arguments: Any, **options: Any) -> Any:
        self.chunks += "/c/" in key
        return super().get(key, *arguments, **options)


def test_elements_are_read_only_if_that_is_allowed() -> None:
    store = Counting()
    array = raster(store)
    without = dict(meaning_facts(array, reads_elements=False))
    assert store.chunks == 0
    with_elements = dict(meaning_facts(array))
    assert store.chunks == 2
    assert without["convention"].startswith("CF variable air_temperature in K on lat 4 × lon 3")
    assert without.keys() < with_elements.keys(), "the bounds follow from the coordinates"


def test_metadata_that_contradict_themselves_are_told() -> None:
    store = MemoryStore()
    group = zarrcore.create(store).create_group(
        "g", attributes={"ome": {"version": "0.5", "multiscales": [{}]}}
    )
    ((label, text),) = meaning_facts(group)
    assert label == "convention"
    assert text.startswith("OME-NGFF image, but it cannot be read: ")
    found = meaning_or_error(group)
    assert found is not None
    assert isinstance(found[2], ZarrError)


def test_a_node_without_a_convention_has_no_such_facts() -> None:
    array = zarrcore.create(StatisticsStore(MemoryStore())).create_array("a", shape=(3,), dtype="uint8")
    assert meaning_facts(array) == []
    assert meaning_or_error(array) is None
