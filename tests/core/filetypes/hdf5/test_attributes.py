"""Attributes: what JSON says is what HDF5's readers get."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.core.filetypes.hdf5.reading import opened
from zarrcore.filetypes.hdf5.attributes import RESERVED

SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",))),
)
ODD = st.one_of(
    st.none(), st.integers(2**64, 2**70), st.lists(st.lists(st.integers(0, 3)), min_size=1), st.just([])
)
JSON = st.one_of(SCALARS, st.lists(SCALARS), ODD, st.dictionaries(st.text(), st.integers()))
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1, max_size=20)


def plain(value: Any) -> Any:
    """An attribute as Python has it."""
    if isinstance(value, bytes):
        return value.decode()
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def means(found: Any, value: Any) -> bool:
    """Whether what was read is the value, or JSON text of it."""
    found = plain(found)
    if found == value:
        return True
    return isinstance(found, str) and not isinstance(value, str) and json.loads(found) == value


@given(
    attributes=st.dictionaries(NAMES.filter(lambda name: name not in RESERVED), JSON, max_size=4),
    netcdf=st.booleans(),
)
def test_attributes_mean_the_same(attributes: dict[str, Any], netcdf: bool) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes=attributes)
    with opened(hierarchy["/g"], netcdf=netcdf) as file:
        assert set(file.attrs) == set(attributes)
        for name, value in attributes.items():
            assert means(file.attrs[name], value)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(5, "<i8"), (2**63, "<u8"), (0.5, "<f8"), ([1, 2], "<i8"), ([1, 0.5], "<f8"), (True, "?")],
)
def test_numbers_are_numbers(value: Any, dtype: str) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={"a": value})
    with opened(hierarchy["/g"]) as file:
        assert file.attrs["a"].dtype == np.dtype(dtype)
        assert file.attrs["a"].tolist() == value


@pytest.mark.parametrize("netcdf", [False, True])
@pytest.mark.parametrize(
    "value", ["é" * 100_000, list(range(30_000)), ["text"] * 5000, {"deep": [0.5] * 20_000}]
)
def test_what_is_too_large_for_an_attribute_is_text(value: Any, netcdf: bool) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={"a": value, "b": 1})
    with opened(hierarchy["/g"], netcdf=netcdf) as file:
        assert means(file.attrs["a"], value)
        assert file.attrs["b"] == 1
        assert "_zarrscope_left_out" not in file.attrs


def test_thousands_of_attributes() -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={f"a{number}": number for number in range(3000)})
    with opened(hierarchy["/g"]) as file:
        assert len(file.attrs) == 3000
        assert file.attrs["a2999"] == 2999


def test_zero_characters_are_told_as_json() -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={"a": "x\0y", "b": ["x\0y"]})
    with opened(hierarchy["/g"]) as file:
        assert json.loads(file.attrs["a"]) == "x\0y"
        assert json.loads(file.attrs["b"][0]) == "x\0y"


@pytest.mark.parametrize("name", ["", "a\0b", "CLASS", "DIMENSION_LIST", "_NCProperties"])
def test_names_that_cannot_be_are_told(name: str) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={name: "x", "b": 1})
    with opened(hierarchy["/g"]) as file:
        (told,) = file.attrs["_zarrscope_left_out"]
        assert told.startswith(f"/: attribute {name!r}: name ")
        assert set(file.attrs) == {"b", "_zarrscope_left_out"}
