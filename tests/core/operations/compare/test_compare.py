"""Comparing trees of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from zarrcore.errors import ListingUnsupportedError, NodeNotFoundError
from zarrcore.operations.compare import Wanted, compare
from zarrcore.stores.memory import MemoryStore


def hierarchy(format_: str = "v3", store: Any = None) -> Any:
    made = zc.create(store or MemoryStore(), format_)
    made.create_group("/g", attributes={"a": 1})
    array = made.create_array("/g/x", shape=(4,), dtype="int16", chunks=(2,))
    array[...] = np.arange(4)
    return made


def found(one: Any, other: Any, path_a: str = "/", path_b: str = "/", **wanted: Any) -> list[tuple[str, str]]:
    return [(found.what, found.path) for found in compare((one, path_a), (other, path_b), Wanted(**wanted))]


@pytest.mark.parametrize("format_", ["v2", "n5"])
def test_equal_hierarchies_of_two_formats_have_no_difference(format_: str) -> None:
    assert found(hierarchy(), hierarchy(format_)) == []


def test_nodes_that_only_one_has_are_named_but_not_what_is_below_them() -> None:
    one, other = hierarchy(), hierarchy()
    one.create_array("/g/a/y", shape=(1,), dtype="i1")
    other.create_group("/b/c")
    assert found(one, other) == [("only-in-a", "/g/a"), ("only-in-b", "/b")]


def test_a_group_differs_from_an_array() -> None:
    one, other = hierarchy(), hierarchy()
    one.create_group("/y/z")
    other.create_array("/y", shape=(1,), dtype="i1")
    assert found(one, other) == [("kind", "/y")]


def test_nodes_of_two_places_are_compared_with_paths_relative_to_them() -> None:
    one, other = hierarchy(), hierarchy()
    other["/g/x"][1] = 9
    other.create_group("/copy")
    assert found(one, other, "/g", "/g") == [("elements", "/x")]
    assert found(one, other, "/g/x", "/g/x") == [("elements", "/")]
    assert found(one, other, elements=False) == [("only-in-b", "/copy")]
    with pytest.raises(NodeNotFoundError):
        found(one, other, "/no")


def test_arrays_of_two_shapes_or_incomparable_types_have_no_elements_to_compare() -> None:
    one, other = hierarchy(), hierarchy()
    other.create_array("/g/x", shape=(5,), dtype="int16", overwrite=True)[...] = 1
    assert found(one, other) == [("shape", "/g/x")]
    other.create_array("/g/x", shape=(4,), dtype="string", overwrite=True)[...] = "a"
    assert found(one, other) == [("data-type", "/g/x")]
    other.create_array("/g/x", shape=(4,), dtype="float64", overwrite=True)[...] = 1.5
    assert found(one, other) == [("data-type", "/g/x"), ("elements", "/g/x")]


def test_a_node_that_cannot_be_read_is_trouble_and_the_others_are_compared() -> None:
    store = MemoryStore()
    one, other = hierarchy(), hierarchy(store=store)
    for made in (one, other):
        made.create_array("/z", shape=(4,), dtype="i1")[...] = 1
    other["/z"][2] = 7
    store.set("g/x/c/1", b"broken")
    assert found(one, other) == [("trouble", "/g/x"), ("elements", "/z")]
    store.set("g/x/zarr.json", b"{")
    other.refresh()
    assert found(one, other) == [("trouble", "/g/x"), ("elements", "/z")]


class WithoutListing(MemoryStore):
    """A store that cannot list what is below one group."""

    def list_dir(self, prefix: str) -> Any:
        if prefix == "g/":
            raise ListingUnsupportedError("no listing here", url=self.url)
        return super().list_dir(prefix)


@pytest.mark.parametrize("first", [False, True])
def test_a_group_that_cannot_be_listed_is_trouble(first: bool) -> None:
    pair = hierarchy(store=WithoutListing()), hierarchy()
    assert found(*(pair if first else reversed(pair))) == [("trouble", "/g")]
