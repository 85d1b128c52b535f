"""The numbers through one element of a picture along an axis, such as the time series of a place."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zarrbrowser.coordinates.coordinates import Coordinate, position_text
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import Image
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.nodes.read_cost import ReadCost
from zarrcore.typing import AnyArray

_TIMES = ("t", "time")
_CHUNKS_AT_ONCE = 16
"""Chunks between two reports of the progress: enough to read several at the same time."""


@dataclass(frozen=True, slots=True)
class SeriesAtPoint:
    """A line through an element of the finest level."""

    image: Image
    settings: ViewSettings
    place: tuple[int, int]
    """The row and the column of the element."""
    axis: int

    @property
    def index(self) -> tuple[int, ...]:
        """The position of the element along each axis."""
        axes, settings = self.settings.axes, self.settings
        index = list(axes.at(axes.rows, self.place[0]).at(axes.columns, self.place[1]).index)
        if settings.is_blended and self.image.channel_axis is not None:
            index[self.image.channel_axis] = settings.channels_on[0]
        return tuple(index)

    @property
    def name(self) -> str:
        """Where the line is: ``y = 3, x = 5``, with the positions of all axes but its own."""
        return self.described({})

    def described(self, coordinates: Mapping[int, Coordinate]) -> str:
        """Where the line is, with the coordinates of axes that have them: ``lat = 3 (52.5 °N), x = 5``."""
        axes, index = self.settings.axes, self.index
        told = []
        for axis, length in enumerate(axes.shape):
            if length > 1 and axis not in (self.axis, axes.channel):
                meaning = coordinates[axis].text(index[axis]) if axis in coordinates else ""
                told.append(position_text(axes.names[axis], index[axis], meaning))
        return ", ".join(told)

    def place_text(self, coordinates: Mapping[int, Coordinate]) -> str:
        """Where the point is in the picture: ``52.5 °N, 12 °E``, by index where an axis has no coordinate."""
        axes = self.settings.axes
        told = []
        for axis in (axes.rows, axes.columns):
            if axis in coordinates:
                told.append(coordinates[axis].text(self.index[axis]))
            else:
                told.append(f"{axes.names[axis]} = {self.index[axis]:,}")
        return ", ".join(told)

    def cost(self) -> ReadCost:
        """The number of chunks to decode, and their bytes."""
        array = self.image.base
        chunks = math.ceil(array.shape[self.axis] / max(1, array.inner_chunk_shape[self.axis]))
        return ReadCost(chunks, chunks * math.prod(array.inner_chunk_shape) * array.dtype.itemsize)

    def read(
        self,
        cancelled: Callable[[], bool] = lambda: False,
        progress: Callable[[float], None] = lambda _part: None,
    ) -> AnyArray:
        """The numbers along the line, NaN for missing ones; only chunks on the line are decoded.

        Raises:
            ReadCancelledError: ``cancelled`` became true.
            ZarrError: a chunk cannot be read or decoded.
        """
        array, numbers = self.image.base, []
        length, step = array.shape[self.axis], _CHUNKS_AT_ONCE * max(1, array.inner_chunk_shape[self.axis])
        for start in range(0, length, step):
            selection: list[int | slice] = list(self.index)
            selection[self.axis] = slice(start, min(start + step, length))
            if self.settings.axes.channel is not None:
                selection[self.settings.axes.channel] = slice(0, 3)
            values = array.read(tuple(selection), cancelled=cancelled)
            if self.settings.axes.channel is not None:
                values = values.mean(axis=-1)
            numbers.append(self.settings.elements.known(values).astype(np.float64))
            progress(min(start + step, length) / length)
        return np.concatenate(numbers)


def axes_of_series(axes: Axes) -> list[int]:
    """The axes of more than one element: times first, then those of the sliders, then those of the picture."""

    def rank(axis: int) -> tuple[bool, bool, int]:
        return axes.names[axis].lower() not in _TIMES, axis in axes.shown, axis

    return sorted(
        (axis for axis, length in enumerate(axes.shape) if length > 1 and axis != axes.channel), key=rank
    )


def write_csv(
    path: str,
    name: str,
    coordinate: Coordinate | None,
    series: Sequence[tuple[str, AnyArray]],
    positions: Sequence[float] | None = None,
) -> None:
    """Write series as CSV: positions, coordinates, and one column for each series; an existing file is replaced as a whole.

    Args:
        name: the name of the axis.
        series: at least one, all of the same length, each with its heading.
        positions: those of the numbers, if these are not one for each position.

    Raises:
        OSError: the file cannot be written.
    """
    from zarrcore.filetypes import whole_or_nothing  # late: for a fast start

    length = len(series[0][1])
    columns: list[tuple[str, Any]] = [(name, range(length) if positions is None else positions)]
    if coordinate is not None and coordinate.values.size == length:
        units = f" ({coordinate.units})" if coordinate.units else ""
        columns.append(
            (f"{coordinate.name}{units}" if units else f"{coordinate.name} (coordinate)", coordinate.values)
        )
    columns += [(heading, numbers) for heading, numbers in series]
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow([heading for heading, _ in columns])
    rows.writerows(zip(*(values for _, values in columns), strict=True))
    with whole_or_nothing(path) as stream:
        stream.write(text.getvalue().encode())
