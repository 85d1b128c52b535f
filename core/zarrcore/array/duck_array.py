"""What other libraries ask of an array: NumPy, Dask, xarray, and those that take DLPack. There is no arithmetic."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, Final

import numpy as np

from zarrcore.array.description import ArrayDescription
from zarrcore.display import Pictured
from zarrcore.metadata import ChunkAxis, RegularAxis, RegularChunkGrid
from zarrcore.typing import AnyArray

_LENGTHS_MAX: Final = 1 << 20
"""Chunks of a dimension whose lengths are listed: a document of a few bytes can describe 10¹² of them."""


class DuckArray(ArrayDescription, Pictured):
    """An array as others see it. Each use reads it: nothing is kept in memory."""

    device: Final = "cpu"
    """Where elements are read to, as the array API standard names it."""

    @property
    @abstractmethod
    def inner_chunk_shape(self) -> tuple[int, ...]:
        """Elements per dimension of a unit of decoding: the innermost chunk of a shard, else the chunk."""

    @abstractmethod
    def read(self) -> AnyArray:
        """All elements."""

    @property
    def chunks(self) -> tuple[int | tuple[int, ...], ...]:
        """The chunks to read by, as Dask, h5py and zarr-python name them; of shards, the chunks inside.

        An integer per dimension. Where chunks differ in length, the length of each instead, as in Dask.
        """
        units = self.inner_chunk_shape
        grid = self.metadata.chunk_grid
        if self.shards is not None or isinstance(grid, RegularChunkGrid):
            return units
        axes = zip(grid.axes, self.shape, units, strict=True)
        return tuple(_lengths(axis, extent) or unit for axis, extent, unit in axes)

    @property
    def shards(self) -> tuple[int, ...] | None:
        """The shape of shards, which are written as a whole, as zarr-python names it; None if there are none."""
        return None if self.inner_chunk_shape == self.chunk_shape else self.chunk_shape

    @property
    def nchunks(self) -> int:
        """The number of `chunks`, stored or not, as zarr-python counts them."""
        if self.shards is None:
            return math.prod(self.chunk_grid_shape)
        units = zip(self.shape, self.inner_chunk_shape, strict=True)
        return math.prod(-(-length // unit) for length, unit in units)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        if copy is False:
            raise ValueError("an array in a store cannot be converted without a copy")
        result = self.read()
        return result if dtype is None else result.astype(dtype, copy=False)

    def __dlpack__(self, *, copy: bool | None = None, **options: Any) -> Any:
        """All elements, read into memory, for ``from_dlpack`` of NumPy and other libraries.

        Raises:
            BufferError: a copy is not allowed, or DLPack does not have this type.
            Else as `read`.
        """
        if copy is False:
            raise BufferError("an array in a store cannot be exported without a copy")
        np.empty(
            0, self.dtype
        ).__dlpack__()  # a type that DLPack does not have is refused before anything is read
        return self.read().__dlpack__(**{name: value for name, value in options.items() if value is not None})

    def __dlpack_device__(self) -> tuple[int, int]:
        """The memory of the processor."""
        return np.empty(0).__dlpack_device__()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array of 0 dimensions has no length")
        return self.shape[0]


def _lengths(axis: ChunkAxis, extent: int) -> tuple[int, ...] | None:
    """The lengths of chunks that differ, within the array; None if there are too many, or they are all the same."""
    if isinstance(axis, RegularAxis) or axis.count(extent) > _LENGTHS_MAX:
        return None
    places = (axis.place(index) for index in range(axis.count(extent)))
    return tuple(min(length, extent - first) for first, length in places)
