"""A plane of one level, sampled every few elements and cut into tiles of whole chunks.

A sample ``k`` along an axis is the element ``k · step`` of the level. A tile covers whole chunks, so that each chunk is
decoded for only one tile. Reading can be cancelled between tiles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.calculations.derivation import DTYPE, Derivation
from zarrbrowser.image.levels import Level
from zarrbrowser.nodes.read_cost import ReadCost
from zarrcore.errors import CodecError
from zarrcore.typing import AnyArray

Window = tuple[slice, slice]
"""Samples down and to the right."""

_SAMPLES = 256
"""The minimum number of samples per side of a tile, within its limit of bytes."""
_TILE_BYTES = 16 * 2**20
"""The chunks of a tile decode to at most this size, unless there would be too many tiles."""
_MOST_TILES = 1024
"""The approximate maximum number of tiles of a plane: each is examined whenever the view moves."""
_LONGEST = 4096
"""The maximum samples per side of a tile. A larger chunk has several tiles."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile by its place in the raster."""

    raster: Raster
    row: int
    column: int


@dataclass(frozen=True)  # without slots, for the cached properties: each tile asks for them
class Raster:
    """One plane of one level at one sampling; equal rasters read the same elements."""

    level: Level
    rows: int
    """The axis that runs down the picture."""
    columns: int
    channel: int | None
    """The axis of red, green and blue, or None."""
    index: tuple[int, ...]
    """One position of the level per axis; 0 for the axes of the picture."""
    steps: tuple[int, int] = (1, 1)
    """Elements from one sample to the next, down and to the right."""
    derivation: Derivation | None = None
    """How the numbers are computed, if they are not the elements."""

    @classmethod
    def of(cls, level: Level, axes: Axes, steps: tuple[int, int] = (1, 1)) -> Raster:
        """The raster of the plane of ``axes``. The positions of ``axes`` are elements of the base level."""
        index = [0] * len(axes.index)
        for axis in axes.further:
            index[axis] = level.position(axis, axes.index[axis])
        return cls(level, axes.rows, axes.columns, axes.channel, tuple(index), steps, axes.derivation)

    def plain(self) -> Raster:
        """The raster of the elements themselves."""
        return replace(self, derivation=None)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of samples."""
        return self.level.array.dtype if self.derivation is None else DTYPE

    @property
    def axes(self) -> tuple[int, int]:
        """Rows, columns."""
        return self.rows, self.columns

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Samples down and to the right."""
        (height, width), (down, right) = self.level_shape, self.steps
        return math.ceil(height / down), math.ceil(width / right)

    @property
    def level_shape(self) -> tuple[int, int]:
        """Elements of the level down and to the right."""
        return self.level.array.shape[self.rows], self.level.array.shape[self.columns]

    @cached_property
    def tile_shape(self) -> tuple[int, int]:
        """Elements of the level per tile, down and to the right."""
        chunk = [max(1, length) for length in self.level.array.inner_chunk_shape]
        lengths = [chunk[axis] for axis in self.axes]
        across = self.itemsize * math.prod(chunk) // math.prod(lengths)
        budget = max(_TILE_BYTES, across * math.prod(self.level_shape) // _MOST_TILES)
        sides = [min(length, _LONGEST * step) for length, step in zip(lengths, self.steps, strict=True)]
        for side in (1, 0):  # columns first: along them chunks are adjacent in most stores
            room = max(1, budget // max(1, across * sides[0] * sides[1]))
            wanted = math.ceil(_SAMPLES * self.steps[side] / sides[side])
            sides[side] *= max(1, min(room, wanted))
        return sides[0], sides[1]

    @property
    def itemsize(self) -> int:
        """Bytes per stored element."""
        return self.level.array.dtype.itemsize

    def to_base(self, side: int, sample: float) -> float:
        """The position of a sample in the base level; ``side`` is 0 for rows, 1 for columns."""
        # A sample represents `steps` elements and is at their centre, not at the centre of the first.
        element = sample * self.steps[side] + (self.steps[side] - 1) / 2
        return self.level.base(self.axes[side], element)

    def to_sample(self, side: int, base: float) -> float:
        """The inverse of `to_base`."""
        axis = self.axes[side]
        element = (base - self.level.offsets[axis]) / self.level.factors[axis]
        return (element - (self.steps[side] - 1) / 2) / self.steps[side]

    def samples(self, tile: Tile) -> tuple[slice, slice]:
        """The samples that a tile holds."""
        parts = []
        for side, place in enumerate((tile.row, tile.column)):
            length, step = self.tile_shape[side], self.steps[side]
            last = min((place + 1) * length, self.level.array.shape[self.axes[side]])
            parts.append(slice(math.ceil(place * length / step), math.ceil(last / step)))
        return parts[0], parts[1]

    def tiles(self, window: tuple[slice, slice]) -> list[Tile]:
        """The tiles that overlap a window of samples, those nearest to its centre first."""
        places: list[range] = []
        for side, part in enumerate(window):
            length, step = self.tile_shape[side], self.steps[side]
            if part.start >= part.stop:
                return []
            places.append(range(part.start * step // length, (part.stop - 1) * step // length + 1))
        middles = [
            (part.start + part.stop) / 2 * step / length
            for part, step, length in zip(window, self.steps, self.tile_shape, strict=True)
        ]
        found = [Tile(self, row, column) for row in places[0] for column in places[1]]
        ratio = self.tile_shape[0] / self.tile_shape[1]

        def distance(tile: Tile) -> float:
            return math.hypot((tile.row + 0.5 - middles[0]) * ratio, tile.column + 0.5 - middles[1])

        return sorted(found, key=distance)

    def cost(self, tiles: list[Tile]) -> ReadCost:
        """The number of chunks that reading tiles decodes, and their bytes.

        Args:
            tiles: of this raster, or of others that differ from it in their positions only.
        """
        lengths = [self._chunk(axis) for axis in range(self.level.array.ndim)]
        # Planes to blend may be in the same chunks.
        tiles = [*{(tile.raster.layer, tile.row, tile.column): tile for tile in tiles}.values()]
        places = [(tile.raster.layer, *self._chunks_along(tile)) for tile in tiles]
        if any(side % self._chunk(axis) for side, axis in zip(self.tile_shape, self.axes, strict=True)):
            chunks = len({(at, *place) for at, *sides in places for place in product(*sides)})
        else:  # each chunk belongs to one tile
            chunks = sum(len(rows) * len(columns) for _at, rows, columns in places)
        chunks *= 1 if self.derivation is None else self.derivation.layers(self.level.array)
        cost = ReadCost(chunks, chunks * math.prod(lengths) * self.itemsize)
        if self.derivation is None or self.derivation.comparison is None:
            return cost
        second = self.derivation.second_raster(self)
        more = [second.cost(second.tiles(self.samples(tile))) for tile in tiles]
        return ReadCost(
            cost.chunks + sum(one.chunks for one in more), cost.nbytes + sum(one.nbytes for one in more)
        )

    @cached_property
    def layer(self) -> tuple[int, ...]:
        """Which chunks its positions are in."""
        return tuple(place // self._chunk(axis) for axis, place in enumerate(self.index))

    def selection(self, window: tuple[slice, slice]) -> tuple[int | slice, ...]:
        """The selection of the array for a window of samples."""
        parts: list[int | slice] = list(self.index)
        for axis, part, step in zip(self.axes, window, self.steps, strict=True):
            last = min((part.stop - 1) * step + 1, self.level.array.shape[axis])
            parts[axis] = slice(part.start * step, last, step) if step > 1 else slice(part.start, part.stop)
        if self.channel is not None:
            parts[self.channel] = slice(None)
        return tuple(parts)

    def read(
        self,
        window: tuple[slice, slice],
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> AnyArray:
        """The samples of a window: rows down, columns to the right, then RGB if present.

        Args:
            progress: called with how much of a computation is done, 0 to 1.

        Raises:
            ReadCancelledError, Cancelled: ``cancelled`` became true.
            ZarrError: a chunk cannot be read or decoded.
        """
        if self.derivation is not None:
            return self.derivation.read(self, window, cancelled, progress)
        array, shown = self.level.array, [*self.axes, *([] if self.channel is None else [self.channel])]
        sides = [part.stop - part.start for part in window]
        colours = [] if self.channel is None else [array.shape[self.channel]]
        values = np.empty((*sides, *colours), array.dtype)
        # The array's order of axes, not the picture's, so that chunks are decoded into place.
        out = values.transpose([shown.index(axis) for axis in sorted(shown)])
        array.read(self.selection(window), out, cancelled=cancelled)
        return values

    def read_parts(
        self,
        window: Window,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> tuple[AnyArray, tuple[Window, ...], CodecError | None]:
        """Like `read`, but skip chunks that do not decode.

        Returns:
            The samples, 0 where a chunk was skipped; the windows of the skipped chunks; the error of the first.

        Raises:
            CodecError: no chunk decodes; else as `read`.
        """
        try:
            return self.read(window, cancelled, progress), (), None
        except CodecError:  # of any chunk: threads read them
            parts = list(self.chunk_windows(window))
            if len(parts) == 1:
                raise
        found, holes, errors = None, [], list[CodecError]()
        for part in parts:
            try:
                values = self.read(part, cancelled)
            except CodecError as error:
                holes.append(part)
                errors.append(error)
                continue
            if found is None:
                sides = (side.stop - side.start for side in window)
                found = np.zeros((*sides, *values.shape[2:]), values.dtype)
            (top, left) = (one.start - all_.start for one, all_ in zip(part, window, strict=True))
            found[top : top + values.shape[0], left : left + values.shape[1]] = values
        if found is None:
            raise errors[0]
        return found, tuple(holes), errors[0] if errors else None

    def chunk_windows(self, window: Window) -> Iterator[Window]:
        """A window cut at chunk boundaries."""
        sides = []
        for part, axis, step in zip(window, self.axes, self.steps, strict=True):
            length = self._chunk(axis)
            firsts = range(part.start * step // length, (part.stop - 1) * step // length + 1)
            cuts = {min(max(-(-first * length // step), part.start), part.stop) for first in firsts}
            ends = sorted(cuts | {part.start, part.stop})
            sides.append([slice(start, stop) for start, stop in pairwise(ends)])
        yield from ((rows, columns) for rows, columns in product(*sides))

    def _chunk(self, axis: int) -> int:
        return max(1, self.level.array.inner_chunk_shape[axis])

    def _chunks_along(self, tile: Tile) -> Iterator[range]:
        """A number for each chunk that a tile crosses, down and to the right."""
        for side, part in enumerate(self.samples(tile)):
            length, step = self._chunk(self.axes[side]), self.steps[side]
            if step >= length or part.start >= part.stop:
                yield range(
                    part.start, part.stop
                )  # steps longer than a chunk: each sample is in another chunk
            else:
                yield range(part.start * step // length, (part.stop - 1) * step // length + 1)
