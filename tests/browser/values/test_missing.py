"""Missing and packed values are the same as in xarray, for Zarr v2 and v3."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr

from zarrbrowser.coordinates.coordinates import coordinates_of
from zarrbrowser.export.export import Export, write
from zarrbrowser.export.viewed_array import ViewedArray
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.measurements import read_profile
from zarrbrowser.image.regions.shapes import Region, Shape
from zarrbrowser.image.regions.statistics import measure_region
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.plot.series import SeriesRequest, read_series
from zarrbrowser.session.sources import SourceRequest, open_source
from zarrbrowser.table.grid import grid_of
from zarrbrowser.values.elements import Elements
from zarrcore.conventions.cf import packing_of
from zarrcore.typing import AnyArray

KELVIN = np.array([[247.5, np.nan, 250.25], [np.nan, 251.0, 312.75]])
ENCODINGS: dict[str, dict[str, Any]] = {
    "packed": {"dtype": "int16", "scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32767},
    "scaled": {"dtype": "int32", "scale_factor": 0.25, "_FillValue": -1},
    "finite": {"dtype": "float32", "_FillValue": -9999.0},
    "large": {"dtype": "float32", "_FillValue": 1e20},
    "nan": {"dtype": "float64", "_FillValue": np.nan},
    "none": {"dtype": "float64", "_FillValue": None},
    "infinite": {"dtype": "float64", "_FillValue": np.inf},
    "old": {"dtype": "int16", "scale_factor": 0.01, "missing_value": -999, "_FillValue": -999},
}


@pytest.fixture(params=[2, 3], scope="module")
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("missing") / "xarray.zarr"
    arrays = dict.fromkeys(ENCODINGS, (("y", "x"), KELVIN))
    arrays |= {f"{name}_line": (("x",), KELVIN[0]) for name in ENCODINGS}
    encoding = ENCODINGS | {f"{name}_line": told for name, told in ENCODINGS.items()}
    coordinates = {"x": [0.5, np.nan, 2.5]}
    encoding["x"] = {"dtype": "int16", "scale_factor": 0.5, "_FillValue": -7}
    data = xr.Dataset(arrays, coordinates)
    data.to_zarr(path, zarr_format=request.param, consolidated=False, encoding=encoding)
    return path


def opened(path: Path) -> Callable[[str], Any]:
    return open_source(SourceRequest(str(path))).hierarchy.node


def as_xarray(path: Path, name: str) -> AnyArray:
    with xr.open_zarr(path, consolidated=False) as data:
        return np.asarray(data[name].values)


@pytest.mark.parametrize("name", ENCODINGS)
def test_table_text_and_plot_show_missing_values_like_xarray(
    name: str, written: Path, tmp_path: Path
) -> None:
    array, expected = opened(written)(f"/{name}"), as_xarray(written, name)
    assert (np.isnan(expected) == np.isnan(KELVIN)).all(), "xarray itself reads what it wrote"
    packing = packing_of(array)
    cells = grid_of(array, is_unpacked=True).read(slice(None), slice(None))
    assert np.array_equal(np.array(cells, expected.dtype), expected, equal_nan=True)
    path = tmp_path / "out.csv"
    viewed = ViewedArray(array, (slice(None),) * 2, (slice(None),) * 2, packing=packing)
    write(Export(viewed, viewed.selection, "csv", str(path)), lambda _: b"", lambda: False, lambda _: None)
    rows = list(csv.reader(path.read_text().splitlines()))
    assert np.array_equal(np.array(rows, float).astype(expected.dtype), expected, equal_nan=True)
    line = opened(written)(f"/{name}_line")
    elements = Elements(packing=packing_of(line), fill=packing.missing if packing else ())
    numbers = read_series(SeriesRequest(line, elements)).numbers
    assert np.array_equal(numbers.astype(expected.dtype), as_xarray(written, f"{name}_line"), equal_nan=True)


@pytest.mark.parametrize("name", ENCODINGS)
def test_profile_and_rectangle_treat_missing_values_like_xarray(name: str, written: Path) -> None:
    image = image_of_array(opened(written)(f"/{name}"))
    expected = as_xarray(written, name).astype(np.float64)
    settings = initial_settings(image, is_unpacked=True)
    (facts,) = measure_region(
        image, settings, Region("", Shape.RECTANGLE, ((-0.5, -0.5), (1.5, 2.5)))
    ).channels
    assert facts.known == 4
    assert facts.mean == pytest.approx(np.nanmean(expected), rel=1e-15)
    assert (facts.minimum, facts.maximum) == (np.nanmin(expected), np.nanmax(expected))
    profile = read_profile(image, settings, (0.0, 0.0), (0.0, 2.0))
    assert np.array_equal(profile.numbers, expected[0], equal_nan=True)


def test_a_missing_coordinate_is_nan(written: Path) -> None:
    find = opened(written)
    found = coordinates_of(image_of_array(find("/packed")), find)
    assert np.array_equal(found[1].values, as_xarray(written, "x"), equal_nan=True)


def test_only_what_xarray_can_open_has_a_missing_fill_value(tmp_path: Path) -> None:
    for name, attributes in (("plain", {}), ("named", {"_ARRAY_DIMENSIONS": ["x"]})):
        group = zarr.open_group(tmp_path / name, mode="w", zarr_format=2)
        group.create_array("a", data=np.arange(4, dtype="u1"), fill_value=0, attributes=attributes)
    assert packing_of(opened(tmp_path / "plain")("/a")) is None
    with pytest.raises(KeyError, match="_ARRAY_DIMENSIONS"):
        as_xarray(tmp_path / "plain", "a")
    packing = packing_of(opened(tmp_path / "named")("/a"))
    assert packing is not None
    assert packing.missing == (0,)
    assert np.isnan(as_xarray(tmp_path / "named", "a")).tolist() == [True, False, False, False]


def test_missing_values_with_many_digits_are_exact(tmp_path: Path) -> None:
    most = 2**63 - 1
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2)
    array = group.create_array("a", data=np.array([most, most - 1, 5]), fill_value=most)
    array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    node = opened(tmp_path / "a.zarr")("/a")
    packing = packing_of(node)
    assert packing is not None
    assert np.isnan(packing.unpacked(node.read())).tolist() == [True, False, False]
