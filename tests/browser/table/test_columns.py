"""Groups of one-dimensional arrays as tables: which are, and what their cells hold."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import anndata
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import zarrcore as zc
from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup, FakeHierarchy
from tests.core.conventions.tables.old_anndata import write_old
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.table import columns
from zarrbrowser.table.columns import NoTableError, table_of, table_of_some
from zarrbrowser.table.grid import cell_text, is_numeric
from zarrcore.errors import MetadataError

ALL = slice(None)


def cells(group: Any, rows: slice = ALL) -> dict[str, list[Any]]:
    """The cells of each column of a group."""
    grid = table_of(group)
    found = grid.read(rows, ALL)
    return {name: [row[number] for row in found] for number, name in enumerate(grid.fields)}


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "size": np.arange(6) * 1.5,
            "kind": pd.Categorical(["b", "a", None, "b", "c", "a"]),
            "count": pd.array([1, None, 3, 4, 5, 6], dtype="Int64"),
            "is_good": [True, False, True, True, False, True],
        },
        index=[f"cell{number}" for number in range(6)],
    )


def test_a_data_frame_of_anndata_is_a_table_in_its_order(tmp_path: Path) -> None:
    with warnings.catch_warnings(action="ignore"):
        anndata.AnnData(np.zeros((6, 2), np.float32), obs=frame()).write_zarr(tmp_path / "a.zarr")
    group = zc.open_hierarchy(tmp_path / "a.zarr")["/obs"]
    found = cells(group)
    assert list(found)[1:] == ["size", "kind", "count", "is_good"]
    assert found[next(iter(found))] == [f"cell{number}" for number in range(6)], (
        "the names of the rows come first"
    )
    assert found["kind"] == ["b", "a", None, "b", "c", "a"]
    assert found["count"] == [1, None, 3, 4, 5, 6]
    assert found["size"] == [0, 1.5, 3, 4.5, 6, 7.5]
    assert table_of(group).is_no_value(None)
    assert cell_text(None) == ""
    assert [is_numeric(table_of(group).dtype_of(column)) for column in range(5)] == [
        False,
        True,
        False,
        True,
        False,
    ]


def test_categories_of_anndata_before_0_8_are_texts(tmp_path: Path) -> None:
    for name in ("a.h5ad", "a.zarr"):
        write_old(tmp_path / name)
        found = cells(zc.open_hierarchy(tmp_path / name)["/obs"])
        assert found == {"i": ["a", "b", "c"], "type": ["T", "B", None], "n": [0, 1, 2]}


def test_a_dataset_of_one_dimension_is_a_table_with_dates_and_unpacked_numbers(tmp_path: Path) -> None:
    dataset = xr.Dataset(
        {"depth": ("time", np.array([1.5, np.nan, 2.5]), {"units": "m"})},
        {"time": pd.date_range("2020-01-01", periods=3, freq="12h")},
    )
    packed = {"depth": {"dtype": "int16", "scale_factor": 0.5, "_FillValue": -1}}
    dataset.to_zarr(tmp_path / "a.zarr", encoding=packed, consolidated=False)
    group = zc.open_hierarchy(tmp_path / "a.zarr")["/"]
    grid = table_of(group)
    assert grid.fields == ("time", "depth"), "the coordinate comes first"
    assert grid.column_name(1) == "depth\nm"
    found = cells(group)
    assert [str(one)[:16] for one in found["time"]] == [
        "2020-01-01T00:00",
        "2020-01-01T12:00",
        "2020-01-02T00:00",
    ]
    assert found["depth"][::2] == [1.5, 2.5]
    assert grid.is_no_value(found["depth"][1])


def test_integers_that_stand_for_missing_values_are_missing() -> None:
    array = FakeArray(np.array([2**62 + 1, -9, 3]))
    array.attributes = {"_FillValue": -9}
    assert cells(FakeGroup({"count": array})) == {"count": [2**62 + 1, None, 3]}, "floats have fewer digits"


def test_units_of_time_in_any_case_and_spacing_are_dates() -> None:
    array = FakeArray(np.array([0, 31]))
    array.attributes = {"units": "Days  Since 2000-1-1"}
    assert [str(one)[:10] for one in cells(FakeGroup({"t": array}))["t"]] == ["2000-01-01", "2000-02-01"]


def test_fields_of_a_structured_type_are_columns() -> None:
    values = np.array([(1, 2.5), (3, 4.5)], [("a", "i4"), ("b", "f8")])
    found = cells(FakeGroup({"points": FakeArray(values), "name": FakeArray(np.array(["x", "y"]))}))
    assert found == {"name": ["x", "y"], "points.a": [1, 3], "points.b": [2.5, 4.5]}


def test_only_the_rows_asked_for_are_read() -> None:
    array = FakeArray(np.arange(100), chunks=(10,))
    grid = table_of(FakeGroup({"a": array, "b": FakeArray(np.arange(100), chunks=(100,))}))
    assert grid.read(slice(20, 22), slice(0, 1)) == [[20], [21]]
    assert array.selections == [(slice(20, 22),)]
    assert grid.cost(slice(5, 15), ALL) == ReadCost(3, (20 + 100) * 8)
    assert grid.block((0, 0)) == (slice(0, 100), slice(0, 2))
    assert grid.row_name(1234) == "1,234"


@pytest.mark.parametrize(
    ("children", "said"),
    [
        ({}, "no arrays with one axis"),
        ({"a": FakeArray(np.zeros(())), "g": FakeGroup()}, "no arrays with one axis"),
        ({"a": FakeArray(np.zeros(3)), "b": FakeArray(np.zeros(4))}, "a has 3 elements, b has 4."),
        ({"a": FakeArray(np.zeros(3)), "b": FakeArray(np.zeros((3, 2)))}, "its array b has 2 axes."),
        ({"a": FakeArray(np.zeros(0))}, "no rows"),
    ],
)
def test_other_groups_say_why_they_are_no_table(children: dict[str, Any], said: str) -> None:
    with pytest.raises(NoTableError, match=said):
        table_of(FakeGroup(children))


def test_a_group_of_too_many_arrays_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_COLUMNS", 3)
    with pytest.raises(NoTableError, match="more than 3 members"):
        table_of(FakeGroup({f"a{number}": FakeArray(np.zeros(2)) for number in range(5)}))


def test_a_column_that_cannot_be_opened_is_left_out_and_told() -> None:
    children = {"a": FakeArray(np.zeros(2)), "bad": FakeBroken(MetadataError("expected a list"))}
    grid = table_of(FakeGroup(children))
    assert (grid.fields, grid.note) == (("a",), "the column bad cannot be opened")
    frame = {"encoding-type": "dataframe", "column-order": ["a", "gone", 7], "_index": None}
    assert (
        "the column gone cannot be opened" in table_of(FakeGroup({"a": FakeArray(np.zeros(2))}, frame)).note
    )


def test_categories_may_be_a_nullable_column() -> None:
    texts = FakeArray(np.array(["x", "y"]))
    categories = FakeGroup(
        {"values": texts, "mask": FakeArray(np.zeros(2, bool))}, {"encoding-type": "nullable-string-array"}
    )
    parts = {"codes": FakeArray(np.array([1, 0, -1], np.int8)), "categories": categories}
    grid = table_of(FakeGroup({"kind": FakeGroup(parts, {"encoding-type": "categorical"})}))
    assert grid.fields == ("kind",)
    assert grid.read(ALL, ALL) == [["y"], ["x"], [None]]


def test_a_column_of_a_frame_that_is_not_shown_is_named() -> None:
    frame = {"encoding-type": "dataframe", "column-order": ["odd"], "_index": "a"}
    odd = FakeGroup({"x": FakeArray(np.zeros(2))}, {"encoding-type": "other"})
    grid = table_of(FakeGroup({"a": FakeArray(np.zeros(2)), "odd": odd}, frame))
    assert (grid.fields, grid.note) == (("a",), "the column odd is of a kind that is not shown")


def test_categories_that_do_not_exist_are_an_error() -> None:
    parts = {"codes": FakeArray(np.array([0, 5], np.int8)), "categories": FakeArray(np.array(["x"]))}
    kind = FakeGroup(parts, {"encoding-type": "categorical"})
    grid = table_of(FakeGroup({"kind": kind}))
    with pytest.raises(MetadataError, match="names categories"):
        grid.read(ALL, ALL)


@pytest.mark.parametrize("kind", ["categorical", "nullable-integer", "other", None])
def test_malformed_columns_are_left_out(kind: object) -> None:
    parts = {
        "codes": FakeArray(np.zeros(2)),
        "categories": FakeArray(np.array(["x"])),
        "values": FakeArray(np.zeros(2)),
        "mask": FakeArray(np.zeros(3, bool)),
    }
    group = FakeGroup({"a": FakeArray(np.zeros(2)), "odd": FakeGroup(parts, {"encoding-type": kind})})
    assert table_of(group).fields == ("a",)


def test_some_arrays_of_a_group_that_is_no_table() -> None:
    group = FakeGroup({name: FakeArray(np.arange(3) * 2) for name in "ab"} | {"c": FakeArray(np.arange(5))})
    root = FakeGroup({"g": group})
    hierarchy = FakeHierarchy(root)
    assert table_of_some(group, ("b", "a"), hierarchy.node).fields == ("b", "a")
    with pytest.raises(NoTableError, match="c has 5"):
        table_of_some(group, ("a", "c"), hierarchy.node)
