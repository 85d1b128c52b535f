"""Cells of tables equal NumPy's elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.fakes import FakeArray
from zarrbrowser.image.axes import Axes
from zarrbrowser.table.grid import (
    BLOCK_COLUMNS,
    BLOCK_ROWS,
    Grid,
    cell_text,
    grid_of,
    is_not_a_number,
    plain_text,
    tab_separated,
)


@given(st.permutations(range(3)), st.data())
def test_a_block_equals_its_rectangle_of_the_array(order: list[int], data: st.DataObject) -> None:
    values = np.arange(5 * 300 * 70).reshape(5, 300, 70)
    rows, columns, further = order
    index = data.draw(st.integers(0, values.shape[further] - 1))
    grid = Grid(FakeArray(values), Axes(values.shape, ("a", "b", "c"), rows, columns, None, (index,) * 3))
    expected = np.moveaxis(values, (rows, columns), (0, 1))[:, :, index]
    assert (grid.rows, grid.columns) == expected.shape
    place = (
        data.draw(st.integers(0, (grid.rows - 1) // BLOCK_ROWS)),
        data.draw(st.integers(0, (grid.columns - 1) // BLOCK_COLUMNS)),
    )
    down, right = grid.block(place)
    assert np.array_equal(np.array(grid.read(down, right)), expected[down, right])


def test_structures_have_a_column_per_field() -> None:
    values = np.array([(1, 2.5), (3, np.nan)], [("n", "i4"), ("x", "f8")])
    grid = grid_of(FakeArray(values))
    assert [grid.column_name(column) for column in range(grid.columns)] == ["n", "x"]
    assert [[cell_text(value) for value in row] for row in grid.read(slice(0, 2), slice(0, 2))] == [
        ["1", "2.5"],
        ["3", "nan"],
    ]


@given(st.lists(st.text(st.characters(codec="ascii", exclude_categories=["C"]), max_size=8), min_size=1))
def test_fixed_length_text_is_unchanged_in_cells_and_on_the_clipboard(texts: list[str]) -> None:
    values = np.array(texts, "S8")
    cells = [row[0] for row in grid_of(FakeArray(values)).read(slice(0, len(texts)), slice(0, 1))]
    assert [cell_text(cell) for cell in cells] == [plain_text(cell) for cell in cells] == texts


def test_text_for_a_spreadsheet_reads_back() -> None:
    values = np.random.default_rng(1).normal(size=(7, 5)) * 1e6
    text = tab_separated(grid_of(FakeArray(values)).read(slice(0, 7), slice(1, 4)))
    assert np.array_equal(
        [[float(cell) for cell in line.split("\t")] for line in text.split("\n")], values[:, 1:4]
    )


@pytest.mark.parametrize(
    ("value", "missing"),
    [
        (np.float32("nan"), True),
        (np.complex64("nan"), True),
        (np.datetime64("NaT", "s"), True),
        (np.timedelta64(3, "s"), False),
        (np.float64(0), False),
        (np.int8(0), False),
        ("nan", False),
    ],
)
def test_missing_numbers_are_marked(value: Any, missing: bool) -> None:
    assert is_not_a_number(value) is missing


def test_the_cost_counts_whole_chunks() -> None:
    grid = grid_of(FakeArray(np.zeros((100, 100), "f4"), chunks=(30, 40)))
    assert grid.cost(slice(25, 35), slice(0, 10)).chunks == 2
    assert grid.cost(slice(25, 35), slice(0, 10)).nbytes == 2 * 30 * 40 * 4


def test_rgb_components_share_a_cell() -> None:
    values = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    assert cell_text(grid_of(FakeArray(values)).read(slice(1, 2), slice(2, 3))[0][0]) == "(21, 22, 23)"


def test_cells_that_are_read_as_unsigned() -> None:
    array = FakeArray(np.array([-56, -1], np.int8))
    array.attributes = {"_Unsigned": "true", "_FillValue": -1}
    for is_unpacked, shown in ((True, [200, 255]), (False, [-56, -1])):
        grid = grid_of(array, is_unpacked=is_unpacked)
        cells = [row[0] for row in grid.read(slice(0, 2), slice(0, 1))]
        assert cells == shown
        assert [grid.is_no_value(cell) for cell in cells] == [False, True]
