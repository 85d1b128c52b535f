"""A group of one-dimensional arrays of one length as a table: a column for each array, or for each field of it.

Data frames of AnnData keep some columns in groups: categories apart from their codes, values apart from a mask.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np

from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.nodes.protocols import ArrayLike, is_array, is_broken, is_group
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.table.grid import BLOCK_COLUMNS, BLOCK_ROWS, Place, Rows, is_not_a_number
from zarrbrowser.values.packing import packing_of, read_packing
from zarrbrowser.values.quantities import count
from zarrcore.conventions import symbol
from zarrcore.conventions.cf import Packing, decode_times, is_time
from zarrcore.typing import AnyArray

Cancellation = Callable[[], bool]
MOST_COLUMNS = 2_000
"""A group with more arrays is not shown as a table: finding out their lengths would take too long."""
MOST_CATEGORIES = 4_000_000


class NoTableError(ValueError):
    """A group is not a table; the text says why."""


class Column(Protocol):
    """One column of a table."""

    @property
    def name(self) -> str: ...
    @property
    def length(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def array(self) -> ArrayLike: ...

    def values(self, rows: Rows, cancelled: Cancellation) -> tuple[AnyArray, AnyArray | None]:
        """The values of some rows, and where they are missing, if the column stores that apart from its values."""


@dataclass(frozen=True, slots=True)
class ArrayColumn:
    """The elements of an array, or one field of them; times as dates, packed numbers unpacked."""

    name: str
    array: ArrayLike
    field: str | None = None
    packing: Packing | None = None
    has_texts: bool = True
    """Whether dates that NumPy does not have, such as those of a calendar of 360 days, are texts instead of the stored counts."""

    @property
    def length(self) -> int:
        return self.array.shape[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype if self.field is None else self.array.dtype[self.field]

    def values(self, rows: Rows, cancelled: Cancellation) -> tuple[AnyArray, AnyArray | None]:
        values, missing, packing = self.array.read((rows,), cancelled=cancelled), None, self.packing
        if self.field is not None:
            return values[self.field], None
        if packing is not None and (packing.is_scaled or values.dtype.kind == "f"):
            values = packing.unpacked(values)
        elif packing is not None:  # integers stay integers: floats cannot represent all of them
            values, missing = packing.reinterpreted(values), packing.is_missing(values)
        return _dated(values, self.array.attributes, has_texts=self.has_texts), missing


@dataclass(slots=True)
class CategoricalColumn:
    """Codes, and the categories that they stand for, which are read once."""

    name: str
    array: ArrayLike
    """The codes; those below 0 are missing."""
    categories: ArrayLike
    is_ordered: bool = False
    """Whether the order of the categories means something, as from low to high."""
    _known: AnyArray | None = None

    @property
    def length(self) -> int:
        return self.array.shape[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.categories.dtype

    def values(self, rows: Rows, cancelled: Cancellation) -> tuple[AnyArray, AnyArray | None]:
        from zarrcore.errors import MetadataError  # late: for a fast start

        codes, known = self.array.read((rows,), cancelled=cancelled), self.known(cancelled)
        if codes.size and int(codes.max()) >= len(known):
            raise MetadataError(f"{self.array.path} names categories that its column does not have")
        missing = codes < 0
        if not len(known):
            return np.zeros(codes.shape, self.dtype), missing
        return known[np.where(missing, 0, codes)], missing

    def known(self, cancelled: Cancellation) -> AnyArray:
        """All categories, in their order."""
        if self._known is None:
            self._known = self.categories.read(..., cancelled=cancelled)
        return self._known


@dataclass(frozen=True, slots=True)
class MaskedColumn:
    """Values, and a mask that is true where they are missing."""

    name: str
    array: ArrayLike
    mask: ArrayLike

    @property
    def length(self) -> int:
        return self.array.shape[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype

    def values(self, rows: Rows, cancelled: Cancellation) -> tuple[AnyArray, AnyArray | None]:
        mask = self.mask.read((rows,), cancelled=cancelled)
        return self.array.read((rows,), cancelled=cancelled), mask.astype(bool)


@dataclass(frozen=True, slots=True)
class ColumnGrid:
    """The cells of a table of columns; the interface of `Grid`."""

    path: str
    """The path of the group."""
    table: tuple[Column, ...]
    note: str = ""
    """What is not in the table."""
    axes: ClassVar[None] = None
    unpacking: ClassVar[None] = None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.table[0].length

    @property
    def columns(self) -> int:
        """The number of columns."""
        return len(self.table)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(one.name for one in self.table)

    @property
    def row_coordinate(self) -> int | None:
        """The column that holds the coordinates of the rows; None if there is none."""
        return next((number for number, one in enumerate(self.table) if _is_index(one.array)), None)

    def dtype_of(self, column: int) -> np.dtype[Any]:
        """The data type of a column as stored: times may be shown as dates, packed numbers unpacked."""
        return self.table[column].dtype

    def unit(self, column: int) -> str:
        """The symbol of a column's unit; empty without one, and for dates."""
        array = self.table[column].array
        unit = array.attributes.get("units")
        return symbol(unit) if isinstance(unit, str) and not _are_times(array) else ""

    def time_unit(self, column: int) -> str:
        """What the stored numbers of a column of times count, and their calendar; empty for other columns."""
        array = self.table[column].array
        parts = (array.attributes.get("units"), array.attributes.get("calendar"))
        return ", ".join(part for part in parts if isinstance(part, str)) if _are_times(array) else ""

    def without_texts(self) -> ColumnGrid:
        """The same table, with the stored counts of dates that NumPy does not have."""
        columns = (
            replace(one, has_texts=False) if isinstance(one, ArrayColumn) else one for one in self.table
        )
        return replace(self, table=tuple(columns))

    def column_name(self, column: int, coordinates: Mapping[int, Coordinate] = MappingProxyType({})) -> str:
        """The header of a column: its name, and its unit below."""
        unit = self.unit(column)
        return self.table[column].name + (f"\n{unit}" if unit else "")

    def row_name(self, row: int, coordinates: Mapping[int, Coordinate] = MappingProxyType({})) -> str:
        """The header of a row: its index."""
        return f"{row:,}"

    def cost(self, rows: slice, columns: slice) -> ReadCost:
        """The cost of reading a rectangle: only whole chunks can be decoded."""
        chunks = nbytes = 0
        for one in {id(column.array): column.array for column in self.table[columns]}.values():
            length = max(1, one.inner_chunk_shape[0])
            start, stop, _ = rows.indices(one.shape[0])
            number = max(0, math.ceil(stop / length) - start // length)
            chunks, nbytes = chunks + number, nbytes + number * length * one.dtype.itemsize
        return ReadCost(chunks, nbytes)

    def read(self, rows: Rows, columns: slice, cancelled: Cancellation = lambda: False) -> list[list[Any]]:
        """The cells of a rectangle, row by row; None where a value is missing.

        Raises:
            ReadCancelledError: ``cancelled`` became true.
            ZarrError: a chunk cannot be read or decoded, or a column contradicts itself.
        """
        found = [_cells(*one.values(rows, cancelled)) for one in self.table[columns]]
        return [list(row) for row in zip(*found, strict=True)]

    def column_values(
        self, columns: Sequence[int], cancelled: Cancellation = lambda: False
    ) -> list[tuple[AnyArray, AnyArray | None]]:
        """All cells of columns, and where they are missing, if a column stores that apart from its values.

        Raises:
            As `read`.
        """
        return [self.table[column].values(slice(0, self.rows), cancelled) for column in columns]

    def is_no_value(self, value: Any) -> bool:
        """Whether a cell is missing."""
        return value is None or is_not_a_number(value)

    def block(self, place: Place) -> tuple[slice, slice]:
        """The rows and columns of a block."""
        row, column = place[0] * BLOCK_ROWS, place[1] * BLOCK_COLUMNS
        return (
            slice(row, min(row + BLOCK_ROWS, self.rows)),
            slice(column, min(column + BLOCK_COLUMNS, self.columns)),
        )


def _cells(values: AnyArray, missing: AnyArray | None) -> list[Any]:
    if missing is None or not missing.any():
        return list(values)
    return [None if hidden else value for value, hidden in zip(values, missing.tolist(), strict=True)]


def table_of(group: Any, cancelled: Cancellation = lambda: False) -> ColumnGrid:
    """The table of a group; blocks.

    Raises:
        NoTableError: its arrays are not the columns of one table.
        ZarrError: the group cannot be listed.
    """
    names, children, notes = _order(group), {}, []
    is_frame = bool(names)
    for number, child in enumerate(group.children()):
        if cancelled():
            break
        if number >= MOST_COLUMNS:
            raise NoTableError(f"This group has more than {MOST_COLUMNS:,} members, too many for one table.")
        children[child.name] = child
    read_packing(
        children.values(),
        group,
        lambda path: group if path == group.path else children.get(path.rpartition("/")[2]),
    )
    if not names:
        names = sorted(children, key=lambda name: (not _is_index(children[name]), name))
    columns: list[Column] = []
    apart = children.get("__categories") if is_frame else None  # of anndata before 0.8
    categories = (
        {child.name: child for child in apart.children()} if apart is not None and is_group(apart) else {}
    )
    for name in names:
        child = children.get(name)
        found = _columns(name, child, categories.get(name))
        columns += found
        if not found and (child is None or is_broken(child)):
            notes.append(f"the column {name} cannot be opened")
        elif not found and is_frame:
            notes.append(f"the column {name} is of a kind that is not shown")
    return ColumnGrid(group.path, _of_one_length(columns, children), "; ".join(notes))


def _of_one_length(columns: list[Column], children: Mapping[str, Any]) -> tuple[Column, ...]:
    if not columns:
        raise NoTableError("This group has no arrays with one axis, so it is not a table.")
    wide = next((one for one in children.values() if is_array(one) and one.ndim > 1), None)
    if wide is not None:
        raise NoTableError(
            f"This group is not a table: its array {wide.name} has {count(wide.ndim, 'axis', 'axes')}."
        )
    first = columns[0]
    other = next((one for one in columns if one.length != first.length), None)
    if other is not None:
        raise NoTableError(
            f"The arrays of this group are not the columns of one table: {first.name} has {first.length:,} "
            f"elements, {other.name} has {other.length:,}."
        )
    if not first.length:
        raise NoTableError("This table has no rows.")
    return tuple(columns)


def table_of_some(group: Any, names: Sequence[str], find: Callable[[str], Any]) -> ColumnGrid:
    """The table of some arrays of a group and the coordinate of their rows, whatever else is in the group; blocks.

    Args:
        group: the group.
        names: its members.
        find: the node at an absolute path.

    Raises:
        NoTableError: they are not the columns of one table.
        ZarrError: one of them cannot be opened.
    """
    from zarrcore.errors import NodeNotFoundError  # late: for a fast start

    above = group.path.rstrip("/")
    columns = [one for name in names for one in _columns(name, find(f"{above}/{name}"))]
    dimensions = {tuple(one.array.dimension_names or ()) for one in columns}
    along = next(iter(dimensions.pop()), None) if len(dimensions) == 1 else None
    if along and along not in names:
        with suppress(NodeNotFoundError):
            coordinate = find(f"{above}/{along}")
            if _is_index(coordinate) and coordinate.shape[0] == columns[0].length:
                columns[:0] = _columns(along, coordinate)
    return ColumnGrid(group.path, _of_one_length(columns, {}))


def _order(group: Any) -> list[str]:
    """The names of the columns in the order of a data frame of AnnData, the names of the rows first; empty for others."""
    attributes = group.attributes
    told = attributes.get("column-order")
    if attributes.get("encoding-type") != "dataframe" or not isinstance(told, list | tuple):
        return []
    index = attributes.get("_index")
    names = [index if isinstance(index, str) else "_index", *(one for one in told if isinstance(one, str))]
    return list(dict.fromkeys(names))


def _is_index(node: Any) -> bool:
    """Whether an array holds the coordinates of its own dimension."""
    return is_array(node) and tuple(node.dimension_names or ()) == (node.name,)


def _columns(name: str, node: Any, apart: Any = None) -> list[Column]:
    """The columns that a member of a group is: one, one for each field, or none; its categories may be ``apart``."""
    if node is None:
        return []
    if is_array(node):
        return _columns_of_array(name, node, apart)
    column = _encoded_column(name, node) if is_group(node) else None
    return [] if column is None else [column]


def _columns_of_array(name: str, array: Any, apart: Any) -> list[Column]:
    if array.ndim != 1:
        return []
    if array.dtype.names:
        return [ArrayColumn(f"{name}.{field}", array, field) for field in array.dtype.names]
    if apart is not None and is_array(apart) and apart.ndim == 1 and _are_codes(array, apart):
        return [CategoricalColumn(name, array, apart, apart.attributes.get("ordered") in (True, 1))]
    return [ArrayColumn(name, array, None, packing_of(array))]


def _are_codes(array: ArrayLike, categories: ArrayLike) -> bool:
    return array.dtype.kind in "iu" and categories.shape[0] <= MOST_CATEGORIES


def _encoded_column(name: str, group: Any) -> Column | None:
    """The column that a group holds in parts, as its ``encoding-type`` says."""
    kind = group.attributes.get("encoding-type")
    if not isinstance(kind, str):
        return None
    parts = {child.name: child for child in group.children()}
    lines = {key: one for key, one in parts.items() if is_array(one) and one.ndim == 1}
    if kind == "categorical":
        categories, within = lines.get("categories"), parts.get("categories")
        if within is not None and is_group(within):
            # A nullable column, of which none is missing.
            categories = next(
                (one for one in within.children() if one.name == "values" and is_array(one)), None
            )
        codes = lines.get("codes")
        if codes is None or categories is None or not _are_codes(codes, categories):
            return None
        return CategoricalColumn(name, codes, categories, group.attributes.get("ordered") is True)
    values, mask = lines.get("values"), lines.get("mask")
    if (
        kind.startswith("nullable-")
        and values is not None
        and mask is not None
        and values.shape == mask.shape
    ):
        return MaskedColumn(name, values, mask)
    return None


def _are_times(array: ArrayLike) -> bool:
    units = array.attributes.get("units")
    return isinstance(units, str) and is_time(units)


def _dated(values: AnyArray, attributes: Mapping[str, Any], *, has_texts: bool) -> AnyArray:
    """Counts since a date as dates, as CF says.

    Args:
        has_texts: whether dates that NumPy does not have become texts; otherwise they stay counts.
    """
    units, calendar = attributes.get("units"), attributes.get("calendar")
    if not isinstance(units, str) or not is_time(units):
        return values
    calendar = calendar if isinstance(calendar, str) else ""
    if not has_texts and values.dtype.kind in "iuf":
        # The first and the last date tell it: texts of all take long, and hold Python's lock.
        ends = np.append(np.fmin.reduce(values, keepdims=True), np.fmax.reduce(values, keepdims=True))
        found = decode_times(ends, units, calendar)
        if found is None or found.dtype.kind != "M":
            return values
    dates = decode_times(values, units, calendar)
    return values if dates is None else dates
