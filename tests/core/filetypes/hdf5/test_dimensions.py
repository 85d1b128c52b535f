"""Dimensions: arrays share them by name and length, and coordinates are theirs."""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np

import zarrcore
from tests.core.filetypes.hdf5.reading import opened
from zarrcore.stores.memory import MemoryStore


def hierarchy_of(**arrays: tuple[tuple[int, ...], list[str | None] | None]) -> zarrcore.Hierarchy:
    hierarchy = zarrcore.create("memory://")
    for name, (shape, names) in arrays.items():
        hierarchy.create_array(f"/{name}", shape=shape, data_type="int16", dimension_names=names)
    return hierarchy


def scales(dataset: h5py.Dataset) -> list[str]:
    """The names of the scales of each dimension, as HDF5's own functions find them."""
    return [scale[0].name.strip("/") for scale in dataset.dims]


def test_coordinates_are_scales() -> None:
    hierarchy = hierarchy_of(
        t=((3, 4), ["y", "x"]), u=((4,), ["x"]), x=((4,), ["x"]), y=((3,), None), alone=((4,), None)
    )
    with opened(hierarchy["/"]) as file:
        assert scales(file["t"]) == ["y", "x"]
        assert scales(file["u"]) == ["x"]
        assert file["x"].is_scale
        assert file["y"].is_scale
        assert h5py.h5ds.is_attached(file["t"].id, file["x"].id, 1)
        assert h5py.h5ds.get_scale_name(file["x"].id) == b"x"
        assert set(file) == {"t", "u", "x", "y", "alone"}
        assert "DIMENSION_LIST" not in file["alone"].attrs
        assert len(file["x"].attrs["REFERENCE_LIST"]) == 2


def test_dimensions_without_coordinates_are_scales_without_values() -> None:
    with opened(hierarchy_of(t=((3, 4), ["y", None]))["/"]) as file:
        assert scales(file["t"]) == ["y", "dim_1"]
        assert file["y"].shape == (3,)
        assert file["y"].id.get_offset() is None
        assert h5py.h5ds.get_scale_name(file["y"].id).startswith(
            b"This is a netCDF dimension but not a netCDF variable."
        )


def test_a_name_of_several_lengths_is_several_dimensions() -> None:
    pyramid = {f"s{level}": ((64 >> level, 32 >> level), ["y", "x"]) for level in range(3)}
    with opened(hierarchy_of(**pyramid)["/"]) as file:
        assert [scales(file[name]) for name in pyramid] == [["y", "x"], ["y_32", "x_16"], ["y_16", "x_8"]]


def test_a_dimension_avoids_what_is_called_like_it() -> None:
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
        assert scales(file["t"]) == ["a ", " a", "a\nb", "e\u0301_4", "-", "a b"]  # beside an array
        assert scales(file["s"]) == ["é"]
        assert set(file) >= {"é", "e\u0301"}


def test_a_dimension_may_be_there_twice() -> None:
    with opened(hierarchy_of(t=((3, 3), ["x", "x"]))["/"]) as file:
        assert scales(file["t"]) == ["x", "x"]


def test_thousands_share_a_dimension() -> None:
    store = MemoryStore()
    zarrcore.create(store).create_array("/x", shape=(2,), data_type="int16", dimension_names=["x"])
    for number in range(5000):
        store.set(f"a{number}/zarr.json", bytes(store.get("x/zarr.json") or b""))
    with opened(zarrcore.open(store)["/"]) as file:
        assert scales(file["a4999"]) == ["x"]
        assert "_zarrscope_left_out" not in file.attrs


def test_netcdf_names_all_dimensions() -> None:
    hierarchy = hierarchy_of(a=((3, 4), None), b=((5,), None))
    hierarchy.create_array("/z", shape=(3,), data_type="complex64")
    with opened(hierarchy["/"], netcdf=True) as file:
        assert scales(file["a"]) == ["dim_0", "dim_1"]
        assert scales(file["b"]) == ["dim_0_5"]
        assert scales(file["z"]) == ["dim_0", "ri"]


def test_version_2_tells_them_by_an_attribute() -> None:
    hierarchy = zarrcore.create("memory://", format="v2")
    array = hierarchy.create_array(
        "/t", shape=(2, 3), data_type="f4", fill_value=-1, attributes={"_ARRAY_DIMENSIONS": ["y", "x"]}
    )
    assert array.dimension_names == ("y", "x")
    with opened(hierarchy["/"]) as file:
        assert scales(file["t"]) == ["y", "x"]
        assert "_ARRAY_DIMENSIONS" not in file["t"].attrs
        assert file["t"].attrs["_FillValue"] == np.float32(-1)
