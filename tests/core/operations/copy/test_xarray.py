"""xarray opens what is copied, with its dimensions: version 2 has them as an attribute, version 3 as a member."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import zarrcore
from tests.command import run_inside

DATASET = xarray.Dataset(
    {
        "temperature": (
            ("time", "lat", "lon"),
            np.arange(1, 25, dtype="f4").reshape(2, 3, 4),
            {"units": "K", "valid": [0, 400]},
        ),
        "height": (("lat", "lon"), np.arange(1, 13, dtype="i2").reshape(3, 4)),
        "scalar": ((), 7),
    },
    coords={
        "time": np.array(["2026-11-20", "2026-11-21"], "M8[ns]"),
        "lat": [10.0, 20.0, 30.0],
        "lon": [5.0, 90.0, 180.0, 270.0],
    },
    attrs={"title": "a test"},
)


def opened(path: Path, zarr_format: Any) -> xarray.Dataset:
    with warnings.catch_warnings(
        action="ignore"
    ):  # zarr-python's, of codecs that are not in its specification
        return xarray.open_zarr(path, consolidated=False, zarr_format=zarr_format).load()


def same_but_for_types(found: xarray.Dataset) -> bool:
    """Whether it holds what `DATASET` does: integers of version 2 become floats, since xarray takes the fill value for a mask."""
    return all(
        found[name].dims == variable.dims
        and found[name].attrs == variable.attrs
        and found[name].astype(variable.dtype).values.tolist() == variable.values.tolist()
        for name, variable in DATASET.variables.items()
    )


def copied(source: Path, destination: Path, to: str) -> Path:
    outcome = run_inside("copy", source, destination, "--to", to)
    assert (outcome.status, outcome.stderr) == (0, "")
    return destination


def attributes(path: Path) -> dict[str, Any]:
    return dict(zarrcore.open_hierarchy(path)["temperature"].attributes)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_to_version_3_and_back(tmp_path: Path, zarr_format: Any) -> None:
    with warnings.catch_warnings(action="ignore"):
        days = {"units": "days since 2000-01-01"}  # that none is 0
        DATASET.to_zarr(
            tmp_path / "theirs", consolidated=False, zarr_format=zarr_format, encoding={"time": days}
        )
    third = copied(tmp_path / "theirs", tmp_path / "third", "v3")
    xarray.testing.assert_identical(opened(third, 3), DATASET)
    second = copied(third, tmp_path / "second", "v2")
    assert same_but_for_types(opened(second, 2))
    names = ["time", "lat", "lon"]
    document = json.loads((third / "temperature/zarr.json").read_bytes())
    assert document["dimension_names"] == names
    assert "_ARRAY_DIMENSIONS" not in document["attributes"]
    assert document["attributes"]["valid"] == [0, 400]
    assert json.loads((second / "temperature/.zattrs").read_bytes())["_ARRAY_DIMENSIONS"] == names
    again = attributes(copied(second, tmp_path / "again", "v3"))
    assert {"_FillValue": "AAAAAAAA+H8=", **again} == attributes(third)  # NaN, which need not be told


def test_within_version_2_zeros_stay_zeros(tmp_path: Path) -> None:
    dataset = (DATASET - DATASET.isel(time=0, lat=0, lon=0)).drop_vars("time")
    with warnings.catch_warnings(action="ignore"):
        dataset.to_zarr(tmp_path / "theirs", consolidated=False, zarr_format=2)
    found = opened(copied(tmp_path / "theirs", tmp_path / "ours", "v2"), 2)
    xarray.testing.assert_identical(found, opened(tmp_path / "theirs", 2))


@pytest.mark.parametrize("format_", ["v3", "v2"])
def test_hierarchies_made_here_open_in_xarray(tmp_path: Path, format_: str) -> None:
    hierarchy = zarrcore.create(tmp_path / "ours", format=format_)
    for name, variable in DATASET.drop_vars("time").variables.items():
        hierarchy.create_array(
            str(name),
            shape=variable.shape,
            dtype=variable.dtype,
            dimension_names=[str(dimension) for dimension in variable.dims],
            attributes={str(key): value for key, value in variable.attrs.items()},
            fill_value=-1,
        )[...] = variable.values
    found = opened(tmp_path / "ours", int(format_[1]))
    for name, variable in DATASET.drop_vars("time").variables.items():
        assert found[name].dims == variable.dims
        np.testing.assert_array_equal(found[name].values, variable.values)


def test_names_of_n5_by_either_convention(tmp_path: Path) -> None:
    hierarchy = zarrcore.create(tmp_path / "x.n5", format="n5")
    values = np.arange(6, dtype="f4").reshape(2, 3)
    for name, wishes in (
        ("a", {"attributes": {"axes": ["lon", "lat"]}}),
        ("b", {"dimension_names": ["lat", "lon"]}),
    ):
        hierarchy.create_array(name, shape=(2, 3), dtype="float32", **wishes)[...] = values
    for to in (2, 3):
        found = opened(copied(tmp_path / "x.n5", tmp_path / str(to), f"v{to}"), to)
        for name in "ab":
            assert found[name].dims == ("lat", "lon")
            np.testing.assert_array_equal(found[name].values[values != 0], values[values != 0])
        assert found["a"].attrs["axes"] == ["lon", "lat"]
