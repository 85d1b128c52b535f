"""The skeleton: h5py finds exactly the content of the hierarchy in it."""

from __future__ import annotations

import json
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.campaigns import ALL
from tests.core.filetypes.hdf5.reading import opened
from tests.core.filetypes.hdf5.test_attributes import JSON, means
from tests.core.filetypes.hdf5.test_attributes import NAMES as ATTRIBUTE_NAMES
from tests.core.filetypes.hdf5.test_symbol_table import NAMES
from zarrcore.filetypes.hdf5 import skeleton
from zarrcore.filetypes.hdf5.attributes import RESERVED
from zarrcore.filetypes.hdf5.contents import nodes_of
from zarrcore.filetypes.hdf5.skeleton import file_size, make_skeleton
from zarrcore.stores.memory import MemoryStore

TYPES = {"int16": "<i2", "float64": "<f8", "bool": "?", "complex64": "<c8"}
TEXTS = st.integers(0, 9000).map(lambda length: "é" * (length // 2))
ATTRIBUTES = st.dictionaries(
    ATTRIBUTE_NAMES.filter(lambda name: name not in RESERVED), st.one_of(JSON, TEXTS), max_size=3
)
NODE_NAMES = NAMES.filter(lambda name: set(name) != {"."} and not name.startswith("__") and "\\" not in name)
ARRAYS = st.fixed_dictionaries(
    {
        "node_type": st.just("array"),
        "shape": st.lists(st.integers(0, 5), max_size=3),
        "data_type": st.sampled_from(list(TYPES)),
        "attributes": ATTRIBUTES,
        "are_named": st.booleans(),
    }
)


@st.composite
def trees(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    """Nodes by their paths; one of the groups may have very many."""
    nodes = {"": {"node_type": "group", "attributes": draw(ATTRIBUTES)}}
    groups = [""]
    for name in draw(st.lists(NODE_NAMES, max_size=8, unique=True)):
        path = f"{draw(st.sampled_from(groups))}/{name}"
        if draw(st.booleans()):
            nodes[path] = {"node_type": "group", "attributes": draw(ATTRIBUTES)}
            groups.append(path)
        else:
            nodes[path] = draw(ARRAYS)
    parent, document = draw(st.sampled_from(groups)), draw(ARRAYS)
    for number in range(draw(st.sampled_from([0, 0, 9, 40]))):
        nodes[f"{parent}/many{number}"] = document
    return nodes


def document_of(node: dict[str, Any]) -> bytes:
    told = {"zarr_format": 3, "node_type": node["node_type"], "attributes": node["attributes"]}
    if node["node_type"] == "array":
        shape = node["shape"]
        told |= {
            "shape": shape,
            "data_type": node["data_type"],
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1] * len(shape)}},
            "chunk_key_encoding": {"name": "default"},
            "fill_value": [0, 0]
            if "complex" in node["data_type"]
            else False
            if node["data_type"] == "bool"
            else 0,
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        }
        if node["are_named"]:
            told["dimension_names"] = ["many1", "b", "many2"][: len(shape)]
    return json.dumps(told).encode()


def store_of(nodes: dict[str, dict[str, Any]]) -> MemoryStore:
    store = MemoryStore()
    for path, node in nodes.items():
        store.set(f"{path}/zarr.json".lstrip("/"), document_of(node))
    return store


@settings(max_examples=60)
@given(nodes=trees())
def test_h5py_finds_the_content_of_the_hierarchy(nodes: dict[str, dict[str, Any]]) -> None:
    store = store_of(nodes)
    with opened(zarrcore.open_hierarchy(store)["/"]) as file:
        found: dict[str, Any] = {"": file["/"]}
        file.visititems(lambda name, thing: found.update({f"/{name}": thing}))
        scales = {path for path in found if path not in nodes}
        for path, node in nodes.items():
            check(found[path], node)
        for path in scales:
            assert found[path].attrs["NAME"].startswith(b"This is a netCDF dimension but not")
            assert not np.any(found[path][...])


def check(found: Any, node: dict[str, Any]) -> None:
    """Whether a group or a dataset agrees with a document."""
    own = set(found.attrs) - RESERVED
    assert own == set(node["attributes"])
    for name in own:
        assert means(found.attrs[name], node["attributes"][name])
    assert isinstance(found, h5py.Group) == (node["node_type"] == "group")
    if isinstance(found, h5py.Dataset):
        assert found.shape == tuple(node["shape"])
        assert found.dtype == np.dtype(TYPES[node["data_type"]])
        assert not np.any(found[...])
        if not found.is_scale:
            assert [len(dimension) for dimension in found.dims] == [int(node["are_named"])] * found.ndim
        for dimension, length in zip(found.dims, found.shape, strict=True):
            assert [scale.shape for scale in dimension.values()] in ([], [(length,)])


@pytest.mark.parametrize("netcdf", [False, True])
def test_names_that_collide_with_a_prefix_are_reported(netcdf: bool) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_array("/y", shape=(3, 4), dtype="i2", dimension_names=["y", "x"])
    hierarchy.create_array("/_nc4_non_coord_y", shape=(3,), dtype="i2", dimension_names=["z"])
    with opened(hierarchy["/"], netcdf=netcdf) as file:
        told = [line.partition(": ")[0] for line in file.attrs.get("_zarrscope_left_out", [])]
        assert told == (["/y"] if netcdf else [])
        assert file["_nc4_non_coord_y"].ndim == 1
        assert ("y" in file) is not netcdf


def test_names_that_are_equal_in_netcdf_are_reported() -> None:
    hierarchy = zarrcore.create("memory://")
    for name, value in (("\u00e9", 1), ("e\u0301", 2)):
        hierarchy.create_group(f"/g/{name}", attributes={"value": value, "a\u0301": 3, "\u00e1": 4})
        hierarchy.create_array(f"/g/{name}/in{value}", shape=(2,), dtype="i2")
        hierarchy.create_array(f"/a/{name}", shape=(value,), dtype="i2")
    with opened(hierarchy["/"]) as file:
        assert len(file["g"]) == len(file["a"]) == 2
        assert "_zarrscope_left_out" not in file.attrs
    with opened(hierarchy["/"], netcdf=True) as file:
        (group,) = file["g"].values()
        assert group.name == "/g/\u00e9"
        assert set(group) >= {f"in{group.attrs['value']}"}
        assert not {"in1", "in2"} <= set(group)
        assert set(file["a"]) - {"dim_0"} == {"\u00e9"}
        assert group.attrs["\u00e1"] == 3
        assert len(file.attrs["_zarrscope_left_out"]) == 3


def test_an_attribute_with_the_reserved_name_is_omitted() -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={"_zarrscope_left_out": 5})
    with opened(hierarchy["/g"]) as file:
        (told,) = file.attrs["_zarrscope_left_out"]
        assert "has a special meaning" in told


def test_attributes_beyond_the_room_of_a_header_are_omitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skeleton, "_MAX_ATTRIBUTES", most := skeleton._MAX_ATTRIBUTES if ALL else 525)
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={f"a{number}": number for number in range(most + 5)})
    with opened(hierarchy["/g"]) as file:
        assert len(file.attrs) == most + 1
        assert len(file.attrs["_zarrscope_left_out"]) == 5


@pytest.mark.parametrize("netcdf", [False, True])
def test_a_dimension_may_be_longer_than_a_file(netcdf: bool) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_array("/a", shape=(0, 2**62), dtype="u1", chunks=(1, 1), dimension_names=["y", "x"])
    with opened(hierarchy["/"], netcdf=netcdf) as file:
        assert file["a"].shape == (0, 2**62)
        assert file["a"].dims[1][0].shape == (2**62,)
        assert "_zarrscope_left_out" not in file.attrs


def test_fill_values_and_names_that_are_too_large_are_omitted() -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_array("/large", shape=(2,), dtype=[("a", "V70000")], attributes={"x" * 40_000: 1})
    with opened(hierarchy["/"]) as file:
        assert file["large"].dtype.itemsize == 70_000
        (told,) = file.attrs["_zarrscope_left_out"]
        assert told.endswith("is too long for HDF5")


@settings(max_examples=60)
@given(nodes=trees(), netcdf=st.booleans())
def test_the_size_of_a_file_is_that_of_the_file_made(nodes: dict[str, dict[str, Any]], netcdf: bool) -> None:
    """For each group and each array."""
    for node in zarrcore.open_hierarchy(store_of(nodes)).walk():
        assert isinstance(node, zarrcore.Group | zarrcore.Array)
        check_size(node, netcdf)


@given(lengths=st.lists(st.integers(0, 9000), max_size=4), shape=st.lists(st.integers(0, 2**20), max_size=3))
def test_the_size_of_a_file_with_texts_of_any_length(lengths: list[int], shape: list[int]) -> None:
    """Texts of variable length are in a heap, whose parts begin anew when one is full."""
    attributes = {f"text{number}": ["x" * length, "y"] for number, length in enumerate(lengths)}
    node = {
        "node_type": "array",
        "shape": shape,
        "data_type": "int16",
        "attributes": attributes,
        "are_named": True,
    }
    array = zarrcore.open_hierarchy(store_of({"": {"node_type": "group", "attributes": {}}, "/a": node}))[
        "/a"
    ]
    assert isinstance(array, zarrcore.Array)
    check_size(array, netcdf=False)


def check_size(node: zarrcore.Group | zarrcore.Array, netcdf: bool) -> None:
    """Whether the computed size of a file is that of the file made."""
    nodes = nodes_of(node)
    skeleton, rooms, _ = make_skeleton(nodes, netcdf=netcdf)
    size = rooms[-1].offset + rooms[-1].nbytes if rooms else len(skeleton)
    assert file_size(nodes, netcdf=netcdf) == size
