"""Dimensions: arrays share them by name and length, and coordinates belong to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import xarray as xr

import zarrcore
from tests.core.filetypes.hdf5.reading import opened
from tests.core.filetypes.hdf5.scales import hierarchy_of, scales
from zarrcore.filetypes.hdf5 import HDF5File
from zarrcore.filetypes.hdf5.dimensions import group_dimensions
from zarrcore.hierarchy import ArrayNode


def test_a_name_of_several_lengths_is_several_dimensions() -> None:
    pyramid = {f"s{level}": ((64 >> level, 32 >> level), ["y", "x"]) for level in range(3)}
    with opened(hierarchy_of(**pyramid)["/"]) as file:
        assert [scales(file[name]) for name in pyramid] == [["y", "x"], ["y_32", "x_16"], ["y_16", "x_8"]]


def test_the_order_of_coordinates_is_the_same_in_each_process() -> None:
    """The bytes of a file depend on it: two servers, or two mounts, must not serve parts of different files."""
    names = [*"hgfedcba"]
    arrays: dict[str, Any] = {name: ((name,), (3,)) for name in names} | {"cube": (tuple(names), (3,) * 8)}
    found = group_dimensions(arrays, [*arrays], netcdf=False)
    assert [*found.names.values()] == sorted(names)


def test_a_dimension_avoids_the_names_of_other_nodes() -> None:
    arrays: dict[str, Any] = {"y": ((3, 4), ["y", "x"]), "x": ((4,), ["other"]), "x_4": ((1,), None)}
    hierarchy = hierarchy_of(**arrays)
    hierarchy.create_group("/other")
    with opened(hierarchy["/"]) as file:
        assert scales(file["y"]) == ["y_3", "x_4_"]
        assert scales(file["x"]) == ["other_4"]
    with opened(hierarchy["/"], netcdf=True) as file:
        assert scales(file["_nc4_non_coord_y"]) == ["y", "x"]
        assert scales(file["_nc4_non_coord_x"]) == ["other_4"]


def test_any_text_names_a_dimension() -> None:
    names: list[str | None] = ["a/b", ".", "", "x\0y", "é", "a b"]
    with opened(hierarchy_of(t=((1, 2, 3, 4, 5, 6), names))["/"]) as file:
        assert scales(file["t"]) == ["a_b", "dim_1", "dim_2", "dim_3", "é", "a b"]


def test_netcdf_names_dimensions_by_its_rules() -> None:
    names: list[str | None] = ["a ", " a", "a\nb", "e\u0301", "-", "a b"]
    arrays: dict[str, Any] = {"t": ((1, 2, 3, 4, 5, 6), names), "e\u0301": ((4,), ["é"]), "s": ((4,), ["é"])}
    with opened(hierarchy_of(**arrays)["/"], netcdf=True) as file:
        assert scales(file["t"]) == ["dim_0", "dim_1", "dim_2", "é", "dim_4", "a b"]
        assert scales(file["s"]) == ["é"]
        assert h5py.h5ds.get_scale_name(file["é"].id) == "é".encode()
        assert "_zarrscope_left_out" not in file.attrs
    with opened(hierarchy_of(**arrays)["/"]) as file:
        assert scales(file["t"]) == ["a ", " a", "a\nb", "e\u0301_4", "-", "a b"]  # next to an array
        assert scales(file["s"]) == ["é"]
        assert set(file) >= {"é", "e\u0301"}


def test_netcdf_names_all_dimensions() -> None:
    hierarchy = hierarchy_of(a=((3, 4), None), b=((5,), None))
    hierarchy.create_array("/z", shape=(3,), dtype="complex64")
    with opened(hierarchy["/"], netcdf=True) as file:
        assert scales(file["a"]) == ["dim_0", "dim_1"]
        assert scales(file["b"]) == ["dim_0_5"]
        assert scales(file["z"]) == ["dim_0", "ri"]


def tree_of(**arrays: tuple[tuple[int, ...], list[str | None] | None]) -> zarrcore.Hierarchy:
    """Names in which ``__`` stands for a slash."""
    hierarchy = zarrcore.create("memory://")
    for name, (shape, names) in arrays.items():
        path = name.replace("__", "/")
        array = hierarchy.create_array(f"/{path}", shape=shape, dtype="int16", dimension_names=names)
        array[...] = np.arange(array.size).reshape(shape)
    return hierarchy


@pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
@pytest.mark.parametrize("is_named", [True, False])
def test_xarray_opens_the_whole_tree(tmp_path: Path, engine: Any, is_named: bool) -> None:
    """A name has one length on the path from the root to any group, and stays if the lengths agree."""
    names = (lambda *names: list(names)) if is_named else (lambda *_: None)
    hierarchy = tree_of(
        top=((3, 4), names("y", "x")),
        a__same=((3, 4), names("y", "x")),
        a__other=((6, 8), names("y", "x")),
        a__b__deep=((6, 4), names("y", "x")),
        a__b__third=((5, 8), names("y", "x")),
        c__d__skipping=((7,), names("y")),
    )
    place = tmp_path / "all.nc"
    with place.open("wb") as file:
        HDF5File(hierarchy["/"], netcdf=True).write_to(file)
    y, x = ("y", "x") if is_named else ("dim_0", "dim_1")
    with xr.open_datatree(place, engine=engine) as tree:
        assert {
            path: dict(tree[path].sizes) for path in ("top", "a/same", "a/other", "a/b/deep", "a/b/third")
        } == {
            "top": {y: 3, x: 4},
            "a/same": {y: 3, x: 4},
            "a/other": {f"{y}_6": 6, f"{x}_8": 8},
            "a/b/deep": {f"{y}_6": 6, x: 4},
            "a/b/third": {f"{y}_5": 5, f"{x}_8": 8},
        }
        assert dict(tree["c/d/skipping"].sizes) == {f"{y}_7": 7}
        for node in hierarchy.walk():
            if isinstance(node, ArrayNode):
                np.testing.assert_array_equal(tree[node.path].values, node[...])


@pytest.mark.parametrize("netcdf", [True, False])
@pytest.mark.parametrize("length", [3, 5])
def test_coordinates_of_a_group_hide_those_of_groups_above(tmp_path: Path, netcdf: bool, length: int) -> None:
    """A coordinate of another length has the dimension of its neighbours, and xarray uses it as their coordinate."""
    hierarchy = tree_of(
        x=((3,), ["x"]), t=((3,), ["x"]), a__x=((length,), ["x"]), a__t=((length, 2), ["x", None])
    )
    expected = "x" if length == 3 else "x_5"
    with opened(hierarchy["/"], netcdf=netcdf) as file:
        assert scales(file["t"]) == ["x"]
        assert [name.rpartition("/")[2] for name in scales(file["a/t"])] == [expected, "dim_1"]
        assert file["a/x"].is_scale == (length == 3)
        assert "_zarrscope_left_out" not in file.attrs
    place = tmp_path / "all.nc"
    with place.open("wb") as file:
        HDF5File(hierarchy["/"], netcdf=netcdf).write_to(file)
    with xr.open_datatree(place, engine="h5netcdf") as tree:
        assert tree["a/t"].dims == (expected, "dim_1")
        assert tree["a/x"].dims == (expected,)
        assert tree["x"].values.tolist() == [0, 1, 2]
        assert tree["a/x"].values.tolist() == [*range(length)]
        assert tree["a/t"].coords["x"].values.tolist() == [*range(length)]


def test_dimensions_of_zarr_v2_come_from_an_attribute() -> None:
    hierarchy = zarrcore.create("memory://", format="v2")
    array = hierarchy.create_array(
        "/t", shape=(2, 3), dtype="f4", fill_value=-1, attributes={"_ARRAY_DIMENSIONS": ["y", "x"]}
    )
    assert array.dimension_names == ("y", "x")
    with opened(hierarchy["/"]) as file:
        assert scales(file["t"]) == ["y", "x"]
        assert "_ARRAY_DIMENSIONS" not in file["t"].attrs
        assert file["t"].attrs["_FillValue"] == np.float32(-1)
