"""Arrays of layers: parts of an array that are read when NumPy asks for the elements.

napari selects in two steps, first the visible region with all positions of the sliders, then one position. So a selection
must not read.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from zarrcore.errors import ReadOnlyError, SelectionError
from zarrcore.typing import AnyArray


class Source(Protocol):
    """An array to read from: one of a hierarchy, or several side by side."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def read(self, selection: Any) -> AnyArray: ...


@dataclass(frozen=True, slots=True)
class Conversion:
    """What becomes of elements before napari gets them."""

    dtype: np.dtype[Any]
    """The type of the elements after it."""
    apply: Callable[[AnyArray], AnyArray]


class LazyArray:
    """A part of an array.

    Indexing with integers and slices returns a smaller part and reads nothing; ``numpy.asarray`` reads.

    Args:
        source: the array.
        conversion: is applied to elements that are read; None if they stay as they are.
        chunk_shape: the shape of the source's chunks; None if they differ.
        parts: the positions along each dimension of the source; by default all.
    """

    def __init__(
        self,
        source: Source,
        conversion: Conversion | None = None,
        chunk_shape: tuple[int, ...] | None = None,
        parts: tuple[range | int, ...] | None = None,
    ) -> None:
        self._source = source
        self._conversion = conversion
        self._chunk_shape = chunk_shape
        self._parts = parts if parts is not None else tuple(map(range, source.shape))
        self.shape = tuple(len(part) for part in self._parts if isinstance(part, range))
        self.dtype = conversion.dtype if conversion is not None else source.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """The shape of the chunks; None if they differ, or if this part does not begin with a whole one."""
        if self._chunk_shape is None:
            return None
        found = []
        for part, length, whole in zip(self._parts, self._chunk_shape, self._source.shape, strict=True):
            if isinstance(part, range):
                if part != range(whole):
                    return None
                found.append(length)
        return tuple(found)

    def __getitem__(self, key: Any) -> LazyArray:
        """A part of this part.

        Raises:
            SelectionError: something else than integers, slices and ``...``, or a position outside.
        """
        keys = list(key) if isinstance(key, tuple) else [key]
        if not all(isinstance(one, slice) or one is ... or _is_integer(one) for one in keys):
            raise SelectionError(
                "layers of zarrscope are selected by integers and slices: use numpy.asarray first"
            )
        if ... in keys:
            place = keys.index(...)
            keys[place : place + 1] = [slice(None)] * (self.ndim - len(keys) + 1)
        if len(keys) > self.ndim or ... in keys:
            raise SelectionError(f"{len(keys)} indices for {self.ndim} dimensions")
        left = iter([*keys, *[slice(None)] * (self.ndim - len(keys))])
        try:
            parts = tuple(part[next(left)] if isinstance(part, range) else part for part in self._parts)
        except IndexError:
            raise SelectionError(f"{key} is outside an array of shape {self.shape}") from None
        return LazyArray(self._source, self._conversion, self._chunk_shape, parts)

    def __setitem__(self, key: Any, value: Any) -> None:
        raise ReadOnlyError(
            "layers of zarrscope are read-only: make a layer of numpy.asarray(layer.data) to edit it"
        )

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single element has no length")
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """The elements.

        Raises:
            CodecError: a chunk does not decode.
            StoreError: the store failed.
        """
        if copy is False:
            raise ValueError("elements of a store are always copied")
        found = self._source.read(
            tuple(part if isinstance(part, int) else _slice(part) for part in self._parts)
        )
        if self._conversion is not None:
            found = np.asarray(self._conversion.apply(found))  # of one element, NumPy makes a scalar
        return found if dtype is None else found.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<LazyArray {self.shape} {self.dtype}>"


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _slice(part: range) -> slice:
    """The slice that selects the positions of a range."""
    if not part:
        return slice(0, 0)
    stop = part[-1] + (1 if part.step > 0 else -1)
    return slice(part[0], None if stop < 0 else stop, part.step)
