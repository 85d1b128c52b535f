"""Variables and datasets as xarray and netCDF4 write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr

import zarrcore
from tests.core.conventions.described import described
from zarrcore.conventions import Axis, Dataset, Variable, meaning, recognise
from zarrcore.errors import NodeNotFoundError

WKT = 'GEOGCRS["WGS 84",DATUM["d",ELLIPSOID["e",6378137,298.25]],ID["EPSG",4326]]'


@pytest.fixture(scope="module", params=["v3", "v2", "nc"])
def dataset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> zarrcore.Hierarchy:
    """A climate dataset, written by xarray in each format."""
    time = np.arange("2013-01-01", "2013-01-11", dtype="M8[D]").astype("M8[ns]")
    air: dict[str, Any] = {
        "standard_name": "air_temperature",
        "long_name": "Temperature of air",
        "units": "K",
        "cell_methods": "time: mean",
        "grid_mapping": "crs",
        "valid_range": [150, 350],
    }
    flags = {"flag_values": [0, 1], "flag_meanings": "land sea", "long_name": "mask"}
    data = xr.Dataset(
        {
            "air": (("time", "lat", "lon"), np.full((10, 5, 6), 273.15), air),
            "mask": (("lat", "lon"), np.zeros((5, 6), "i1"), flags),
            "crs": ((), 0, {"crs_wkt": WKT, "GeoTransform": "0 2 0 10 0 -2"}),
        },
        {
            "time": time,
            "lat": ("lat", np.arange(5.0), {"units": "degrees_north", "axis": "Y", "bounds": "lat_bnds"}),
            "lon": ("lon", np.arange(6.0), {"units": "degrees_east"}),
        },
        {"Conventions": "CF-1.11 ACDD-1.3", "title": "Ten days"},
    )
    data.air.encoding = {"dtype": "int16", "scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32768}
    path = tmp_path_factory.mktemp("cf") / f"data.{request.param}"
    if request.param == "nc":
        data.to_netcdf(path)
    else:
        data.to_zarr(path, zarr_format=int(request.param[1]), consolidated=False)
    return zarrcore.open_hierarchy(path)


def test_a_variable(dataset: zarrcore.Hierarchy) -> None:
    air = meaning(dataset["air"])
    assert isinstance(air, Variable)
    assert air.summary == "CF 1.11 variable air_temperature in K on time 10 × lat 5 × lon 6"
    assert air.axes == (
        Axis("time", "time", "days since 2013-01-01 00:00:00"),
        Axis("lat", "latitude", "degrees_north"),
        Axis("lon", "longitude", "degrees_east"),
    )
    assert (air.scale, air.offset, air.missing) == (0.01, 273.15, (-32768,))
    assert (air.long_name, air.cell_methods, air.valid_range) == (
        "Temperature of air",
        "time: mean",
        (150, 350),
    )
    assert air.georeference is not None
    assert air.georeference.crs is not None
    assert air.georeference.crs.title == "EPSG:4326  WGS 84"
    assert air.georeference.bounds == (0, 0, 12, 10)
    assert dict(air.facts())["packed"] == "stored × 0.01 + 273.15"
    json.dumps(air.document())


def test_coordinate_variables(dataset: zarrcore.Hierarchy) -> None:
    lat, time = meaning(dataset["lat"]), meaning(dataset["time"])
    assert isinstance(lat, Variable)
    assert isinstance(time, Variable)
    assert lat.summary == "CF 1.11 coordinate variable lat in °N, 5 values"
    assert (lat.is_coordinate, lat.bounds, lat.georeference) == (True, "lat_bnds", None)
    assert time.calendar == "proleptic_gregorian"


def test_flags(dataset: zarrcore.Hierarchy) -> None:
    mask = meaning(dataset["mask"])
    assert isinstance(mask, Variable)
    assert mask.flags == {0: "land", 1: "sea"}
    assert dict(mask.facts())["flags"] == "0: land, 1: sea"


def test_a_dataset(dataset: zarrcore.Hierarchy) -> None:
    found = meaning(dataset["/"])
    assert isinstance(found, Dataset)
    assert found.summary == "CF 1.11 dataset, 2 variables on time 10 × lat 5 × lon 6"
    assert sorted(found.variables) == ["air", "mask"], "a grid mapping holds no quantity"
    assert sorted(found.coordinates) == ["lat", "lon", "time"]
    assert dict(found.facts())["title"] == "Ten days"


def test_a_dataset_with_a_broken_array() -> None:
    values = {
        "zarr.json": b'{"zarr_format": 3, "node_type": "group", "attributes": {"Conventions": "CF-1.6"}}',
        "a/zarr.json": b"{",
    }
    found = meaning(zarrcore.open_hierarchy(zarrcore.stores.MemoryStore(values=values))["/"])
    assert isinstance(found, Dataset)
    assert found.broken == ("a",)
    assert found.summary == "CF 1.6 dataset, 0 variables"


def array(attributes: dict[str, Any], names: Any = ("y", "x")) -> Any:
    node = described("/v", attributes, kind="array")
    node.dimension_names, node.shape, node.ndim, node.dtype = names, (2, 3), 2, np.dtype("f4")
    return node


@pytest.mark.parametrize(
    ("attributes", "names", "expected"),
    [
        ({"units": "m"}, ("y", "x"), True),
        ({"units": ""}, ("y", "x"), False),
        ({"scale_factor": 0.5}, ("y", "x"), True),
        ({"long_name": "depth"}, None, False),
        ({"standard_name": "depth"}, None, True),
        ({"colour": "red"}, ("y", "x"), False),
        ({"units": {"a": 1}}, ("y", "x"), False),
    ],
)
def test_arrays_are_recognised_by_what_cf_defines(
    attributes: dict[str, Any], names: Any, expected: bool
) -> None:
    assert (recognise(array(attributes, names)) is not None) is expected


@pytest.mark.parametrize(
    ("conventions", "expected"), [("CF-1.6", True), ("ACDD-1.3, CF-1.8", True), ("COARDS", False), (7, False)]
)
def test_groups_are_recognised_by_their_conventions(conventions: Any, expected: bool) -> None:
    assert (recognise(described("/", {"Conventions": conventions})) is not None) is expected


@pytest.mark.parametrize(
    "attributes",
    [
        {"units": "m", "flag_values": [0, 1], "flag_meanings": "one"},
        {"units": "m", "flag_values": ["a"], "flag_meanings": "one"},
        {"units": "m", "flag_values": 7, "flag_meanings": ["one"]},
        {"units": "m", "valid_range": ["a", 2], "valid_min": "b"},
        {"units": "m", "grid_mapping": "gone", "coordinates": 7, "bounds": [1]},
    ],
    ids=str,
)
def test_invalid_attributes_are_ignored(attributes: dict[str, Any]) -> None:
    def find(path: str) -> Any:
        if path != "/":
            raise NodeNotFoundError(path, "memory:")
        return described("/", {})

    found = meaning(array(attributes), find)
    assert isinstance(found, Variable)
    assert (found.flags, found.valid_range, found.georeference, found.bounds) == ({}, None, None, "")
    assert found.summary == "CF variable v in m on y 2 × x 3"


def test_dimensions_without_coordinates_have_names_alone(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("p", 3)
        file.createVariable("v", "f4", ("p",)).units = "hPa"
        vertical = file.createVariable("w", "f4", ("p",))
        vertical.positive, vertical.units = "down", "m"
    found = meaning(zarrcore.open_hierarchy(tmp_path / "a.nc")["v"])
    assert isinstance(found, Variable)
    assert found.axes == (Axis("p"),)
    assert found.summary == "CF variable v in hPa on p 3"


def test_integers_of_the_other_signedness_are_told_as_they_are_read(tmp_path: Path) -> None:
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 3)
        variable = file.createVariable("v", "i1", ("x",), fill_value=np.int8(-1))
        variable.setncatts({"_Unsigned": "true", "units": "K", "valid_range": np.array([2, -10], "i1")})
    found = meaning(zarrcore.open_hierarchy(tmp_path / "a.nc")["v"])
    assert isinstance(found, Variable)
    assert (found.missing, found.valid_range) == ((255,), (2, 246))
    assert ("integers", "read as unsigned") in found.facts()
