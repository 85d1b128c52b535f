"""Columns of a table as the numbers of a plot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.plot.columns import (
    ColumnPlot,
    PlotError,
    column_plot,
    columns_to_draw,
    cost_of_columns,
    read_columns,
)
from zarrbrowser.table.columns import ColumnGrid, table_of
from zarrbrowser.table.grid import grid_of
from zarrbrowser.table.row_order import OrderedGrid, RowTable, order_of, ordered, whole_table


def table(**columns: Any) -> ColumnGrid:
    return table_of(FakeGroup({name: named(name, cells) for name, cells in columns.items()}))


def named(name: str, cells: Any, **attributes: Any) -> FakeArray:
    array = FakeArray(np.array(cells))
    array.attributes = attributes
    return array


def plot(grid: RowTable | OrderedGrid, across: str | None, *up: str, **log: bool) -> ColumnPlot:
    whole = whole_table(grid)
    names = list(whole.fields)
    x, ys = None if across is None else names.index(across), [names.index(name) for name in up]
    known = read_columns(whole, range(len(names)) if x is None else [x, *ys])
    return column_plot(grid, known, x, {one: f"#00000{one}" for one in ys}, **log)


def test_numbers_dates_and_booleans_can_be_drawn() -> None:
    grid = table(
        a_text=["x", "y"],
        b_number=[1, 2],
        c_date=np.array(["2026-01-01", "2026-01-02"], "M8[D]"),
        d_bool=[True, False],
        e_bytes=np.zeros(2, "V3"),
    )
    assert [grid.fields[one] for one in columns_to_draw(grid)] == ["b_number", "c_date", "d_bool"]
    values = np.zeros(3, [("a", "f4"), ("b", "f4", 2), ("c", "S3")])
    assert columns_to_draw(grid_of(FakeArray(values))) == [0]


def test_columns_are_drawn_along_the_rows() -> None:
    made = plot(table(a=[5.0, np.nan, 7.0], b=[1, 2, 3]), None, "b", "a")
    assert [curve.name for curve in made.curves] == ["b", "a"]
    assert made.curves[0].colour == "#000001"
    assert made.curves[1].y.tolist()[::2] == [5, 7]
    assert made.curves[1].x.tolist() == [0, 1, 2]
    assert (made.x.label, made.x.is_whole) == ("row", True)
    assert made.are_lines
    (left, right), (low, high) = made.ranges
    assert left < 0 < 2 < right
    assert low < 1 < 7 < high


def test_one_column_is_drawn_against_another() -> None:
    made = plot(table(a=[3.0, 1.0, 2.0], b=[30, 10, 20]), "a", "b")
    assert made.curves[0].x.tolist() == [3, 1, 2]
    assert made.curves[0].y.tolist() == [30, 10, 20]
    assert (made.x.label, made.y.label) == ("a", "b")
    assert not made.are_lines
    assert plot(table(a=[3.0, 2.0, 2.0], b=[30, 10, 20]), "a", "b").are_lines, "from right to left"


def test_rows_without_a_number_across_are_gaps() -> None:
    made = plot(table(a=[1.0, np.nan, 3.0], b=[10, 20, 30]), "a", "b")
    assert np.array_equal(made.curves[0].y, [10, np.nan, 30], equal_nan=True)
    assert made.are_lines
    assert made.left_out == "without 1 missing value"


def test_filtered_rows_stay_at_their_place_and_sorted_ones_follow_their_order() -> None:
    grid = table(a=[5, 9, 2, 7], b=[1, 2, 3, 4])
    some = ordered(grid, order_of("a > 4", None, grid, is_descending=False))
    assert plot(some, None, "b").curves[0].x.tolist() == [0, 1, 3]
    assert plot(some, "a", "b").curves[0].x.tolist() == [5, 9, 7]
    down = ordered(grid, order_of("", 0, grid, is_descending=True))
    made = plot(down, None, "a")
    assert made.curves[0].y.tolist() == [9, 7, 5, 2]
    assert made.curves[0].x.tolist() == [0, 1, 2, 3]
    assert made.curves[0].rows.tolist() == [1, 3, 0, 2]
    assert made.x.label == "place, sorted by a"


def test_missing_values_of_integers_are_gaps() -> None:
    group = FakeGroup(
        {"a": named("a", np.array([1, -9, 3], "i2"), _FillValue=-9), "b": named("b", [1, 2, 3])}
    )
    made = plot(table_of(group), None, "a")
    assert np.array_equal(made.curves[0].y, [1, np.nan, 3], equal_nan=True)
    assert made.missing == 1
    assert plot(table_of(group), "b", "a", is_log_y=True).left_out == "without 1 missing value"
    assert plot(table_of(group), "b", "b").left_out == ""


def test_units_are_on_the_axis_if_all_columns_share_them() -> None:
    group = FakeGroup(
        {
            "a": named("a", [1.0], units="kelvin"),
            "b": named("b", [1.0], units="K"),
            "c": named("c", [1.0], units="metre"),
            "t": named("t", [1], units="days since 2000-01-01"),
        }
    )
    grid = table_of(group)
    assert plot(grid, None, "a").y.label == "a (K)"
    assert plot(grid, None, "a", "b").y.label == "K"
    assert plot(grid, None, "a", "c").y.label == ""
    made = plot(grid, "t", "a")
    assert (made.x.label, made.x.dates) == ("t", np.dtype("M8[D]"))


def test_dates_of_different_units_share_an_axis() -> None:
    values = np.zeros(2, [("day", "M8[D]"), ("second", "M8[s]"), ("span", "m8[h]"), ("number", "f4")])
    values["day"], values["second"] = ["2026-01-01", "NaT"], "2026-01-02"
    grid = grid_of(FakeArray(values))
    made = plot(grid, None, "day", "second")
    assert made.y.dates == np.dtype("M8[s]")
    assert made.curves[1].y[0] - made.curves[0].y[0] == 86_400
    assert np.isnan(made.curves[0].y[1])
    assert plot(grid, None, "span").y.label == "span (hours)"
    for up in (("day", "number"), ("span", "number"), ("day", "span")):
        with pytest.raises(PlotError, match="cannot share an axis: choose columns of one kind"):
            plot(grid, None, *up)


@pytest.mark.parametrize(
    ("attributes", "label"),
    [
        ({"units": "days since 2000-01-01", "calendar": "360_day"}, "t (days since 2000-01-01, 360_day)"),
        ({"units": "days since 1500-01-01", "calendar": "standard"}, "t (days since 1500-01-01, standard)"),
        ({"units": "months since 2000-01-31"}, "t (months since 2000-01-31)"),
    ],
)
def test_dates_that_numpy_does_not_have_are_drawn_as_their_counts(
    attributes: dict[str, str], label: str
) -> None:
    grid = table_of(FakeGroup({"t": named("t", [59, 60], **attributes)}))
    made = plot(grid, None, "t")
    assert made.y.label == label
    assert made.y.dates is None
    assert made.curves[0].y.tolist() == [59, 60]


def test_dates_counted_from_an_early_date_are_dates() -> None:
    """The standard calendar: only dates before 1582 are not those of NumPy."""
    grid = table_of(
        FakeGroup({"t": named("t", [730_000.0, np.nan, 730_001.0], units="days since 0001-01-01")})
    )
    assert plot(grid, None, "t").y.dates == np.dtype("M8[D]")


@pytest.mark.parametrize(
    ("cells", "offset"),
    [
        (np.array([2**60, 2**60 + 3]), 2**60),
        (np.array([2**63 + 1, 2**63 + 4], "u8"), 2**63 + 1),
        (np.array([-(2**62) - 3, -(2**62)]), -(2**62) - 3),
        (np.array([1_600_000_000_000, 1_600_000_000_003]), 1_600_000_000_000),
    ],
)
def test_large_integers_keep_their_differences(cells: Any, offset: int) -> None:
    made = plot(table(a=cells), None, "a")
    assert (made.y.offset, made.y.is_whole) == (offset, True)
    assert made.curves[0].y.tolist() == [0, 3]
    (low, high) = made.ranges[1]
    assert high - low < 5
    assert plot(table(a=cells), None, "a", is_log_y=True).y.offset == 0
    assert plot(table(a=cells, b=[0.5, 1.5]), None, "a", "b").y.offset == 0, (
        "floats have no integer to start at"
    )


def test_columns_of_large_integers_share_an_offset() -> None:
    missing = named("c", [2**62 + 1, -9], _FillValue=-9)
    grid = table_of(
        FakeGroup(
            {
                "a": named("a", [2**62, 2**62 + 3]),
                "b": named("b", np.array([2**62 + 5] * 2, "u8")),
                "c": missing,
            }
        )
    )
    made = plot(grid, None, "a", "b", "c")
    assert made.y.offset == 2**62
    assert np.array_equal([one.y for one in made.curves], [[0, 3], [5, 5], [1, np.nan]], equal_nan=True)
    assert plot(table(a=[2**60, 5]), None, "a").y.offset == 0, "too far from each other"


def test_dates_keep_their_nanoseconds() -> None:
    start = np.datetime64("2026-01-01", "ns")
    after = np.array([7, 0, 0, 14], "m8[ns]")
    dates = np.where([True, False, True, True], start + after, np.datetime64("NaT", "ns"))
    made = plot(table(a=dates), "a", "a")
    assert made.x.dates == made.y.dates == np.dtype("M8[ns]")
    assert made.x.offset == start.astype(int)
    assert not made.x.is_whole
    assert made.curves[0].x[np.isfinite(made.curves[0].y)].tolist() == [7, 0, 14]
    years = plot(table(a=dates + np.array([0, 0, 0, 10**17], "m8[ns]")), None, "a")
    assert years.curves[0].y.tolist()[::3] == [7, 1e17 + 14]


def test_dates_without_a_common_unit_are_refused() -> None:
    values = np.zeros(1, [("late", "M8[s]"), ("fine", "M8[ns]")])
    values["late"], values["fine"] = "3000-01-01", "2000-01-01"
    with pytest.raises(PlotError, match="dates of these columns have no common unit"):
        plot(grid_of(FakeArray(values)), None, "late", "fine")


def test_numbers_that_cannot_be_drawn_are_left_out_and_counted() -> None:
    made = plot(table(a=[1.0, np.inf, 1.7e308, 2.0]), None, "a")
    assert np.array_equal(made.curves[0].y, [1, np.nan, np.nan, 2], equal_nan=True)
    assert made.left_out == "without 2 values that are infinite or beyond ±10³⁰⁶"
    assert made.ranges[1][1] < 3
    powers = plot(table(a=[1.0, np.inf, 1e308, 0.0]), None, "a", is_log_y=True)
    assert powers.curves[0].y[2] == pytest.approx(308)
    assert powers.left_out.endswith("out 1 value ≤ 0 · without 1 value that is infinite or beyond ±10³⁰⁶")


def test_logarithmic_axes_say_what_they_leave_out() -> None:
    grid = table(a=[0.0, 1.0, 100.0], b=[-1, 10, 1000], when=np.array([1, 2, 3], "M8[D]"))
    made = plot(grid, "a", "b", is_log_x=True, is_log_y=True)
    assert made.curves[0].x.tolist() == [0, 2]
    assert made.curves[0].y.tolist() == [1, 3]
    assert made.left_out == "the logarithmic axes leave out 2 values ≤ 0"
    assert plot(grid, "a", "b", is_log_y=True).left_out == "the logarithmic axis leaves out 1 value ≤ 0"
    dates = plot(grid, "when", "a", is_log_x=True)
    assert not dates.x.is_log, "dates have no logarithm"
    assert dates.left_out == ""


def test_a_structured_array_is_read_once_for_all_its_fields() -> None:
    array = FakeArray(np.zeros(100, [("a", "f4"), ("b", "f4")]), chunks=(10,))
    grid = grid_of(array)
    assert cost_of_columns(grid, [0, 1]) == ReadCost(10, 800)
    read_columns(grid, [0, 1])
    assert len(array.selections) == 1
    columns = table(a=np.zeros(8), b=np.zeros(8))
    assert cost_of_columns(columns, [0, 1]).nbytes == 128


def test_a_cell_is_told_with_its_name_and_unit() -> None:
    group = FakeGroup(
        {"a": named("a", [1.5, np.nan], units="kelvin"), "b": named("b", np.array([3, -1], "i2"))}
    )
    known = read_columns(table_of(group), [0, 1])
    assert known[0].text(0) == "a = 1.5 K"
    assert known[0].text(1) == "a: missing"
    assert known[1].text(0) == "b = 3"
