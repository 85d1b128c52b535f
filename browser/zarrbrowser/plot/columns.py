"""Columns of a table as the numbers of a plot: along the rows, or against another column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from zarrbrowser.nodes.protocols import NodeLike, is_array
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.plot.curves import Curve, Range, fitting_range
from zarrbrowser.plot.error_bars import logarithms
from zarrbrowser.table.columns import ColumnGrid
from zarrbrowser.table.grid import Grid, cell_text, is_not_a_number
from zarrbrowser.table.row_order import OrderedGrid, RowTable, column_name
from zarrbrowser.values.numbers import (
    DRAWABLE,
    EXACT,
    MOST_DATES,
    from_offset,
    is_plain,
    meaning_of,
    numbers_of,
    origin_of,
)
from zarrbrowser.values.quantities import count
from zarrcore.typing import AnyArray


class PlotError(ValueError):
    """Columns cannot be drawn together; the text says why."""


class Kind(Enum):
    """What the cells of a column are. An axis has one kind."""

    NUMBERS = "numbers"
    DATES = "dates"
    TIME_SPANS = "time spans"


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """All cells of a column, in the order of the table."""

    name: str
    unit: str
    values: AnyArray
    missing: AnyArray | None = None
    """Where they are missing, if the values do not show it themselves."""

    @property
    def kind(self) -> Kind:
        """What the cells are."""
        return {"M": Kind.DATES, "m": Kind.TIME_SPANS}.get(self.values.dtype.kind, Kind.NUMBERS)

    @property
    def title(self) -> str:
        """The name with the unit, or with what the numbers are if they are not the cells themselves."""
        told = self.unit or meaning_of(self.values.dtype)
        return f"{self.name} ({told})" if told else self.name

    def in_unit(self, dtype: np.dtype[Any]) -> ColumnValues:
        """The same dates or time spans in the unit of another type.

        Raises:
            OverflowError: some do not fit.
        """
        values = self.values.astype(dtype)
        if not ((values.astype(self.values.dtype) == self.values) | np.isnat(values)).all():
            raise OverflowError(dtype)  # older NumPy wraps around
        return replace(self, values=values)

    def integers(self) -> AnyArray | None:
        """The cells that are not missing, if they are integers or dates; None for others."""
        if self.values.dtype.kind not in "iuM":
            return None
        is_date = self.kind is Kind.DATES
        known = ~np.isnat(self.values) if is_date else np.ones(self.values.shape, bool)
        if self.missing is not None:
            known &= ~self.missing
        return (self.values.view(np.int64) if is_date else self.values)[known]

    def numbers(self, offset: int = 0) -> AnyArray:
        """The cells as float64, NaN where they are missing.

        Args:
            offset: the integer or the count of dates that they are relative to.
        """
        is_date = self.kind is Kind.DATES
        if offset:
            numbers = from_offset(self.values.view(np.int64) if is_date else self.values, offset)
            if is_date:
                numbers[np.isnat(self.values)] = np.nan
        else:
            numbers = numbers_of(self.values).astype(np.float64)
        if self.missing is not None:
            numbers[self.missing] = np.nan
        return numbers

    def text(self, row: int) -> str:
        """A cell with its name and unit."""
        value = self.values[row]
        if is_not_a_number(value) or (self.missing is not None and self.missing[row]):
            return f"{self.name}: missing"
        return f"{self.name} = {cell_text(value)}" + (f" {self.unit}" if self.unit else "")


@dataclass(frozen=True, slots=True)
class PlotAxis:
    """The axis of a plot."""

    label: str
    dates: np.dtype[Any] | None = None
    """The datetime64 type of the numbers if they are dates."""
    is_log: bool = False
    """Whether the numbers are exponents of ten."""
    is_whole: bool = False
    """Whether the numbers are integers, so that only these are labelled."""
    offset: int = 0
    """The integer that the numbers are relative to, which floats cannot represent as finely as the cells."""


@dataclass(frozen=True, slots=True)
class ColumnPlot:
    """Curves, and the axes that they share."""

    curves: tuple[Curve, ...]
    x: PlotAxis
    y: PlotAxis
    ranges: tuple[Range, Range]
    """The ranges across and up that show all points."""
    not_positive: int = 0
    """How many numbers have no logarithm, and are left out."""
    too_large: int = 0
    """How many numbers are infinite or too large to be drawn, and are left out."""
    missing: int = 0
    """How many numbers are missing: lines have gaps there."""

    @property
    def are_lines(self) -> bool:
        """Whether all curves run from left to right, so that lines between points mean something."""
        return all(one.is_ascending for one in self.curves)

    @property
    def left_out(self) -> str:
        """What the plot does not show; empty if it shows everything."""
        parts = []
        if self.not_positive:
            axes = "axes leave" if self.x.is_log and self.y.is_log else "axis leaves"
            parts.append(f"the logarithmic {axes} out {count(self.not_positive, 'value')} ≤ 0")
        if self.missing:
            parts.append(f"without {count(self.missing, 'missing value')}")
        if self.too_large:
            are = "is" if self.too_large == 1 else "are"
            parts.append(f"without {count(self.too_large, 'value')} that {are} infinite or beyond ±10³⁰⁶")
        return " · ".join(parts)


def columns_to_draw(grid: RowTable | OrderedGrid) -> list[int]:
    """The columns whose cells are numbers, dates or time spans."""
    types = ((column, grid.dtype_of(column)) for column in range(grid.columns))
    return [column for column, dtype in types if is_plain(dtype) and not dtype.shape]


def may_be_plotted_together(nodes: Sequence[NodeLike]) -> bool:
    """Whether nodes are arrays of one group with one axis of one length, whose elements can be plotted."""
    arrays = [one for one in nodes if is_array(one) and one.ndim == 1 and is_plain(one.dtype)]
    groups = {one.path.rpartition("/")[0] for one in arrays}
    return 1 < len(arrays) == len(nodes) and len(groups) == len({one.shape for one in arrays}) == 1


def cost_of_columns(grid: RowTable, columns: Sequence[int]) -> ReadCost:
    """The number of chunks to decode for all cells of some columns, and their bytes."""
    rows = slice(0, grid.rows)
    if isinstance(grid, Grid):  # its columns are fields of the same elements
        return grid.cost(rows, slice(0, grid.columns))
    costs = [grid.cost(rows, slice(column, column + 1)) for column in columns]
    return ReadCost(sum(one.chunks for one in costs), sum(one.nbytes for one in costs))


def read_columns(
    grid: RowTable, columns: Sequence[int], cancelled: Callable[[], bool] = lambda: False
) -> dict[int, ColumnValues]:
    """All cells of some columns; dates that NumPy does not have, such as those of a calendar of 360 days, as stored counts.

    Raises:
        ReadCancelledError: ``cancelled`` became true.
        ZarrError: a chunk cannot be read or decoded.
    """
    found = {}
    drawn = grid.without_texts() if isinstance(grid, ColumnGrid) else grid
    for column, (values, missing) in zip(columns, drawn.column_values(columns, cancelled), strict=True):
        unit = grid.unit(column)
        if isinstance(grid, ColumnGrid) and values.dtype.kind != "M":
            unit = unit or grid.time_unit(column)
        found[column] = ColumnValues(column_name(grid, column), unit, values, missing)
    return found


def column_plot(
    grid: RowTable | OrderedGrid,
    known: Mapping[int, ColumnValues],
    x: int | None,
    ys: Mapping[int, str],
    *,
    is_log_x: bool = False,
    is_log_y: bool = False,
) -> ColumnPlot:
    """The curves of some columns; slow for many rows.

    Args:
        grid: the table; of an ordered one only its rows, in their order.
        known: the cells of the columns, by their position in the table.
        x: the column along the horizontal axis; None for the rows.
        ys: the columns to draw, at least one, with their colours (``#rrggbb``).
        is_log_x: whether logarithms are drawn; dates have none, and stay dates.
        is_log_y: likewise.

    Raises:
        PlotError: the columns have no common axis.
    """
    rows = grid.numbers if isinstance(grid, OrderedGrid) else np.arange(grid.rows)
    if x is None:
        across, places = _row_axis(grid, rows, is_log=is_log_x)
    else:
        across, (places,) = _axis([known[x]], rows, is_log=is_log_x)
    up, columns = _axis([known[column] for column in ys], rows, is_log=is_log_y)
    left_out, missing = 0, sum(int(np.count_nonzero(np.isnan(one))) for one in (places, *columns))
    if across.is_log:
        left_out += int(np.count_nonzero(places <= 0))
        places = logarithms(places)
    if up.is_log:
        left_out += sum(int(np.count_nonzero(one <= 0)) for one in columns)
        columns = [logarithms(one) for one in columns]
    curves = tuple(
        Curve.of(known[column].title, colour, places, numbers, rows)
        for (column, colour), numbers in zip(ys.items(), columns, strict=True)
    )
    too_large = sum(int(np.count_nonzero(np.abs(one) > DRAWABLE)) for one in (places, *columns))
    return ColumnPlot(curves, across, up, fitting_range(curves), left_out, too_large, missing)


def _row_axis(grid: RowTable | OrderedGrid, rows: AnyArray, *, is_log: bool) -> tuple[PlotAxis, AnyArray]:
    """The rows by their position in the table; if they are sorted, by their place in that order."""
    order = grid.order.column if isinstance(grid, OrderedGrid) else None
    if isinstance(grid, OrderedGrid) and order is not None:
        label = f"place, sorted by {column_name(grid.inner, order)}"
        return PlotAxis(label, None, is_log, is_whole=True), np.arange(grid.rows, dtype=np.float64)
    return PlotAxis("row", None, is_log, is_whole=True), rows.astype(np.float64)


def _axis(
    columns: Sequence[ColumnValues], rows: AnyArray, *, is_log: bool
) -> tuple[PlotAxis, list[AnyArray]]:
    """An axis for columns, and their numbers."""
    kinds = sorted({one.kind.value for one in columns})
    if len(kinds) > 1:
        raise PlotError(
            f"{' and '.join(kinds).capitalize()} cannot share an axis: choose columns of one kind."
        )
    kind, common = columns[0].kind, None
    if kind is not Kind.NUMBERS:
        try:
            common = np.result_type(*(one.values.dtype for one in columns))
            columns = [one if one.values.dtype == common else one.in_unit(common) for one in columns]
        except (TypeError, OverflowError) as error:
            raise PlotError(f"The {kind.value} of these columns have no common unit.") from error
    is_date = kind is Kind.DATES
    is_log = is_log and not is_date
    offset = 0 if is_log else _offset(columns)
    numbers = [one.numbers(offset)[rows] for one in columns]
    if len(columns) == 1:
        label = columns[0].title
    elif kind is Kind.NUMBERS:
        units = {one.unit for one in columns}
        label = units.pop() if len(units) == 1 else ""
    else:
        label = "" if common is None else meaning_of(common)
    return PlotAxis(label, common if is_date else None, is_log, bool(offset) and not is_date, offset), numbers


def _offset(columns: Sequence[ColumnValues]) -> int:
    """The least of integers or dates if floats cannot represent all of them, or hardly tell them apart; otherwise 0."""
    found = [one.integers() for one in columns]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return 0
    return origin_of(known, EXACT if columns[0].kind is Kind.NUMBERS else MOST_DATES)
