"""Attributes: HDF5's readers get the values of the JSON."""

from __future__ import annotations

import json
import re
import string
import unicodedata
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import zarrcore
from tests.command import run_inside
from tests.core.filetypes.hdf5.reading import opened, written
from zarrcore.filetypes.hdf5.attributes import JSON_ATTRIBUTE, LEFT_OUT_ATTRIBUTE, RESERVED

NO_TEXT = re.compile("[\0\ud800-\udfff]")
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters()),
)
ODD = st.one_of(
    st.none(), st.integers(2**64, 2**70), st.lists(st.lists(st.integers(0, 3)), min_size=1), st.just([])
)
JSON = st.one_of(SCALARS, st.lists(SCALARS), ODD, st.dictionaries(st.text(st.characters()), st.integers()))
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1, max_size=20)


def plain(value: Any) -> Any:
    """An attribute as a Python value."""
    if isinstance(value, bytes):
        return value.decode()
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def means(found: Any, value: Any) -> bool:
    """Whether the read attribute is the value, or its JSON text."""
    found = plain(found)
    if found == value:
        return True
    is_text = isinstance(value, str) and not NO_TEXT.search(value)
    return isinstance(found, str) and not is_text and bool(json.loads(found) == value)


def netcdf_name(name: str) -> str | None:
    """The name according to NetCDF's specification, or None if it is not allowed."""
    name = unicodedata.normalize("NFC", name)
    begins = name[0] in string.ascii_letters + string.digits + "_" or name[0] > "\x7f"
    return name if begins and name[-1] != " " and not any(c < " " or c in "/\x7f" for c in name) else None


@given(
    attributes=st.dictionaries(NAMES.filter(lambda name: name not in RESERVED), JSON, max_size=4),
    netcdf=st.booleans(),
)
def test_attributes_round_trip(attributes: dict[str, Any], netcdf: bool) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes=attributes)
    with opened(hierarchy["/g"], netcdf=netcdf) as file:
        names = {netcdf_name(name) if netcdf else name: value for name, value in [*attributes.items()][::-1]}
        told = len(attributes) - len(names) + (None in names)
        names.pop(None, None)
        told += sum(isinstance(value, str) and bool(NO_TEXT.search(value)) for value in names.values())
        assert set(file.attrs) - {LEFT_OUT_ATTRIBUTE, JSON_ATTRIBUTE} == set(names)
        for name, value in names.items():
            assert means(file.attrs[name], value)
        assert len(file.attrs.get(LEFT_OUT_ATTRIBUTE, [])) == told


def of_one_kind(value: Any) -> Any:
    """The value; floats if it is a list of floats and of integers that are exact as floats: JSON has only numbers."""
    is_mixed = isinstance(value, list) and {type(item) for item in value} == {int, float}
    return [*map(float, value)] if is_mixed and all(float(item) == item for item in value) else value


@given(attributes=st.dictionaries(NAMES.filter(lambda name: name not in RESERVED), JSON, max_size=4))
@example({"mixed": [0, 0.5, 2**53], "large": [0.5, 2**53 + 1]})
def test_attributes_of_our_files_are_what_they_were(
    tmp_path_factory: pytest.TempPathFactory, attributes: dict[str, Any]
) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes=attributes)
    path = written(hierarchy["/g"], tmp_path_factory.mktemp("attributes") / "a.h5")
    with zarrcore.open_hierarchy(path) as found:
        told = dict(found["/"].attributes)
        told.pop(LEFT_OUT_ATTRIBUTE, None)
        expected = {name: of_one_kind(value) for name, value in attributes.items()}
        assert json.dumps(told, sort_keys=True) == json.dumps(expected, sort_keys=True)


ONES: dict[str, Any] = {
    "labels": ["cells"],
    "count": [3],
    "ome": {"version": "0.5", "multiscales": [{"axes": []}]},
    "none": None,
    "like": '["text"]',
    "empty": [],
}


@pytest.mark.parametrize("suffix", ["h5", "nc"])
def test_objects_are_objects_again(tmp_path: Path, suffix: str) -> None:
    hierarchy = zarrcore.create(tmp_path / "a.zarr")
    hierarchy.attributes.update(ONES)
    hierarchy.create_array("/x", shape=(2,), dtype="f4", chunks=(2,), attributes=ONES)
    for source, target in (("a.zarr", f"b.{suffix}"), (f"b.{suffix}", "c.zarr")):
        command = ["cat", "-o"] if target.startswith("b") else ["copy"]
        done = run_inside(command[0], tmp_path / source, *command[1:], tmp_path / target)
        assert done.status == 0, done.text
    expected = ONES | ({"labels": "cells", "count": 3} if suffix == "nc" else {})
    with zarrcore.open_hierarchy(tmp_path / "c.zarr") as copied:
        assert dict(copied["/"].attributes) == dict(copied["/x"].attributes) == expected


def test_netcdf_gets_scalars_and_texts(tmp_path: Path) -> None:
    """In files of other programs too, whatever they look like."""
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes=ONES)
    with netCDF4.Dataset(written(hierarchy["/g"], tmp_path / "a.nc")) as file:
        assert (file.labels, file.count, file.like) == ("cells", 3, '["text"]')
        assert json.loads(file.ome) == ONES["ome"]
    with netCDF4.Dataset(tmp_path / "b.nc", "w") as file:
        file.setncatts({"number": [3], "ome": '{"a": 1}', "_zarrscope_json": "none of ours"})
    with zarrcore.open_hierarchy(tmp_path / "b.nc") as found:
        assert dict(found["/"].attributes) == {
            "number": 3,
            "ome": '{"a": 1}',
            "_zarrscope_json": "none of ours",
        }


@pytest.mark.parametrize("netcdf", [False, True])
def test_a_list_without_items_is_no_text(netcdf: bool) -> None:
    """``column-order`` of a table without columns in AnnData, which would take the letters of a text for columns."""
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={"column-order": []})
    with opened(hierarchy["/g"], netcdf=netcdf) as file:
        assert [*file.attrs["column-order"]] == []


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
def test_lists_too_large_for_an_attribute_are_text(value: Any, netcdf: bool) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={"a": value, "b": 1})
    with opened(hierarchy["/g"], netcdf=netcdf) as file:
        assert means(file.attrs["a"], value)
        assert file.attrs["b"] == 1
        assert "_zarrscope_left_out" not in file.attrs


def test_a_group_can_have_thousands_of_attributes() -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={f"a{number}": number for number in range(3000)})
    with opened(hierarchy["/g"]) as file:
        assert len(file.attrs) == 3000
        assert file.attrs["a2999"] == 2999


@pytest.mark.parametrize("text", ["x\0y", "\ud800é"])
def test_text_that_hdf5_cannot_hold_is_json_and_reported(text: str) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={"a": text, "b": [text], "c": {"d": text}})
    with opened(hierarchy["/g"]) as file:
        assert [json.loads(file.attrs[name]) for name in "abc"] == [text, [text], {"d": text}]
        (told,) = file.attrs[LEFT_OUT_ATTRIBUTE]
        assert told == f"/: attribute 'a': text {text!r} is not text in HDF5: it is stored as JSON"


@pytest.mark.parametrize("name", ["", "a\0b", "CLASS", "DIMENSION_LIST", "_NCProperties"])
def test_impossible_names_are_reported(name: str) -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_group("/g", attributes={name: "x", "b": 1})
    with opened(hierarchy["/g"]) as file:
        (told,) = file.attrs["_zarrscope_left_out"]
        assert told.startswith(f"/: attribute {name!r}: name ")
        assert set(file.attrs) == {"b", "_zarrscope_left_out"}
