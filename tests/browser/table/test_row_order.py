"""Sorting and filtering the rows of a table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore as zc
from zarrbrowser.nodes.read_cost import Cancelled, ReadCost
from zarrbrowser.table import row_order
from zarrbrowser.table.columns import ColumnGrid, table_of
from zarrbrowser.table.conditions import Condition, RowOrderError
from zarrbrowser.table.grid import cell_text, grid_of
from zarrbrowser.table.row_order import RowOrder, order_of, ordered
from zarrcore.errors import ReadCancelledError
from zarrcore.stores import MemoryStore
from zarrcore.typing import AnyArray

COUNTS = [5, 2, 9, 2, 7]
SCORES = [0.5, math.nan, -1.0, 2.0, math.nan]
NAMES = ["beta", "Alpha", "gamma ray", "alpha", "delta"]
EVERYTHING = slice(0, 10), slice(0, 10)


def table(**columns: AnyArray) -> ColumnGrid:
    """A table with these columns, in chunks of two rows."""
    hierarchy = zc.create(MemoryStore())
    for name, values in columns.items():
        data_type = "string" if values.dtype.kind in "UO" else values.dtype
        array = hierarchy.create_array(name, shape=values.shape, dtype=data_type, chunks=(2,))
        array[...] = values
    return table_of(hierarchy["/"])


@pytest.fixture(scope="module")
def grid() -> ColumnGrid:
    return table(
        counts=np.array(COUNTS),
        names=np.array(NAMES, object),
        scores=np.array(SCORES),
        z=np.array([True, False] * 2 + [True]),
    )


def numbers(grid: ColumnGrid, text: str = "", column: int | None = None, *, down: bool = False) -> list[int]:
    return ordered(grid, order_of(text, column, grid, is_descending=down)).numbers.tolist()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", [0, 1, 2, 3, 4]),
        ("counts = 2", [1, 3]),
        ("counts == 2", [1, 3]),
        ("counts != 2", [0, 2, 4]),
        ("counts <> 2", [0, 2, 4]),
        ("counts>5", [2, 4]),
        ("counts >= 5 and counts < 9", [0, 4]),
        ("counts > 2.5 AND names ~ a", [0, 2, 4]),
        ("scores <= 0.5", [0, 2]),
        ("scores =", [1, 4]),
        ("scores != ", [0, 2, 3]),
        ("scores = NaN", [1, 4]),
        ("scores != nan", [0, 2, 3]),
        ("names = alpha", [3]),
        ("names ~ ALPHA", [1, 3]),
        ('names = "gamma ray"', [2]),
        ('"names" = "gamma ray"', [2]),
        ("names < alpha", [1]),
        ("names <= alpha", [1, 3]),
        ("names > ALPHA", [0, 1, 2, 3, 4]),
        ("names >= BETA", [0, 2, 4]),
        ("names < C", [0, 1, 3]),
        ("z = true", [0, 2, 4]),
        ("z != TRUE", [1, 3]),
        ("counts ~ 9", [2]),
        ("counts = 9 or counts = 7", [2, 4]),
        ("counts = 9 or names = beta and z = false", [2]),
        ("(counts = 9 or names = beta) and z = true", [0, 2]),
        ("not counts = 2", [0, 2, 4]),
        ("not scores > 0", [2]),
        ("not (scores > 0 or names = delta)", [2]),
        ("not scores =", [0, 2, 3]),
        ("scores > 0 or z = true", [0, 2, 3, 4]),
    ],
)
def test_rows_that_meet_conditions(grid: ColumnGrid, text: str, rows: list[int]) -> None:
    assert numbers(grid, text) == rows


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("counts", "Write a column, a comparison"),
        ("> 5", "Write a column, a comparison"),
        ("counts > 5 and", "Write a condition here .at character 15"),
        ("absent > 5", "no column absent"),
        ("counts > many", "counts holds numbers; many is not a number"),
        ("z = maybe", "z holds true and false; maybe is neither"),
        ("counts >", "Write a value after counts >"),
    ],
)
def test_what_is_no_condition_is_refused(grid: ColumnGrid, text: str, reason: str) -> None:
    with pytest.raises(RowOrderError, match=reason):
        numbers(grid, text)


def test_rows_are_sorted_and_equal_ones_keep_their_order(grid: ColumnGrid) -> None:
    assert numbers(grid, column=0) == [1, 3, 0, 4, 2]
    assert numbers(grid, column=0, down=True) == [2, 4, 0, 1, 3]
    assert numbers(grid, column=1) == [1, 3, 0, 4, 2]
    assert numbers(grid, "counts > 2", 1, down=True) == [2, 4, 0]


def test_missing_cells_come_last(grid: ColumnGrid) -> None:
    assert numbers(grid, column=2) == [2, 0, 3, 1, 4]
    assert numbers(grid, column=2, down=True) == [3, 0, 2, 1, 4]


def test_the_cells_are_those_of_the_chosen_rows(grid: ColumnGrid) -> None:
    found = ordered(grid, order_of("counts > 2", 0, grid, is_descending=True))
    assert found.rows == 3
    assert [list(row[:2]) for row in found.read(*EVERYTHING)] == [
        [9, "gamma ray"],
        [7, "delta"],
        [5, "beta"],
    ]
    assert [found.row_name(row) for row in range(3)] == ["2", "4", "0"]
    assert [found.column_name(column) for column in range(2)] == ["counts ▼", "names"]
    assert found.read(slice(1, 2), slice(0, 1)) == [[7]]
    assert found.block((0, 0)) == (slice(0, 3), slice(0, 4))
    # Rows 2, 4 and 0 are in three chunks of two elements.
    assert found.cost(slice(0, 3), slice(0, 1)) == ReadCost(3, 3 * 2 * 8)
    assert found.cost(slice(0, 1), slice(0, 1)) == ReadCost(1, 2 * 8)


def test_names_of_columns_may_contain_signs_and_quotes() -> None:
    grid = table(
        **{"a": np.array([1, 2]), "a=b": np.array([3, 4]), "n~c": np.array([5, 6]), 'x "y"': np.array([7, 8])}
    )
    assert numbers(grid, "a=b > 3") == [1]
    assert numbers(grid, '"a=b" = 3 and a = 1') == [0]
    assert numbers(grid, "n~c = 6") == [1]
    assert numbers(grid, '"x "y"" = 8') == numbers(grid, 'x "y" = 8') == [1]


def test_texts_are_sorted_without_regard_to_case() -> None:
    words = ["cherry", "Banana", "Éclair", "apple", "banana", "éclair", "Zoë", "STRASSE", "Straße", "banana"]
    grid = table(word=np.array(words, object))
    order = [3, 1, 4, 9, 0, 7, 8, 6, 2, 5]
    assert numbers(grid, column=0) == order
    assert numbers(grid, column=0, down=True) == [5, 2, 6, 8, 7, 0, 4, 9, 1, 3]
    for number, row in enumerate(order):
        same = [one for one in order if words[one] == words[row]]
        before = [one for one in order[:number] if one not in same]
        assert numbers(grid, f"word < {words[row]}") == sorted(before)
        assert numbers(grid, f"word > {words[row]}") == sorted({*order} - {*before, *same})


@pytest.mark.filterwarnings("error")
def test_numbers_beyond_those_of_a_column() -> None:
    grid = table(f=np.array([1.5, math.inf], "f4"), n=np.array([1, 255], "u1"), c=np.array([2j, math.nan]))
    assert numbers(grid, "f < 1e300 and n < 1e300") == [0]
    assert numbers(grid, "f > -1e300 and n > -5") == [0, 1]
    assert numbers(grid, "c > 1") == []


def test_an_empty_text_is_found_as_it_is_seen() -> None:
    grid = table(note=np.array(["a", "", "b"], object))
    assert numbers(grid, "note =") == numbers(grid, 'note = ""') == [1]
    assert numbers(grid, "note !=") == [0, 2]


def test_ordered_categories_are_in_their_order() -> None:
    hierarchy = zc.create(MemoryStore())
    hierarchy.create_group("stage", attributes={"encoding-type": "categorical", "ordered": True})
    for name, values, kind in (
        ("codes", [2, 0, -1, 1, 0], "int8"),
        ("categories", ["low", "medium", "high"], "string"),
    ):
        one = hierarchy.create_array(f"stage/{name}", shape=(len(values),), dtype=kind, chunks=(2,))
        one[...] = np.array(values, object if kind == "string" else kind)
    grid = table_of(hierarchy["/"])
    assert numbers(grid, column=0) == [1, 4, 3, 0, 2]
    assert numbers(grid, column=0, down=True) == [0, 3, 1, 4, 2]
    assert numbers(grid, "stage > low") == [0, 3]
    assert numbers(grid, "stage <= medium") == [1, 3, 4]
    assert numbers(grid, "stage = low") == [1, 4]
    with pytest.raises(RowOrderError, match="stage has no category lower"):
        numbers(grid, "stage > lower")


def test_texts_are_sorted_without_the_lock_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_order, "_SLAB", 2)
    grid = table(names=np.array(NAMES, object))
    values = ordered(grid, RowOrder(column=0)).cells[0].values
    assert values.dtype.kind == "T", "sorting objects would stop the window: 6 seconds for a million"
    assert values.tolist() == NAMES
    assert row_order._texts(["\ud800", "a"]).tolist() == ["\\ud800", "a"]


def test_dates_are_compared_as_dates() -> None:
    hierarchy = zc.create(MemoryStore())
    array = hierarchy.create_array(
        "time", shape=(3,), dtype="int32", chunks=(3,), attributes={"units": "days since 2020-01-01"}
    )
    array[...] = [40, 3, 400]
    grid = table_of(hierarchy["/"])
    assert numbers(grid, "time >= 2020-02-01") == [0, 2]
    assert numbers(grid, "time < 2021") == [0, 1]
    with pytest.raises(RowOrderError, match="holds dates; soon is not a date"):
        numbers(grid, "time < soon")


def test_the_fields_of_a_structured_array_are_columns() -> None:
    dtype = np.dtype([("x", "f4"), ("n", "i2")])
    array = zc.create(MemoryStore()).create_array("a", shape=(4,), dtype=dtype, chunks=(2,))
    array[...] = np.array([(0.5, 3), (1.5, 1), (-1, 2), (9, 1)], dtype)
    grid = grid_of(array)
    found = ordered(grid, order_of("n < 3", 0, grid, is_descending=False))
    assert found.read(*EVERYTHING) == [[-1.0, 2], [1.5, 1], [9.0, 1]]


def test_texts_in_fields_are_cells(tmp_path: Path) -> None:
    """As compound types of HDF5 have them."""
    text = h5py.string_dtype()
    with h5py.File(tmp_path / "a.h5", "w") as file:
        rows = [("b", 1, ["u", "v"]), ("ä", 2, ["", "w"]), ("a", 3, ["x", ""])]
        file["a"] = np.array(rows, [("name", text), ("n", "i2"), ("pair", text, (2,))])
    grid = grid_of(zc.open_hierarchy(tmp_path / "a.h5")["a"])
    found = ordered(grid, order_of("", 0, grid, is_descending=False))
    assert [row[:2] for row in found.read(*EVERYTHING)] == [["a", 3], ["b", 1], ["ä", 2]]
    assert numbers(grid, "name = b") == [0]
    assert [cell_text(row[2]) for row in grid.read(*EVERYTHING)] == ["(u, v)", "(, w)", "(x, )"]


def test_a_long_table_is_refused(grid: ColumnGrid, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_order, "MOST_ROWS", 4)
    with pytest.raises(RowOrderError, match="5 rows; up to 4"):
        numbers(grid, column=0)


def test_it_can_be_cancelled(grid: ColumnGrid) -> None:
    with pytest.raises((Cancelled, ReadCancelledError)):
        ordered(grid, RowOrder(column=0), lambda: True)


_cells = st.one_of(st.integers(-5, 5), st.none()) | st.just(np.float64("nan"))


@settings(deadline=None)
@given(
    st.lists(_cells, min_size=1, max_size=30),
    st.booleans(),
    st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
    st.integers(-5, 5),
)
def test_any_cells_are_chosen_and_sorted_as_python_does(
    cells: list[float | None], down: bool, sign: str, value: int
) -> None:
    grid = ColumnGrid("/", (_InMemory(cells),))  # type: ignore[arg-type]
    present = [number for number, cell in enumerate(cells) if cell is not None and not math.isnan(cell)]
    absent = [number for number in range(len(cells)) if number not in present]
    expected = sorted(present, key=lambda number: (-1 if down else 1) * cells[number])  # type: ignore[operator]
    assert ordered(grid, RowOrder(column=0, is_descending=down)).numbers.tolist() == expected + absent
    meets = {"=": "==", "!=": "!="}.get(sign, sign)
    kept = [number for number in present if eval(f"{cells[number]} {meets} {value}")]
    found = ordered(grid, RowOrder(Condition(0, sign, str(value))))
    assert found.numbers.tolist() == kept


class _InMemory:
    """An array of one axis; None is a missing value."""

    def __init__(self, cells: list[Any]) -> None:
        self._cells, self.length = cells, len(cells)

    name, dtype = "a", np.dtype("f8")

    def values(self, rows: slice, cancelled: object) -> tuple[AnyArray, AnyArray]:
        missing = np.array([cell is None for cell in self._cells])
        return np.array([0.0 if cell is None else cell for cell in self._cells]), missing


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("t = 2026-01-05", [2, 3]),
        ("t != 2026-01-05", [0, 1, 4]),
        ("t < 2026-01-05", [0, 1]),
        ("t <= 2026-01-05", [0, 1, 2, 3]),
        ("t > 2026-01-05", [4]),
        ("t >= 2026-01-05", [2, 3, 4]),
        ("t = 2026-01", [1, 2, 3, 4]),
        ("t <= 2025", [0]),
        ("t = 2026-01-05T12:00", [3]),
        ("not t = 2026-01-05 and not t = ", [0, 1, 4]),
    ],
)
def test_a_date_is_a_whole_period(text: str, rows: list[int]) -> None:
    days = ["2025-12-31", "2026-01-04T23:59", "2026-01-05", "2026-01-05T12:00:30", "2026-01-06", "NaT"]
    assert numbers(table(t=np.array(days, "M8[s]")), text) == rows


@pytest.mark.parametrize("unit", ["ns", "s", "D"])
def test_dates_beyond_those_of_the_column_are_later_or_earlier(unit: str) -> None:
    grid = table(t=np.array(["2026-01-05", "1970-01-01"], f"M8[{unit}]"))
    assert numbers(grid, "t < 3000") == [0, 1]
    assert numbers(grid, "t > 3000-01-01 or t = 3000") == []
    assert numbers(grid, "t > 1500-01") == [0, 1]
    assert numbers(grid, "t >= 2026-01-05T12") == []
    for value in ("9" * 30, "2026-13", "-" * 9, "1e9"):
        with pytest.raises(RowOrderError, match="is not a date"):
            numbers(grid, f"t > {value}")
