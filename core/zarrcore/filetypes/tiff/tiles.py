"""The elements of an array in the order of a tiled file: plane by plane, tile by tile.

All tiles have one size, which is computed from metadata; padding at the edges is zero. They are whole chunks,
or whole parts or multiples of chunks, if that gives a size that suits readers. A plane that fits into one tile is
one strip instead, without padding: a pyramid's last level may have three pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from zarrcore.array import Array, Selection
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.body import ArrayBody
from zarrcore.filetypes.plan import Box, BoxPlan, BytesPlan, ElementBytes, WrappedPlan
from zarrcore.filetypes.raw import RawFile
from zarrcore.filetypes.tiff.axes import axis_letters
from zarrcore.metadata.chunk_grid import RegularChunkGrid
from zarrcore.typing import AnyArray

_SIDES: Final = range(256, 1025, 16)
"""Lengths of tiles; TIFF requires multiples of 16 (TIFF 6.0, section 15)."""
_SIDE: Final = 512


class TilesFile(RawFile):
    """The tiles of all planes.

    Args:
        array: the array.
        selection: the selection.
        names: names of the array's dimensions to use instead of its own.
        letters: the letter of each dimension of the selection, ``Y`` and ``X`` among them, and ``S`` only as the last; other
            texts are dimensions outside a plane. By default, they follow from the names.
        has_strips: whether a plane that fits into one tile is a strip.

    Raises:
        UnsupportedError: there are more dimensions than images have, or no elements.
    """

    suffix = "tiff"
    body: TiledBody

    def __init__(
        self,
        array: Array,
        selection: Selection = ...,
        names: Sequence[str | None] | None = None,
        letters: Sequence[str] | None = None,
        *,
        has_strips: bool = True,
    ) -> None:
        super().__init__(array, selection)
        self._layout = names, letters, has_strips
        self.body = TiledBody(array, selection, *self._layout)
        self.size = self.body.nbytes

    def _with_array(self, array: Array) -> TilesFile:
        names, letters, has_strips = self._layout
        return TilesFile(array, self._selection, names, letters, has_strips=has_strips)


class TiledBody(ArrayBody):
    """The bytes of the tiles.

    Attributes:
        letters: the letter of each dimension.
        planes: the length of each dimension outside a plane, slowest first.
        height, width, samples: the shape of a plane.
        tile: height and width of a tile.
        grid: rows and columns of tiles in a plane.
        plane_nbytes: bytes of all tiles of a plane.
    """

    def __init__(
        self,
        array: Array,
        selection: Selection,
        names: Sequence[str | None] | None,
        letters: Sequence[str] | None = None,
        has_strips: bool = True,
    ) -> None:
        super().__init__(array, selection)
        if 0 in self.shape:
            raise UnsupportedError("shape", str(self.shape), "has no planes to write as pages")
        if names is not None:
            self.dimension_names = tuple(names[axis] for axis in self.kept)
        self.letters = letters or axis_letters(self.shape, array.dtype, self.dimension_names)
        lengths = dict(zip(self.letters, self.shape, strict=True))
        chunks = dict(zip(self.letters, self.chunk_shape, strict=True))
        self.planes = {letter: length for letter, length in lengths.items() if letter not in "YXS"}
        self.height, self.width, self.samples = (lengths.get(letter, 1) for letter in "YXS")
        self.tile = _tile(
            (self.height, self.width), (chunks.get("Y", 1), chunks.get("X", 1)), has_strips=has_strips
        )
        self.grid = -(-self.height // self.tile[0]), -(-self.width // self.tile[1])
        self._in_order = (*self.planes.values(), *self.grid, *self.tile, self.samples)
        self.plane_nbytes = math.prod((*self.grid, *self.tile, self.samples)) * array.itemsize
        self.nbytes = math.prod(self._in_order) * array.itemsize
        self.slab_nbytes = self._slab_nbytes()

    @property
    def is_strip(self) -> bool:
        """Whether a plane is one run of elements without padding."""
        return self.tile == (self.height, self.width)

    @property
    def tile_nbytes(self) -> int:
        """Bytes of one tile."""
        return math.prod((*self.tile, self.samples)) * self.array.itemsize

    def plan(self, offset: int, nbytes: int) -> BytesPlan:
        return ElementBytes(self._in_order, self.array.dtype, offset, nbytes, self._plan_tiles)

    def _plan_tiles(self, box: Box) -> BoxPlan:
        region = self._region(box)
        rows, columns = region["Y"], region["X"]
        is_outside = rows[0] >= rows[1] or columns[0] >= columns[1]
        plan = None if is_outside else self.plan_box(tuple(region[letter] for letter in self.letters))
        return _TilesBox(self.letters, [*self.planes], (rows[1] - rows[0], columns[1] - columns[0]), plan)

    def _region(self, box: Box) -> dict[str, tuple[int, int]]:
        """The region of the planes in a box of tiles; several tiles always have all of their rows and columns.

        The region has rows, columns and samples even if the array has no such dimension. It may be empty.
        """
        *planes, rows, columns, y, x, samples = box
        region = dict(zip(self.planes, planes, strict=True))
        for letter, (first, last), (start, stop), side, length in (
            ("Y", rows, y, self.tile[0], self.height),
            ("X", columns, x, self.tile[1], self.width),
        ):
            begin = first * side + start
            region[letter] = begin, max(begin, min(length, (last - 1) * side + stop))
        region["S"] = samples
        return region

    def _slab_nbytes(self) -> int:
        """Bytes from one row of chunks to the next, skipping leading dimensions whose chunks have length 1."""
        if not isinstance(self.array.metadata.chunk_grid, RegularChunkGrid):
            return 0
        chunks = dict(zip(self.letters, self.chunk_shape, strict=True))
        rows = math.lcm(chunks.get("Y", 1), self.tile[0]) // self.tile[0]
        nbytes, before = self.nbytes, 1
        for count, length in (
            *((count, chunks[letter]) for letter, count in self.planes.items()),
            (self.grid[0], rows),
        ):
            nbytes //= count
            if length > 1:
                return nbytes * (min(length, count) if before == 1 or count % length == 0 else count)
            before *= count
        return nbytes


class _TilesBox(WrappedPlan):
    """A box of tiles, read as a region of their planes.

    Args:
        letters: the letters of the array's dimensions.
        planes: those outside a plane, slowest first.
        inside: rows and columns of the region within the planes.
        plan: reads these; None if there are none.
    """

    __slots__ = ("_inside", "_letters", "_planes")

    def __init__(
        self, letters: Sequence[str], planes: Sequence[str], inside: tuple[int, int], plan: BoxPlan | None
    ) -> None:
        super().__init__(plan)
        self._letters = letters
        self._planes = planes
        self._inside = inside

    def read_into(self, out: AnyArray) -> None:
        *planes, rows, columns, y, x, samples = out.shape
        if columns == 1:
            self._read_planes(out.reshape(*planes, rows * y, x, samples))
            return
        # Rows of elements cross all tiles: reading each tile separately would make one request after another.
        joined = np.empty((*planes, rows * y, columns * x, samples), out.dtype)
        self._read_planes(joined)
        out[...] = joined.reshape(*planes, rows, y, columns, x, samples).swapaxes(-4, -3)

    def _read_planes(self, out: AnyArray) -> None:
        """Read the region into the first rows and columns of planes, and set the others to zero."""
        height, width = self._inside
        out[..., height:, :, :] = 0
        out[..., :height, width:, :] = 0
        if self._plan is None:
            return
        order = [*self._planes, *"YXS"]
        inside = out[..., :height, :width, :]
        inside = inside[(*(slice(None) if letter in self._letters else 0 for letter in order), ...)]
        present = [letter for letter in order if letter in self._letters]
        self._plan.read_into(inside.transpose([present.index(letter) for letter in self._letters]))


def _tile(plane: tuple[int, int], chunk: tuple[int, int], *, has_strips: bool = True) -> tuple[int, int]:
    """Height and width of a plane's tiles; those of a plane that fits into one tile if it is a strip.

    >>> _tile((5000, 5000), (256, 1000)), _tile((5000, 5000), (64, 100)), _tile((5000, 20), (2048, 1)), _tile((30, 30), (8, 8))
    ((256, 512), (256, 400), (1024, 32), (30, 30))
    >>> _tile((30, 30), (8, 8), has_strips=False)
    (32, 32)
    >>> _tile((600, 3000), (600, 512))  # whole columns of chunks, rounded up to a multiple of 16
    (608, 512)
    """
    sides = [
        max(length if length <= of_chunk <= _SIDES[-1] else 0, _side(of_chunk))
        for length, of_chunk in zip(plane, chunk, strict=True)
    ]
    if has_strips and plane[0] <= sides[0] and plane[1] <= sides[1]:
        return plane
    height, width = (-(-min(side, length) // 16) * 16 for side, length in zip(sides, plane, strict=True))
    return height, width


def _side(chunk: int) -> int:
    """A length of tiles: that of a chunk, or a part or a multiple of it; if none fits, the usual one."""
    fitting = [side for side in _SIDES if side % chunk == 0 or chunk % side == 0]
    return min(fitting, key=lambda side: abs(side - chunk), default=_SIDE)
