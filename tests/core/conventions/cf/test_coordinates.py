"""Coordinate variables as values for people."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zarrcore
from zarrcore.conventions.cf import coordinate_values


@pytest.mark.parametrize(
    ("stored", "attributes", "expected", "unit"),
    [
        (
            np.array([0, 1], "i8"),
            {"units": "days since 2000-01-01"},
            np.array(["2000-01-01", "2000-01-02"], "M8[D]"),
            "",
        ),
        (
            np.array([0, 59], "i4"),
            {"units": "days since 2000-01-01", "calendar": "noleap"},
            ["2000-01-01", "2000-03-01"],
            "",
        ),
        (
            np.array([10, 20], "i2"),
            {"units": "degrees_north", "scale_factor": 0.5},
            [5.0, 10.0],
            "degrees_north",
        ),
        (np.array([1.0, -9.0]), {"units": 7, "missing_value": -9.0}, [1.0, np.nan], ""),
        (np.array([True, False]), {}, [1, 0], ""),
        (
            np.array(["2020-01-01", "2020-01-02"], "M8[ns]"),
            {},
            np.array(["2020-01-01", "2020-01-02"], "M8[D]"),
            "",
        ),
    ],
)
def test_values(stored: Any, attributes: dict[str, Any], expected: Any, unit: str) -> None:
    array = zarrcore.create("memory://").create_array(
        "a", shape=stored.shape, data_type=stored.dtype, attributes=attributes
    )
    array[...] = stored
    values, found = coordinate_values(array)
    assert found == unit
    np.testing.assert_array_equal(values, np.asarray(expected))
    assert values.dtype.kind == np.asarray(expected).dtype.kind
