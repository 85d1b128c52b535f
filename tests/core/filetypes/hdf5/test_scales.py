"""Dimension scales as h5py finds them."""

from __future__ import annotations

import h5py

import zarrcore
from tests.core.filetypes.hdf5.reading import opened
from tests.core.filetypes.hdf5.scales import hierarchy_of, scales
from zarrcore.stores.memory import MemoryStore


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


def test_an_array_may_have_a_dimension_twice() -> None:
    with opened(hierarchy_of(t=((3, 3), ["x", "x"]))["/"]) as file:
        assert scales(file["t"]) == ["x", "x"]


def test_thousands_of_arrays_share_a_dimension() -> None:
    store = MemoryStore()
    zarrcore.create(store).create_array("/x", shape=(2,), dtype="int16", dimension_names=["x"])
    for number in range(5000):
        store.set(f"a{number}/zarr.json", bytes(store.get("x/zarr.json") or b""))
    with opened(zarrcore.open_hierarchy(store)["/"]) as file:
        assert scales(file["a4999"]) == ["x"]
        assert "_zarrscope_left_out" not in file.attrs
