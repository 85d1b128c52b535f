"""Which axes of an array are rows and columns of the picture, and the positions along the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from zarrbrowser.nodes.protocols import ArrayLike

if TYPE_CHECKING:  # a derivation makes planes of levels, which know axes
    from zarrbrowser.image.calculations.derivation import Derivation

_ROW_NAMES = ("y", "lat", "latitude", "row", "rows")
_COLUMN_NAMES = ("x", "lon", "longitude", "col", "column", "columns")
_START_AT_ZERO = ("t", "time", "c", "channel", "s", "sample")

_COMPONENTS = 4


@dataclass(frozen=True, slots=True)
class Axes:
    """A plane through an array of two or more dimensions."""

    shape: tuple[int, ...]
    """The array's shape."""
    names: tuple[str, ...]
    """One name per axis, generated if the array has none."""
    rows: int
    """The axis that runs down the picture."""
    columns: int
    """The axis that runs to the right."""
    channel: int | None
    """The axis of red, green, blue (and alpha), or None for a plane of plain values."""
    index: tuple[int, ...]
    """One position per axis; those of rows, columns and channels are not used."""
    derivation: Derivation | None = None
    """How the numbers of the plane are computed, if they are not its elements."""

    @classmethod
    def initial(cls, array: ArrayLike, names: tuple[str, ...] = ()) -> Axes:
        """The plane to show first."""
        names = names or axis_names(array.ndim, array.dimension_names)
        # An image may be only three or four columns wide: an axis named like columns does not hold colours.
        is_wide = names[-1].lower() not in _COLUMN_NAMES
        channel = array.ndim - 1 if is_wide and is_colour(array.shape, array.dtype) else None
        rows, columns = _picture_axes(array.shape, names, channel)
        index = tuple(
            0 if name.lower() in _START_AT_ZERO else length // 2
            for name, length in zip(names, array.shape, strict=True)
        )
        return cls(tuple(array.shape), names, rows, columns, channel, index)

    @property
    def further(self) -> tuple[int, ...]:
        """The axes that need a slider."""
        shown = self.shown
        return tuple([axis for axis in range(len(self.shape)) if axis not in shown])

    @property
    def shown(self) -> tuple[int, ...]:
        """The axes that span the picture."""
        return (self.rows, self.columns, *(() if self.channel is None else (self.channel,)))

    @property
    def height(self) -> int:
        """Rows of the picture."""
        return self.shape[self.rows]

    @property
    def width(self) -> int:
        """Columns of the picture."""
        return self.shape[self.columns]

    def at(self, axis: int, position: int) -> Axes:
        """The plane at another position along ``axis``, clipped to the array."""
        inside = min(max(position, 0), max(self.shape[axis] - 1, 0))
        return replace(self, index=(*self.index[:axis], inside, *self.index[axis + 1 :]))

    def at_positions_of(self, other: Axes) -> Axes:
        """The same plane at the positions of another array, along the sliders' axes of the same name and length.

        Axes without a name of their own may mean anything: they keep their positions.
        """
        index = list(self.index)
        for axis in self.further:
            name = self.names[axis]
            is_named = name != _generated(axis)
            if is_named and other.names.count(name) == 1 and self.names.count(name) == 1:
                theirs = other.names.index(name)
                if theirs in other.further and other.shape[theirs] == self.shape[axis]:
                    index[axis] = other.index[theirs]
        return replace(self, index=tuple(index))

    def at_a_chunk(self, chunks: Iterable[tuple[int, ...]], chunk_shape: Sequence[int]) -> Axes:
        """The nearest plane through the middle of one of some chunks; the same plane if one of them lies in it.

        >>> image = Axes((9, 4, 4), ("z", "y", "x"), 1, 2, None, (4, 2, 2))
        >>> image.at_a_chunk([(0, 0, 0), (2, 1, 0)], (3, 2, 2)).index, image.at_a_chunk([(1, 0, 1)], (3, 2, 2)).index
        ((7, 2, 2), (4, 2, 2))
        """
        further, lengths = self.further, [max(1, length) for length in chunk_shape]

        def away(chunk: tuple[int, ...]) -> float:
            return sum(
                abs(chunk[axis] - self.index[axis] // chunk_shape[axis])
                * chunk_shape[axis]
                / self.shape[axis]
                for axis in further
            )

        nearest = min(chunks, key=lambda chunk: (away(chunk), [-place for place in chunk]), default=None)
        found = self
        if nearest is not None and away(nearest):
            for axis in further:
                found = found.at(axis, nearest[axis] * lengths[axis] + lengths[axis] // 2)
        return found

    def as_plane(self) -> Axes:
        """The same plane with position 0 along its own axes, so that equal planes compare equal."""
        index = list(self.index)
        for axis in self.shown:
            index[axis] = 0
        return replace(self, index=tuple(index))

    def with_rows(self, axis: int) -> Axes:
        """The plane with ``axis`` as rows; swapped with the columns if it was the columns."""
        return replace(self, rows=axis, columns=self.rows if axis == self.columns else self.columns)

    def with_columns(self, axis: int) -> Axes:
        """The plane with ``axis`` as columns; swapped with the rows if it was the rows."""
        return replace(self, columns=axis, rows=self.columns if axis == self.rows else self.rows)

    def describe(self) -> str:
        """The position of the plane: ``time = 3, z = 12``; empty if the plane is the whole array."""
        return ", ".join(f"{self.names[axis]} = {self.index[axis]:,}" for axis in self.further)


def axis_names(ndim: int, names: Sequence[str | None] | None) -> tuple[str, ...]:
    """A name for each axis: the array's, or ``axis 0``, ``axis 1``, …"""
    given = names or (None,) * ndim
    return tuple(name or _generated(axis) for axis, name in zip(range(ndim), given, strict=True))


def _generated(axis: int) -> str:
    return f"axis {axis}"


def is_colour(shape: Sequence[int], dtype: np.dtype[Any]) -> bool:
    """Whether the last axis holds red, green and blue, perhaps alpha."""
    from zarrcore.array import plane_ndim  # zarrcore's rule, so that the mount's slices and the browser agree

    return len(shape) >= 3 and plane_ndim(tuple(shape), dtype) == 3


def _picture_axes(shape: tuple[int, ...], names: tuple[str, ...], channel: int | None) -> tuple[int, int]:
    free = [axis for axis in range(len(shape)) if axis != channel]
    lowered = [name.lower() for name in names]
    rows = next((axis for axis in free if lowered[axis] in _ROW_NAMES), None)
    columns = next((axis for axis in free if lowered[axis] in _COLUMN_NAMES), None)
    if rows is not None and columns is not None:
        return rows, columns
    # An axis of length 1 makes the picture a line, one of a few components a strip: prefer two longer axes.
    for short in (_COMPONENTS, 1, -1):
        long_axes = [axis for axis in free if shape[axis] > short]
        if len(long_axes) >= 2:
            break
    return long_axes[-2], long_axes[-1]
