"""Names in HDF5 and in NetCDF."""

from __future__ import annotations

import pytest

import zarrcore
from tests.core.filetypes.hdf5.reading import opened

NAMES = ["a b", "日本", "a\\b", "con:x", "x" * 200, "_a", "0%"]


NO_NETCDF_NAMES = [".hidden", "..x", "trail ", "%2e", "a\nb", " lead", "\x7f"]


@pytest.mark.parametrize("netcdf", [False, True])
def test_nodes_with_any_name_are_readable(netcdf: bool) -> None:
    hierarchy = zarrcore.create("memory://")
    for name in NAMES + NO_NETCDF_NAMES:
        hierarchy.create_array(f"/{name}/{name}", shape=(1,), data_type="u1")[...] = 5
    with opened(hierarchy["/"], netcdf=netcdf) as file:
        told = [f"/{name}: name {name!r} cannot be a name in NetCDF" for name in NO_NETCDF_NAMES * netcdf]
        assert sorted(file.attrs.get("_zarrscope_left_out", [])) == sorted(told)
        for name in NAMES + NO_NETCDF_NAMES * (not netcdf):
            assert file[name][name][0] == 5


def test_names_too_long_for_netcdf_are_reported() -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_array(f"/{'x' * 300}/a", shape=(1,), data_type="u1")
    with opened(hierarchy["/"], netcdf=True) as file:
        assert [line.split(": ")[1] for line in file.attrs["_zarrscope_left_out"]] == [
            f"name '{'x' * 20}…' is too long for NetCDF"
        ]
