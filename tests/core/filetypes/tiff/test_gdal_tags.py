"""GDAL shows names, units, packing and the missing value of bands as they are in the metadata."""

from __future__ import annotations

import base64
import math
import struct
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.filetypes.tiff.maps import array_in, opened
from zarrcore.filetypes.tiff.gdal_tags import Quantity, gdal_entries


def read(data: Any, attributes: dict[str, Any], names: Any = None) -> Any:
    hierarchy = zarrcore.create("memory://")
    array = array_in(hierarchy, "a", data, names, attributes=attributes)
    with opened(zarrcore.virtual_file(array, suffix="tif")) as dataset:
        return (
            dataset.profile,
            dataset.descriptions,
            dataset.units,
            dataset.scales,
            dataset.offsets,
            dataset.tags(),
        )


def test_what_a_variable_says() -> None:
    attributes = {
        "long_name": 'größe <&> "x" é',
        "standard_name": "air_temperature",
        "units": "K",
        "scale_factor": 0.01,
        "add_offset": 273.15,
        "_FillValue": -32768,
    }
    profile, names, units, scales, offsets, tags = read(
        np.zeros((2, 4, 6), "i2"), attributes, ["time", "y", "x"]
    )
    assert names == ("time=0", "time=1")
    assert (units, scales, offsets) == (("K", "K"), (0.01, 0.01), (273.15, 273.15))
    assert profile["nodata"] == -32768
    assert tags["long_name"] == 'größe <&> "x" é'
    assert tags["standard_name"] == "air_temperature"


def test_a_single_band_has_the_name_of_the_variable() -> None:
    assert read(np.zeros((4, 6), "u1"), {"long_name": "elevation"})[1] == ("elevation",)
    assert read(np.zeros((4, 6), "u1"), {})[1] == ("a",)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("u1", 255), ("i8", -(2**63)), ("u8", 2**53), ("f8", -1e300), ("f4", 1e20), ("f4", -9999.9)],
)
def test_missing_values_are_those_of_the_elements(dtype: str, value: float) -> None:
    (profile, *_) = read(np.zeros((4, 6), dtype), {"missing_value": value})
    assert float(profile["nodata"]) == float(np.array(value, dtype))


def test_a_missing_value_that_is_no_number() -> None:
    encoded = base64.b64encode(struct.pack("<d", math.nan)).decode()  # as xarray does
    (profile, *_) = read(np.zeros((4, 6), "f4"), {"_FillValue": encoded})
    assert math.isnan(profile["nodata"])


def test_nothing_is_said_of_nothing() -> None:
    assert gdal_entries(Quantity(), [""]) == []
