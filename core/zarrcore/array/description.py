"""The properties of an array, named as in NumPy and in the specification."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from zarrcore.array.encoding import elements_version
from zarrcore.metadata import ArrayMetadata, DataType, NamedConfiguration


class ArrayDescription:
    """The properties of an array that follow from its metadata.

    Attributes:
        metadata: the metadata in the array's document.
    """

    metadata: ArrayMetadata

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each dimension."""
        return self.metadata.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements in memory, little-endian."""
        return self.metadata.data_type.dtype

    @property
    def data_type(self) -> DataType:
        """Type of the elements by its Zarr v3 name."""
        return self.metadata.data_type

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.metadata.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.metadata.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, decoded."""
        return self.size * self.itemsize

    @property
    def version(self) -> str:
        """A text that changes whenever the metadata change, except for the attributes."""
        return elements_version(self.metadata)

    @property
    def chunk_shape(self) -> tuple[int, ...]:
        """Elements per dimension of a chunk (of a shard if chunks are shards); of the largest if they differ."""
        return self.metadata.chunk_grid.chunk_shape

    @property
    def chunk_grid_shape(self) -> tuple[int, ...]:
        """Chunks per dimension."""
        return self.metadata.chunk_grid.grid_shape(self.shape)

    @property
    def fill_value(self) -> Any:
        """The value of elements of missing chunks, a NumPy scalar."""
        return self.metadata.fill_value[()]

    @property
    def dimension_names(self) -> tuple[str | None, ...] | None:
        """A name per dimension, or None if no dimension is named."""
        return self.metadata.dimension_names

    @property
    def codecs(self) -> tuple[NamedConfiguration, ...]:
        """The codecs in the order of encoding, in Zarr v3 terms."""
        return self.metadata.codecs

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The user's attributes."""
        return self.metadata.attributes
