"""The rows of a table in another order, and only those that meet conditions.

Only the columns that decide are read as a whole; cells are read when they come into view, as in the table itself.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.nodes.protocols import is_small_number
from zarrbrowser.nodes.read_cost import Cancelled, ReadCost
from zarrbrowser.table.columns import CategoricalColumn, ColumnGrid
from zarrbrowser.table.conditions import And, Clause, Condition, Not, RowOrderError, clause_of
from zarrbrowser.table.grid import BLOCK_COLUMNS, BLOCK_ROWS, Grid, Place, is_not_a_number, plain_text
from zarrcore.typing import AnyArray

RowNumbers = NDArray[np.int64]
RowTable = Grid | ColumnGrid
"""A table whose rows are elements: a group of columns, or an array with one axis."""
MOST_ROWS = 5_000_000
"""The most rows that are sorted or filtered: the cells of the columns that decide are in memory."""
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
CONTAINS = "~"
_DATE = re.compile(r"\d{4}(-|$)")
_SLAB = 100_000
"""Texts that are copied at a time, so that the window's thread gets a turn."""


@dataclass(frozen=True, slots=True)
class RowOrder:
    """How the rows of a table are chosen and sorted."""

    clause: Clause | None = None
    """The conditions; None for all rows."""
    column: int | None = None
    """The column whose cells decide the order; None for the table's own order."""
    is_descending: bool = False
    filter_text: str = field(default="", compare=False)
    """The conditions as the user wrote them."""

    @property
    def is_plain(self) -> bool:
        """Whether all rows are in the table's own order."""
        return self.clause is None and self.column is None


@dataclass(frozen=True, slots=True)
class ColumnCells:
    """All cells of a column."""

    name: str
    values: AnyArray
    """Comparable values; anything where one is missing."""
    is_missing: NDArray[np.bool_]
    ranks: Mapping[str, int] = field(default_factory=dict)
    """The position of each category, if they have an order."""

    @classmethod
    def read(cls, grid: RowTable, column: int, cancelled: Callable[[], bool]) -> ColumnCells:
        ((values, missing),) = grid.column_values([column], cancelled)
        one, ranks = grid.table[column] if isinstance(grid, ColumnGrid) else None, {}
        if isinstance(one, CategoricalColumn) and one.is_ordered:
            known, _ = _comparable(one.known(cancelled), None)
            ranks = {text: rank for rank, text in enumerate(known.tolist())} if _are_texts(known) else {}
        return cls(column_name(grid, column), *_comparable(values, missing), ranks)

    def judged(self, condition: Condition) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Where a condition is true and where it is false; neither for a missing cell, unless it is about missing ones.

        Raises:
            RowOrderError: the value is not of the column's type.
        """
        sign, value = condition.sign, condition.value
        if not value or self._is_no_number(value):
            if sign not in ("=", "!="):
                raise RowOrderError(f"Write a value after {self.name} {sign}.")
            empty = self.is_missing | (self.values == "") if _are_texts(self.values) else self.is_missing
            return (empty, ~empty) if sign == "=" else (~empty, empty)
        if sign == CONTAINS:
            part = value.casefold()
            texts = (part in plain_text(one).casefold() for one in self.values)
            return self._known(np.fromiter(texts, bool, len(self.values)))
        if self.ranks and sign not in ("=", "!="):
            if value not in self.ranks:
                raise RowOrderError(f"The column {self.name} has no category {value}.")
            found = _OPERATORS[sign](self._places(), self.ranks[value])
        elif self.values.dtype.kind == "M":
            found = self._in_period(sign, value)
        elif _are_texts(self.values) and sign not in ("=", "!="):
            found = self._beside(sign, value)
        else:
            with np.errstate(all="ignore"):  # a number beyond those of the column's type
                found = _OPERATORS[sign](self.values, self._typed(value))
        return self._known(np.asarray(found, bool))

    def _beside(self, sign: str, value: str) -> NDArray[np.bool_]:
        """Where texts are before or after another one when they are sorted."""
        folded, other = _folded(self.values), value.casefold()
        is_same = folded == other
        found = np.where(is_same, _OPERATORS[sign](self.values, value), _OPERATORS[sign](folded, other))
        return np.asarray(found, bool)

    def _in_period(self, sign: str, value: str) -> NDArray[np.bool_]:
        """Compare dates with a period: ``2026-01-05`` is a whole day, ``2026-01`` a month."""
        period = self._typed(value)
        after = np.asarray(period.view(np.int64) + 1).view(period.dtype)
        cells, start, end = self.values, _bound(period, self.values), _bound(after, self.values)
        found = {
            "=": (cells >= start) & (cells < end),
            "!=": (cells < start) | (cells >= end),
            "<": cells < start,
            "<=": cells < end,
            ">": cells >= end,
            ">=": cells >= start,
        }[sign]
        return np.asarray(found, bool)

    def _known(self, found: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        return found & ~self.is_missing, ~found & ~self.is_missing

    def sorted(self, numbers: RowNumbers, *, is_descending: bool) -> RowNumbers:
        """Rows by their cells, texts without regard to case; the missing ones last."""
        present, absent = numbers[~self.is_missing[numbers]], numbers[self.is_missing[numbers]]
        step = -1 if is_descending else 1  # reversed twice, equal cells keep their order
        present = present[::step]
        cells = (self._places() if self.ranks else self.values)[present]
        found = np.argsort(cells, kind="stable")
        if _are_texts(cells):  # their code points decide where only case differs
            found = found[np.argsort(_folded(cells[found]), kind="stable")]
        return np.concatenate([present[found][::step], absent])

    def _places(self) -> NDArray[np.int64]:
        """The positions of the cells' categories."""
        places = (self.ranks.get(one, -1) for one in self.values)
        return np.fromiter(places, np.int64, len(self.values))

    def _is_no_number(self, value: str) -> bool:
        return self.values.dtype.kind in "fcmM" and value.casefold() in ("nan", "nat")

    def _typed(self, value: str) -> Any:
        """A typed value, as the cells are."""
        kind = self.values.dtype.kind
        try:
            if kind == "b":
                return {"true": True, "false": False}[value.casefold()]
            if kind in "iu":
                return _integer(value)
            if kind == "f":
                return float(value)
            if kind == "c":
                return complex(value)
            if kind == "M":
                return _period(value)
            if kind == "m":
                return np.array(value, self.values.dtype)
        except (KeyError, ValueError, OverflowError) as error:
            wanted, told = {
                "b": ("true and false", "neither"),
                "M": ("dates", "not a date, such as 2026-01-31 or 2026-01-31T12:00"),
                "m": ("durations", "not a duration"),
            }.get(kind, ("numbers", "not a number"))
            raise RowOrderError(f"The column {self.name} holds {wanted}; {value} is {told}.") from error
        return value


@dataclass(frozen=True, slots=True)
class OrderedGrid:
    """Some rows of a table, in any order; the interface of `Grid`."""

    inner: RowTable
    numbers: RowNumbers
    """The rows, by their position in the table."""
    order: RowOrder
    cells: Mapping[int, ColumnCells] = field(default_factory=dict, compare=False, repr=False)
    """The cells of the columns that decide."""
    axes: ClassVar[None] = None
    unpacking: ClassVar[None] = None

    @property
    def path(self) -> str:
        """The path of the array or group."""
        return self.inner.path

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.numbers)

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self.inner.columns

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.inner.fields

    def place_of(self, number: int) -> int | None:
        """Where a row of the table is among these; None if it is not."""
        places = np.flatnonzero(self.numbers == number)
        return int(places[0]) if len(places) else None

    def dtype_of(self, column: int) -> np.dtype[Any]:
        """The data type of a column as stored."""
        return self.inner.dtype_of(column)

    def column_name(self, column: int, coordinates: Mapping[int, Coordinate] = MappingProxyType({})) -> str:
        """The header of a column, with an arrow if its cells decide the order."""
        name, _, below = self.inner.column_name(column, coordinates).partition("\n")
        if column == self.order.column:
            name += " ▼" if self.order.is_descending else " ▲"
        return name + (f"\n{below}" if below else "")

    def row_name(self, row: int, coordinates: Mapping[int, Coordinate] = MappingProxyType({})) -> str:
        """The header of a row: its position in the table."""
        return self.inner.row_name(int(self.numbers[row]), coordinates)

    def cost(self, rows: slice, columns: slice) -> ReadCost:
        """The cost of reading a rectangle: only whole chunks can be decoded."""
        chunks = nbytes = 0
        for one in {id(array): array for array in _arrays(self.inner, columns)}.values():
            length = max(1, one.inner_chunk_shape[0])
            number = len(np.unique(self.numbers[rows] // length))
            chunks, nbytes = chunks + number, nbytes + number * length * one.dtype.itemsize
        return ReadCost(chunks, nbytes)

    def read(
        self, rows: slice, columns: slice, cancelled: Callable[[], bool] = lambda: False
    ) -> list[list[Any]]:
        """The cells of a rectangle, row by row.

        Raises:
            As `Grid.read`.
        """
        return self.inner.read(self.numbers[rows], columns, cancelled)

    def is_no_value(self, value: Any) -> bool:
        """Whether a cell is missing."""
        return self.inner.is_no_value(value)

    def block(self, place: Place) -> tuple[slice, slice]:
        """The rows and columns of a block."""
        row, column = place[0] * BLOCK_ROWS, place[1] * BLOCK_COLUMNS
        return (
            slice(row, min(row + BLOCK_ROWS, self.rows)),
            slice(column, min(column + BLOCK_COLUMNS, self.columns)),
        )


def whole_table(grid: RowTable | OrderedGrid) -> RowTable:
    """The table with all its rows, in their own order."""
    return grid.inner if isinstance(grid, OrderedGrid) else grid


def order_of(text: str, column: int | None, grid: RowTable, *, is_descending: bool) -> RowOrder:
    """An order of rows.

    Raises:
        RowOrderError: as `clause_of`.
    """
    names = [column_name(grid, number) for number in range(grid.columns)]
    return RowOrder(clause_of(text, names), column, is_descending, text.strip())


def ordered(
    grid: RowTable,
    order: RowOrder,
    cancelled: Callable[[], bool] = lambda: False,
    known: Mapping[int, ColumnCells] = MappingProxyType({}),
) -> OrderedGrid:
    """The rows that meet all conditions, sorted; equal cells stay in the table's order, missing values come last. Blocks.

    Args:
        grid: the table.
        order: the conditions, and the column that decides the order.
        cancelled: called between chunks and columns.
        known: cells of some columns, as an earlier result has them, which need not be read again.

    Raises:
        RowOrderError: the table is too long, or its cells cannot be compared like this.
        Cancelled, ReadCancelledError: ``cancelled`` became true.
        ZarrError: a chunk cannot be read or decoded.
    """
    if grid.rows > MOST_ROWS:
        raise RowOrderError(
            f"This table has {grid.rows:,} rows; up to {MOST_ROWS:,} can be sorted or filtered."
        )
    cells: dict[int, ColumnCells] = {}

    def of(column: int) -> ColumnCells:
        if column not in cells:
            cells[column] = known.get(column) or ColumnCells.read(grid, column, cancelled)
        if cancelled():
            raise Cancelled
        return cells[column]

    kept = np.ones(grid.rows, bool) if order.clause is None else _judged(order.clause, of)[0]
    numbers = np.flatnonzero(kept).astype(np.int64)
    if order.column is not None:
        numbers = of(order.column).sorted(numbers, is_descending=order.is_descending)
    return OrderedGrid(grid, numbers, order, cells)


def _judged(clause: Clause, of: Callable[[int], ColumnCells]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Where a clause is true and where it is false; where it is neither, a missing cell leaves it open, as in SQL."""
    if isinstance(clause, Condition):
        return of(clause.column).judged(clause)
    if isinstance(clause, Not):
        true, false = _judged(clause.part, of)
        return false, true
    is_and = isinstance(clause, And)
    true, false = _judged(clause.parts[0], of)
    for part in clause.parts[1:]:
        more_true, more_false = _judged(part, of)
        true = true & more_true if is_and else true | more_true
        false = false | more_false if is_and else false & more_false
    return true, false


def _period(value: str) -> AnyArray:
    """A date in the unit in which it is written.

    Raises:
        ValueError: it is not a date of ISO 8601 with a year of four digits.
    """
    if not _DATE.match(value):
        raise ValueError(value)
    return np.array(value, "M8")


def _bound(moment: AnyArray, cells: AnyArray) -> AnyArray:
    """A moment that can be compared with dates: if their type has no such late or early one, their last or first."""
    if np.promote_types(moment.dtype, cells.dtype) != cells.dtype:
        return moment
    with suppress(OverflowError):  # older NumPy wraps around
        same = moment.astype(cells.dtype)
        if same.astype(moment.dtype) == moment:
            return same
    limits = np.iinfo(np.int64)
    return np.array(limits.max if moment.astype(np.int64) > 0 else limits.min + 1).view(cells.dtype)


def _comparable(values: AnyArray, missing: AnyArray | None) -> tuple[AnyArray, NDArray[np.bool_]]:
    """Values that NumPy can sort, and where they are missing: numbers, dates and booleans as they are, others as texts."""
    gone = np.zeros(len(values), bool) if missing is None else missing
    kind = values.dtype.kind
    if kind in "fc" or is_small_number(values.dtype):
        values = values if kind in "fc" else values.astype("f4")
        return values, gone | np.isnan(values)
    if kind in "mM":
        return values, gone | np.isnat(values)
    if kind in "biu":
        return values, gone
    cells = values.tolist() if kind in "OTU" else list(values)
    none = np.fromiter((one is None or is_not_a_number(one) for one in cells), bool, len(cells))
    return _texts(cells), gone | none


def _are_texts(values: AnyArray) -> bool:
    return values.dtype.kind == "T"


def _texts(cells: list[Any]) -> AnyArray:
    """Cells as texts of NumPy, which it sorts without Python's lock: Python's own would stop the window meanwhile."""
    texts = np.empty(len(cells), np.dtypes.StringDType())
    for start in range(0, len(cells), _SLAB):
        slab = slice(start, start + _SLAB)
        part = [one if isinstance(one, str) else plain_text(one) for one in cells[slab]]
        try:
            texts[slab] = part
        except UnicodeEncodeError:  # half a surrogate pair
            texts[slab] = [one.encode(errors="backslashreplace").decode() for one in part]
    return texts


def _folded(texts: AnyArray) -> AnyArray:
    """Texts without regard to case."""
    folded = np.empty(len(texts), np.dtypes.StringDType())
    for start in range(0, len(texts), _SLAB):
        slab = slice(start, start + _SLAB)
        folded[slab] = [one.casefold() for one in texts[slab].tolist()]
    return folded


def _integer(value: str) -> int | float:
    try:
        return int(value)
    except ValueError:
        return float(value)


def column_name(grid: RowTable, column: int) -> str:
    """The name of a column, as conditions have it."""
    return grid.fields[column] if grid.fields else grid.column_name(column)


def _arrays(grid: RowTable, columns: slice) -> list[Any]:
    return [one.array for one in grid.table[columns]] if isinstance(grid, ColumnGrid) else [grid.array]
