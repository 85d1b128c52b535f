"""A slice of an array as a grid of cells, read in blocks on demand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.axes import Axes
from zarrbrowser.nodes.protocols import ArrayLike, is_small_number
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.values.elements import unpacking_of
from zarrbrowser.values.packing import packing_of
from zarrbrowser.values.quantities import format_value
from zarrcore.conventions.cf import Packing
from zarrcore.typing import AnyArray

BLOCK_ROWS, BLOCK_COLUMNS = 128, 32
"""Cells that are read together: about two screens."""
COPY_UP_TO = 1_000_000
"""The maximum number of cells in one copy."""

Rows = slice | NDArray[np.int64]
"""Rows in their order, or their positions in any order."""
Place = tuple[int, int]
"""The position of a block, counted in blocks from the top and from the left."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table, and their places in the array."""

    array: ArrayLike
    axes: Axes | None
    """The axes of rows and columns; None for a one-dimensional array, with one column, or one per field."""
    packing: Packing | None = None
    """What the attributes say about stored numbers."""
    unpacking: Packing | None = None
    """How the numbers of cells are unpacked; None if cells hold stored numbers."""
    row_coordinate: ClassVar[None] = None
    """The column that holds the coordinates of the rows: none."""

    @property
    def path(self) -> str:
        """The path of the array."""
        return self.array.path

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.array.shape[0] if self.axes is None else self.axes.height

    @property
    def columns(self) -> int:
        """The number of columns."""
        return len(self.fields) or 1 if self.axes is None else self.axes.width

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of a structured type that have their own columns."""
        return self.array.dtype.names or () if self.axes is None else ()

    def dtype_of(self, column: int) -> np.dtype[Any]:
        """The data type of a column as stored."""
        dtype, fields = self.array.dtype, self.fields
        return dtype[fields[column]] if fields else dtype

    def unit(self, column: int) -> str:
        """The symbol of a column's unit; empty: attributes do not name units of fields."""
        del column
        return ""

    def column_name(self, column: int, coordinates: Mapping[int, Coordinate] = MappingProxyType({})) -> str:
        """The header of a column: its index, and its coordinate below."""
        if self.axes is not None:
            known = coordinates.get(self.axes.columns)
            return f"{column:,}" + (f"\n{known.text(column)}" if known else "")
        return self.fields[column] if self.fields else "value"

    def row_name(self, row: int, coordinates: Mapping[int, Coordinate] = MappingProxyType({})) -> str:
        """The header of a row: its index, and its coordinate beside it."""
        known = coordinates.get(0 if self.axes is None else self.axes.rows)
        return f"{row:,}" + (f"   {known.text(row)}" if known else "")

    def selection(self, rows: slice, columns: slice) -> tuple[int | slice, ...]:
        """The elements of a rectangle, in the array's order of axes."""
        if self.axes is None:
            return (rows,)
        parts: list[int | slice] = list(self.axes.index)
        parts[self.axes.rows], parts[self.axes.columns] = rows, columns
        if self.axes.channel is not None:
            parts[self.axes.channel] = slice(None)
        return tuple(parts)

    def cost(self, rows: slice, columns: slice) -> ReadCost:
        """The cost of reading a rectangle: only whole chunks can be decoded."""
        chunks = 1
        for axis, part in enumerate(self.selection(rows, columns)):
            length = max(1, self.array.inner_chunk_shape[axis])
            if isinstance(part, slice):
                start, stop, _ = part.indices(self.array.shape[axis])
                chunks *= max(0, math.ceil(stop / length) - start // length)
        return ReadCost(chunks, chunks * math.prod(self.array.inner_chunk_shape) * self.array.dtype.itemsize)

    def read(
        self, rows: Rows, columns: slice, cancelled: Callable[[], bool] = lambda: False
    ) -> list[list[Any]]:
        """The elements of a rectangle, row by row; unpacked ones are float64, NaN for missing values.

        Args:
            rows: their positions, if the array has one axis; or a slice.
            columns: the columns.
            cancelled: called between chunks.

        Raises:
            ReadCancelledError: ``cancelled`` became true.
            ZarrError: a chunk cannot be read or decoded.
        """
        selection = self.selection(rows, columns) if isinstance(rows, slice) else (rows,)
        values = self.array.read(selection, cancelled=cancelled)
        if self.unpacking is not None:
            values = self.unpacking.unpacked(values)
        if self.axes is None:
            names = self.fields[columns]
            return [[row[name] for name in names] if names else [row] for row in values]
        shown = sorted(self.axes.shown)
        turned = values.transpose([shown.index(axis) for axis in self.axes.shown])
        return [list(row) for row in turned]

    def column_values(
        self, columns: Sequence[int], cancelled: Callable[[], bool] = lambda: False
    ) -> list[tuple[AnyArray, AnyArray | None]]:
        """All cells of columns of an array with one axis, and where they are missing: None, as they show it themselves.

        Raises:
            As `read`.
        """
        values = self.array.read(..., cancelled=cancelled)
        if self.unpacking is not None:
            values = self.unpacking.unpacked(values)
        return [(values[self.fields[column]] if self.fields else values, None) for column in columns]

    def is_no_value(self, value: Any) -> bool:
        """Whether a cell is missing: NaN, NaT, or a stored number that marks a missing value."""
        unpacking = self.unpacking or Packing()
        if (
            is_not_a_number(value)
            or self.packing is None
            or unpacking.is_scaled
            or self.array.dtype.kind == "f"
        ):
            return is_not_a_number(value)
        return self.packing.is_missing(unpacking.stored(np.asarray(value))) is not None

    def block(self, place: Place) -> tuple[slice, slice]:
        """The rows and columns of a block."""
        row, column = place[0] * BLOCK_ROWS, place[1] * BLOCK_COLUMNS
        return (
            slice(row, min(row + BLOCK_ROWS, self.rows)),
            slice(column, min(column + BLOCK_COLUMNS, self.columns)),
        )


def grid_of(array: ArrayLike, axes: Axes | None = None, *, is_unpacked: bool = True) -> Grid:
    """The grid of an array with one or more axes; ``axes`` are those of its picture, if there is one."""
    if array.ndim < 2:
        axes = None
    elif axes is None or axes.shape != tuple(array.shape):
        axes = Axes.initial(array)
    return Grid(array, axes, packing_of(array), unpacking_of(array) if is_unpacked else None)


def cell_text(value: Any) -> str:
    """An element as text for a cell: floats with at most seven digits, text on one line.

    >>> cell_text(np.float64(0.1)), cell_text(np.float64(1 / 3)), cell_text(np.int32(12345)), cell_text("a\\nb")
    ('0.1', '0.3333333', '12,345', 'a⏎b')
    """
    if value is None:
        return ""
    if isinstance(value, np.floating):
        exact = str(value)
        return exact if len(exact) <= 9 else f"{value:.7g}"
    if isinstance(value, str):
        return value.replace("\n", "⏎")
    if isinstance(value, np.ndarray) and value.size == 0:
        return "()"
    return format_value(value)


def plain_text(value: Any) -> str:
    """An element as text for the clipboard: exact, without thousands separators.

    >>> plain_text(np.float64(1 / 3)), plain_text(np.int32(12345)), plain_text(np.bool_(True)), plain_text("a\\tb")
    ('0.3333333333333333', '12345', 'true', 'a b')
    """
    if value is None:
        return ""
    if isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64):
        return str(int(value))
    text = str(value) if isinstance(value, np.floating | str) else format_value(value)
    return " ".join(text.split()) if any(mark in text for mark in "\t\n\r") else text


def tab_separated(rows: list[list[Any]]) -> str:
    """Cells as tab-separated text for a spreadsheet."""
    return "\n".join("\t".join(map(plain_text, row)) for row in rows)


def is_numeric(dtype: np.dtype[Any]) -> bool:
    """Whether cells are numbers, which are aligned to the right."""
    return dtype.kind in "iufc" or is_small_number(dtype)


def is_not_a_number(value: Any) -> bool:
    """Whether an element is NaN or NaT."""
    kinds = np.floating | np.complexfloating | np.datetime64 | np.timedelta64
    return isinstance(value, kinds) and bool(np.isnan(value) if not _is_time(value) else np.isnat(value))


def _is_time(value: AnyArray | Any) -> bool:
    return isinstance(value, np.datetime64 | np.timedelta64)
