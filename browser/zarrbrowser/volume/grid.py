"""How finely a volume is read: one level of an image, every few elements along each axis.

A sample ``k`` along an axis is the element ``k · step`` of the level, as in `zarrbrowser.image.tiles.raster`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, product

from zarrbrowser.image.levels import Image, Level
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.volume.axes import VolumeAxes

READ_BYTES = 128 * 2**20
"""The chunks of the level chosen at first decode to at most this size, if there is such a level."""
MOST_SAMPLES = 2**28
"""No finer choice is offered: a texture of this many samples takes 256 MiB or more."""
_FIRST_SAMPLES = 2**25
"""The level chosen at first has at most this many samples: more than a screen has pixels, times 16."""
_ENOUGH_SAMPLES = 2**21
"""Steps are offered as long as the coarsest choice has more samples."""
_LEAST_SIDE = 4
"""A step never leaves fewer samples along an axis than this."""
_BLOCK_BYTES = 16 * 2**20
"""A volume is read in blocks that decode to about this size, so that it can be cancelled, and drawn in part."""

_MOST_CHUNKS = 4096
"""More chunks of a damaged block are not tried one by one."""

Part = tuple[slice, slice, slice]
"""Samples along depth, rows and columns."""


@dataclass(frozen=True, slots=True)
class VolumeGrid:
    """The samples of a volume."""

    level: Level
    number: int
    """The number of the level in its image; 0 is the finest."""
    axes: tuple[int, int, int]
    """Depth, rows, columns."""
    steps: tuple[int, int, int] = (1, 1, 1)
    """Elements of the level from one sample to the next."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Samples along depth, rows and columns."""
        depth, rows, columns = (
            math.ceil(self.level.array.shape[axis] / step)
            for axis, step in zip(self.axes, self.steps, strict=True)
        )
        return depth, rows, columns

    @property
    def samples(self) -> int:
        """The number of samples."""
        return math.prod(self.shape)

    @property
    def whole(self) -> Part:
        """All samples."""
        depth, rows, columns = (slice(0, n) for n in self.shape)
        return depth, rows, columns

    @property
    def extent(self) -> tuple[tuple[float, float], ...]:
        """Where the first and the last sample begin and end along each axis, in elements of the base."""
        found = []
        for axis, length, step in zip(self.axes, self.shape, self.steps, strict=True):
            found.append((self.level.base(axis, -0.5), self.level.base(axis, length * step - 0.5)))
        return tuple(found)

    def with_axes(self, axes: tuple[int, int, int]) -> VolumeGrid:
        """The same samples with the same axes in another order; unchanged if the axes are others."""
        steps = dict(zip(self.axes, self.steps, strict=True))
        if set(steps) != set(axes):
            return self
        depth, rows, columns = (steps[axis] for axis in axes)
        return replace(self, axes=axes, steps=(depth, rows, columns))

    def cost(self, planes: int = 1) -> ReadCost:
        """What reading all samples decodes.

        Args:
            planes: the number of volumes, one for each channel.
        """
        array, chunks = self.level.array, planes
        lengths = [max(1, n) for n in array.inner_chunk_shape]
        for axis, step in zip(self.axes, self.steps, strict=True):
            crossed = math.ceil(array.shape[axis] / lengths[axis])
            chunks *= min(crossed, self.shape[self.axes.index(axis)]) if step > lengths[axis] else crossed
        return ReadCost(chunks, chunks * math.prod(lengths) * array.dtype.itemsize)

    def selection(
        self, index: tuple[int, ...], part: Part, colour: int | None = None
    ) -> tuple[int | slice, ...]:
        """The selection of the array for some samples.

        Args:
            index: one position of the level per axis; those of the volume's axes are not used.
            colour: the axis of red, green and blue, read as a whole.
        """
        parts: list[int | slice] = list(index)
        for axis, side, step in zip(self.axes, part, self.steps, strict=True):
            last = min((side.stop - 1) * step + 1, self.level.array.shape[axis])
            parts[axis] = slice(side.start * step, last, step) if step > 1 else slice(side.start, side.stop)
        if colour is not None:
            parts[colour] = slice(None)
        return tuple(parts)

    def blocks(self) -> Iterator[Part]:
        """The samples in blocks of whole chunks, one after another along the depth, then along rows."""
        array = self.level.array
        chunks = [max(1, array.inner_chunk_shape[axis]) for axis in self.axes]
        others = math.prod(
            max(1, array.inner_chunk_shape[axis]) for axis in range(array.ndim) if axis not in self.axes
        )
        across = others * array.dtype.itemsize * array.shape[self.axes[2]]
        sides = [chunks[0], chunks[1]]
        for side in (1, 0):  # rows first: whole planes of chunks are adjacent in most stores
            room = max(1, _BLOCK_BYTES // max(1, across * math.prod(sides)))
            sides[side] *= min(room, math.ceil(array.shape[self.axes[side]] / sides[side]))
        depths, rows = (self._cuts(side, length) for side, length in enumerate(sides))
        for depth, row in product(depths, rows):
            yield depth, row, slice(0, self.shape[2])

    def chunks(self, part: Part) -> list[Part]:
        """A block of `blocks`, cut into its chunks; the block itself if these are very many."""
        lengths = [max(1, self.level.array.inner_chunk_shape[axis]) for axis in self.axes]
        depths, rows, columns = (
            [cut for cut in self._cuts(side, length) if inside.start <= cut.start and cut.stop <= inside.stop]
            for side, (length, inside) in enumerate(zip(lengths, part, strict=True))
        )
        if len(depths) * len(rows) * len(columns) > _MOST_CHUNKS:
            return [part]
        return list(product(depths, rows, columns))

    def _cuts(self, side: int, length: int) -> list[slice]:
        """The samples along an axis, cut every so many elements."""
        step, end = self.steps[side], self.level.array.shape[self.axes[side]]
        cuts = [math.ceil(at / step) for at in (*range(0, end, length), end)]
        return [slice(low, high) for low, high in pairwise(cuts) if low < high]


def choices(image: Image, axes: VolumeAxes, most_side: int) -> list[VolumeGrid]:
    """What can be read, the finest first: each level that fits, and the coarsest one with steps if it is large.

    Args:
        most_side: the largest number of samples along an axis that can be drawn.
    """
    found = [VolumeGrid(level, number, axes.all) for number, level in enumerate(image.levels)]
    grid: VolumeGrid | None = found[-1]
    found = [one for one in found if _fits(one, most_side)]
    while not found or found[-1].samples > _ENOUGH_SAMPLES:
        grid = None if grid is None else _coarser(grid, axes.lengths)
        if grid is None:
            break
        if _fits(grid, most_side):
            found.append(grid)
    return found


def first_choice(grids: list[VolumeGrid], planes: int) -> VolumeGrid:
    """The finest of the choices that is quick to read and to draw; the one that costs least if none is.

    Args:
        grids: the finest first; at least one.
        planes: the number of volumes, one for each channel.
    """
    for grid in grids:
        if grid.cost(planes).nbytes <= READ_BYTES and grid.samples * planes <= _FIRST_SAMPLES:
            return grid
    least = min(grid.cost(planes).nbytes for grid in grids)
    cheapest = [grid for grid in grids if grid.cost(planes).nbytes == least]
    return next((grid for grid in cheapest if grid.samples * planes <= _FIRST_SAMPLES), cheapest[-1])


def _fits(grid: VolumeGrid, most_side: int) -> bool:
    return max(grid.shape) <= most_side and grid.samples <= MOST_SAMPLES


def _coarser(grid: VolumeGrid, lengths: tuple[float, float, float]) -> VolumeGrid | None:
    """Twice the steps along the axes whose samples are closest; None if all axes are short."""
    apart = [
        length * grid.level.factors[axis] * step
        for length, axis, step in zip(lengths, grid.axes, grid.steps, strict=True)
    ]
    is_long = [n >= 2 * _LEAST_SIDE for n in grid.shape]
    if not any(is_long):
        return None
    closest = min(one for one, long in zip(apart, is_long, strict=True) if long)
    steps = [
        step * 2 if long and one < closest * 2 else step
        for step, one, long in zip(grid.steps, apart, is_long, strict=True)
    ]
    return VolumeGrid(grid.level, grid.number, grid.axes, (steps[0], steps[1], steps[2]))
