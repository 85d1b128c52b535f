"""Names in HDF5 and in NetCDF."""

from __future__ import annotations

import pytest

import zarrcore
from tests.core.filetypes.hdf5.reading import opened
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.hdf5.names import file_name

NAMES = ["a b", "日本", "a\\b", "con:x", "x" * 200, "_a", "0%"]


NO_NETCDF_NAMES = [".hidden", "..x", "trail ", "%2e", "a\nb", " lead", "\x7f"]


@pytest.mark.parametrize("netcdf", [False, True])
def test_nodes_with_any_name_are_readable(netcdf: bool) -> None:
    hierarchy = zarrcore.create("memory://")
    for name in NAMES + NO_NETCDF_NAMES:
        hierarchy.create_array(f"/{name}/{name}", shape=(1,), dtype="u1")[...] = 5
    with opened(hierarchy["/"], netcdf=netcdf) as file:
        told = [f"/{name}: name {name!r} cannot be a name in NetCDF" for name in NO_NETCDF_NAMES * netcdf]
        assert sorted(file.attrs.get("_zarrscope_left_out", [])) == sorted(told)
        for name in NAMES + NO_NETCDF_NAMES * (not netcdf):
            assert file[name][name][0] == 5


def test_names_too_long_for_netcdf_are_reported() -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_array(f"/{'x' * 300}/a", shape=(1,), dtype="u1")
    with opened(hierarchy["/"], netcdf=True) as file:
        assert [line.split(": ")[1] for line in file.attrs["_zarrscope_left_out"]] == [
            f"name '{'x' * 20}…' is too long for NetCDF"
        ]


@pytest.mark.parametrize("netcdf", [False, True])
def test_a_name_is_text_in_utf_8(netcdf: bool) -> None:
    for name in NAMES:
        assert file_name(name, netcdf=netcdf) == name.encode()
    assert file_name("e\u0301", netcdf=netcdf) == ("é" if netcdf else "e\u0301").encode()
    for name, why in (("", "cannot be a name in HDF5"), ("a\0b", "in HDF5"), ("\ud800", "is not text")):
        with pytest.raises(UnsupportedError, match=why):
            file_name(name, netcdf=netcdf)


def test_only_netcdf_refuses_names_with_other_characters() -> None:
    for name in (*NO_NETCDF_NAMES, "a/b", "-a"):
        assert file_name(name, netcdf=False) == name.encode()
        with pytest.raises(UnsupportedError, match="cannot be a name in NetCDF"):
            file_name(name, netcdf=True)


def test_the_longest_names_are_counted_in_bytes() -> None:
    for longest, netcdf in ((255, True), (32_768, False)):
        assert len(file_name("x" * longest, netcdf=netcdf)) == longest
        for name in ("x" * (longest + 1), "é" * (longest // 2 + 1)):
            with pytest.raises(UnsupportedError, match="is too long for") as caught:
                file_name(name, netcdf=netcdf)
            assert len(str(caught.value)) < 80
