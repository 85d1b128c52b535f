"""Which columns of a table hold references."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import zarrcore
from zarrbrowser.image.axes import Axes
from zarrbrowser.table.columns import table_of
from zarrbrowser.table.grid import grid_of
from zarrbrowser.table.references import TableReferences


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("d", data=np.arange(12).reshape(3, 4))
        file["table/objects"] = np.array([data.ref, data.ref], h5py.ref_dtype)
        file["table/numbers"] = np.arange(2)
        file["table/texts"] = np.array(["/d", "x"], h5py.string_dtype())
        kind = np.dtype([("n", "i4"), ("to", h5py.ref_dtype)])
        file["records"] = np.array([(1, data.ref)], kind)
        file["plane"] = np.full((2, 2), data.ref, h5py.ref_dtype)
    return zarrcore.open_hierarchy(tmp_path / "a.h5")


def test_columns_of_a_group_lead_where_their_array_holds_references(opened: Any) -> None:
    table = table_of(opened["table"])
    found = TableReferences(table)
    assert found.may_exist
    assert found.target(0, "/d") == "", "nothing is known before one looks"
    assert found.look()
    names = [column.name for column in table.table]
    leads = [name for position, name in enumerate(names) if found.target(position, "/d")]
    assert leads == ["objects"]


def test_fields_of_records_have_their_own(opened: Any) -> None:
    found = TableReferences(grid_of(opened["records"]))
    assert found.look()
    assert [found.target(column, "/d") for column in (0, 1)] == ["", "/d"]


def test_all_columns_of_a_plane_are_those_of_its_array(opened: Any) -> None:
    array = opened["plane"]
    grid = grid_of(array, Axes.initial(array))
    found = TableReferences(grid)
    assert found.look()
    assert {found.target(column, "/d") for column in (0, 1)} == {"/d"}
    assert found.has_same_columns(TableReferences(grid_of(array, Axes.initial(array))))
    assert not found.has_same_columns(TableReferences(grid_of(opened["records"])))


def test_numbers_hold_none_and_nothing_is_read_for_them(opened: Any) -> None:
    found = TableReferences(grid_of(opened["d"]))
    assert not found.may_exist
    assert not found.look()
