"""Conditions on nodes."""

from __future__ import annotations

import json
from typing import Any

import pytest

import zarrcore as zc
from zarrcore.errors import UnsupportedError
from zarrcore.operations.find import (
    AttributeCondition,
    Conditions,
    convention_condition,
    convention_words,
    data_type_pattern,
)
from zarrcore.stores.memory import MemoryStore


@pytest.fixture(scope="module")
def made() -> Any:
    hierarchy = zc.create(MemoryStore())
    hierarchy.create_group("/g/raw", attributes={"ome": {"version": "0.5", "axes": ["x", "y"]}, "n": 3})
    hierarchy.create_array("/g/raw/s0", shape=(8, 16), dtype="float32", codecs=["gzip"])
    hierarchy.create_array(
        "/g/raw/s1",
        shape=(4, 8),
        dtype="uint8",
        chunks=(2, 2),
        shards=(4, 4),
        codecs=["crc32c"],
    )
    hierarchy.create_array("/names", shape=(4,), dtype="string")
    hierarchy.create_array("/empty", shape=(), dtype="int64", attributes={"a.b": 1, "a": {"b": 2}})
    return hierarchy


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({}, {"/", "/g", "/g/raw", "/g/raw/s0", "/g/raw/s1", "/names", "/empty"}),
        ({"name": "s?"}, {"/g/raw/s0", "/g/raw/s1"}),
        ({"name": "S0"}, set()),
        ({"path": "/g/*"}, {"/g/raw", "/g/raw/s0", "/g/raw/s1"}),
        ({"kind": "group"}, {"/", "/g", "/g/raw"}),
        ({"kind": "array", "name": "*m*"}, {"/names", "/empty"}),
        ({"data_type": "uint8"}, {"/g/raw/s1"}),
        ({"data_type": "*int*"}, {"/g/raw/s1", "/empty"}),
        ({"shape": (8, 16)}, {"/g/raw/s0"}),
        ({"shape": (None, 8)}, {"/g/raw/s1"}),
        ({"shape": ()}, {"/empty"}),
        ({"min_nbytes": 512}, {"/g/raw/s0"}),
        ({"max_nbytes": 32}, {"/g/raw/s1", "/empty"}),
        ({"min_nbytes": 9, "max_nbytes": 512}, {"/g/raw/s0", "/g/raw/s1"}),
        ({"codec": "gzip"}, {"/g/raw/s0"}),
        ({"codec": "crc*"}, {"/g/raw/s1"}),
        ({"attributes": (AttributeCondition("n"),)}, {"/g/raw"}),
        ({"attributes": (AttributeCondition("n", (3,)), AttributeCondition("ome"))}, {"/g/raw"}),
        ({"attributes": (AttributeCondition("n", ("3",)),)}, set()),
        ({"attributes": (AttributeCondition("ome.version", (0.5, "0.5")),)}, {"/g/raw"}),
        ({"attributes": (AttributeCondition("ome.axes", ("y",)),)}, {"/g/raw"}),
        ({"attributes": (AttributeCondition("ome.axes", (["x", "y"],)),)}, {"/g/raw"}),
        ({"attributes": (AttributeCondition("a.b", (1,)),)}, {"/empty"}),
        ({"attributes": (AttributeCondition("a.b", (2,)),)}, {"/empty"}),
        ({"attributes": (AttributeCondition("a.c"),)}, set()),
    ],
)
def test_conditions(made: Any, conditions: dict[str, Any], expected: set[str]) -> None:
    wanted = Conditions(**conditions)
    assert {node.path for node in made.walk() if wanted.hold(node)} == expected


def test_a_broken_node_has_a_name_and_a_kind() -> None:
    store = MemoryStore()
    zc.create(store).create_array("/x", shape=(1,), dtype="i1")
    store.set("x/zarr.json", b'{"attributes": {"a": 1}}')
    node = zc.open_hierarchy(store).node("/x")
    assert Conditions(kind="broken", name="x").hold(node)
    assert Conditions(name="x").may_hold(node)
    assert not Conditions(name="y").may_hold(node)
    assert not Conditions(data_type="int8").hold(node)


@pytest.fixture(scope="module")
def described() -> Any:
    """Nodes that conventions recognise: an image of OME-NGFF, one of N5, and a variable of CF that two conventions know."""
    hierarchy = zc.create(MemoryStore())
    multiscales = [{"datasets": [{"path": "0"}]}]
    hierarchy.create_group("/image", attributes={"ome": {"version": "0.5", "multiscales": multiscales}})
    hierarchy.create_group("/label", attributes={"multiscales": multiscales, "image-label": {}})
    hierarchy.create_group("/n5", attributes={"scales": [[1, 1]]})
    hierarchy.create_array(
        "/wind", shape=(2,), dtype="int8", dimension_names=["time"], attributes={"units": "m"}
    )
    hierarchy.create_array(
        "/ndvi",
        shape=(2,),
        dtype="int8",
        dimension_names=["x"],
        attributes={"units": "1", "proj:code": "EPSG:4326"},
    )
    hierarchy.create_array("/plain", shape=(2,), dtype="int8")
    return hierarchy


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ome-ngff", {"/image", "/label"}),
        ("OME", {"/image", "/label"}),
        ("image", {"/image", "/n5"}),
        ("label  image", {"/label"}),
        ("ome label image", {"/label"}),
        ("n5 image", {"/n5"}),
        ("cf variable", {"/wind"}),
        ("cf dataset", set()),
        ("geozarr", {"/ndvi"}),
        ("raster", {"/ndvi"}),
    ],
)
def test_conventions(described: Any, words: str, expected: set[str]) -> None:
    wanted = Conditions(convention=convention_condition(words))
    assert {node.path for node in described.walk() if wanted.hold(node)} == expected


def test_a_broken_node_follows_no_convention() -> None:
    store = MemoryStore()
    attributes = {"Conventions": "CF-1.8"}
    zc.create(store).create_group("/x", attributes=attributes)
    wanted = Conditions(convention=convention_condition("cf"))
    assert wanted.hold(zc.open_hierarchy(store).node("/x"))
    store.set("x/zarr.json", json.dumps({"attributes": attributes}).encode())
    assert not wanted.hold(zc.open_hierarchy(store).node("/x"))


@pytest.mark.parametrize("words", ["", "foo", "cf image", "variable cf", "ngff", "cf variable x"])
def test_unknown_words_are_refused_with_the_known_ones(words: str) -> None:
    with pytest.raises(ValueError, match=r"ome-ngff \(plate, .*label image.*; cf \(dataset, variable\)$"):
        convention_condition(words)


def test_all_words_that_are_offered_are_known() -> None:
    offered = convention_words()
    assert {"ome-ngff", "image", "cf variable", "anndata sparse matrix"} <= {*offered}
    assert len({convention_condition(words) for words in offered}) == len(offered) == len({*offered})


def test_types_may_have_the_names_of_numpy() -> None:
    assert data_type_pattern(">i2") == "int16"
    assert data_type_pattern("numpy.datetime64") == "numpy.datetime64"
    assert data_type_pattern("[ab]") == "[ab]"
    with pytest.raises(UnsupportedError):
        data_type_pattern("flaot32")
