"""Which stored elements stand for no value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zarrcore
from zarrcore.conventions.cf import missing_values, missing_values_of

NAMED = {"_ARRAY_DIMENSIONS": ["x"]}


@pytest.mark.parametrize(
    ("format_name", "kind", "attributes", "expected"),
    [
        ("v2", "int16", NAMED, [7]),
        ("v2", "int16", NAMED | {"_FillValue": -1}, [7]),
        ("v2", "int16", {"_FillValue": -1}, [-1]),
        ("v2", "bool", NAMED, []),
        ("v3", "int16", NAMED, []),
        ("v3", "int16", NAMED | {"_FillValue": -1}, [-1]),
        ("v3", "float32", {"_FillValue": "AAAAAACHw8A="}, [-9998.0]),
        ("v3", "int16", {"_FillValue": "AAAAAACHw8A="}, []),
        ("n5", "int16", NAMED, []),
    ],
)
def test_the_fill_value_counts_in_version_2(
    format_name: str, kind: str, attributes: dict[str, Any], expected: list[Any]
) -> None:
    hierarchy = zarrcore.create("memory://", format=format_name)
    fill = 0 if format_name == "n5" else 1 if kind == "bool" else 7
    array = hierarchy.create_array(
        "/a", shape=(3,), dtype=kind, fill_value=fill, chunks=(3,), attributes=attributes
    )
    assert [value.tolist() for value in missing_values_of(array).values()] == expected


@pytest.mark.parametrize(
    ("told", "dtype", "expected"),
    [
        ([-999, 300, True], "i2", [-999, 300]),
        (300, "u1", None),
        (2**63 - 1, "i8", 2**63 - 1),
        (1e20, "f4", float(np.float32(1e20))),
        ("not base64", "f4", None),
        (5, "M8[s]", None),
    ],
)
def test_missing_values_have_the_type_of_the_elements(told: Any, dtype: str, expected: Any) -> None:
    found = missing_values({"missing_value": told}, np.dtype(dtype)).get("missing_value")
    assert (None if found is None else found.tolist()) == expected
