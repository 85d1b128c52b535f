"""``hdf5.virtual``: a chunk of a virtual dataset of HDF5, as the encoded chunks that its elements come from.

An internal name, never written to a store. A chunk is the number of bytes of a JSON document (8 bytes, little-endian), the
document, and the parts one after another. ``sources`` are the metadata of the arrays that the parts are chunks of. Each of
``parts`` has the number of its source, its bytes (``null`` if the source has no such chunk), and the indices of its elements
along each dimension: there, and here. Indices are ``[start, step, number]`` or ``{"at": […]}``. All other elements have the
fill value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar, Final, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import parse_fill_value
from zarrcore.metadata.named_configuration import parse_named_configuration
from zarrcore.typing import AnyArray

_MAX_ENCODED: Final = (1 << 28) + (1 << 20)
_MAX_DECODED: Final = 1 << 33
"""The most bytes that all parts of a chunk may have when they are decoded one after another."""
_MAX_PART: Final = 1 << 30
_KEPT_SOURCES: Final = 64
_BROKEN: Final = (
    ValueError,
    LookupError,
    TypeError,
    ArithmeticError,
    AttributeError,
    RecursionError,
    MemoryError,
)


class Hdf5VirtualCodec(ArrayToBytesCodec):
    """Elements from the chunks of other arrays."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.virtual",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration)
        return cls()

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        return _MAX_ENCODED

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        view = memoryview(encoded)
        try:
            after = 8 + int.from_bytes(view[:8], "little")
            document = json.loads(bytes(view[8:after]))
            sources = [_source(json.dumps(source)) for source in document["sources"]]
            parts = document["parts"]
            decoded_nbytes = sum(sources[part[0]].nbytes for part in parts)
        except _BROKEN as error:
            raise CodecError("the head of a chunk is broken", codec=self.name) from error
        if decoded_nbytes > _MAX_DECODED:
            raise CodecError(f"the parts of a chunk have {decoded_nbytes:,} bytes", codec=self.name)
        result = np.empty(spec.shape, spec.dtype)
        result[...] = spec.fill_value
        for part in parts:
            try:
                number, nbytes, there, here = part
                data = None if nbytes is None else view[after : after + nbytes]
                after += nbytes or 0
                elements = sources[number].elements(data)
                _put(result, _selected(result, here), elements, _selected(elements, there))
            except _BROKEN as error:
                raise CodecError(f"a part of a chunk is broken: {error}", codec=self.name) from error
        return result


class _Source:
    """The array that a part is a chunk of."""

    def __init__(self, document: Any) -> None:
        data_type = parse_data_type(document["data_type"])
        shape = tuple(int(length) for length in document["shape"])
        if any(length < 0 for length in shape) or math.prod(shape) * data_type.dtype.itemsize > _MAX_PART:
            raise ValueError("a part is too large")
        self._spec = ArraySpec(shape, data_type.dtype, parse_fill_value(document["fill_value"], data_type))
        self._codecs = [
            parse_named_configuration(codec, f"codecs[{i}]") for i, codec in enumerate(document["codecs"])
        ]
        self.nbytes = self._spec.nbytes
        self._pipeline: Any = None

    def elements(self, data: memoryview | None) -> AnyArray:
        """The elements of a chunk; those of one that is not stored have the fill value."""
        from zarrcore.codecs.pipeline import Pipeline  # which imports the codecs

        if data is None:
            filled: AnyArray = np.broadcast_to(self._spec.fill_value, self._spec.shape)
            return filled
        if self._pipeline is None:
            self._pipeline = Pipeline(self._codecs, self._spec)
        found: AnyArray = self._pipeline.decode(data)
        return found


@lru_cache(_KEPT_SOURCES)
def _source(document: str) -> _Source:
    """A source by its metadata: most chunks have parts of the same few kinds."""
    return _Source(json.loads(document))


def _selected(array: AnyArray, indices: list[Any]) -> Any:
    """An index of elements: slices, or arrays of indices if one dimension needs them."""
    told: list[Any] = []
    for index, length in zip(indices, array.shape, strict=False):
        if isinstance(index, dict):
            told.append(np.array(index["at"], np.intp))
            first, last = int(told[-1].min()), int(told[-1].max())
        else:
            first, step, number = index
            if step < 1 or number < 1:
                raise ValueError("a step is not positive")
            last = first + (number - 1) * step
            told.append(slice(first, last + 1, step))
        if first < 0 or last >= length:
            raise IndexError("an index is outside")
    if all(isinstance(index, slice) for index in told):
        return tuple(told)
    lists = [
        np.arange(index.start, index.stop, index.step) if isinstance(index, slice) else index
        for index in told
    ]
    return np.ix_(*lists)


def _put(target: AnyArray, here: Any, source: AnyArray, there: Any) -> None:
    elements = source[there].reshape(target[here].shape)
    target[here] = converted(elements, target.dtype)


def converted(elements: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """Numbers in another type, as HDF5 converts them: those out of range become the nearest in range.

    Raises:
        ValueError: HDF5 does not, or does so in its own way.

    >>> converted(np.array([-1, 300]), np.dtype("u1")).tolist()
    [0, 255]
    """
    found = elements.dtype
    if found == dtype or found.newbyteorder("=") == dtype.newbyteorder("="):
        return elements
    if found.kind in "iu" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        low, high = max(limits.min, np.iinfo(found).min), min(limits.max, np.iinfo(found).max)
        clipped: AnyArray = np.clip(elements, low, high).astype(dtype)
        return clipped
    if found.kind in "iuf" and dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            rounded: AnyArray = elements.astype(dtype)
        return rounded
    raise ValueError(f"its source has the type {found}")
