"""Checksums of an array's elements: the same for every chunking, codec, format and store.

Hashed are, in this order: a header, which is a JSON object of the members ``data_type`` and ``shape``, with sorted names and
without spaces, followed by a line break; then the elements in C order, as the little-endian bytes that NumPy has for them. An
element of variable length is hashed as the number of its bytes, in 8 little-endian bytes, and its bytes; text is UTF-8.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, Protocol

import numpy as np
import xxhash

from zarrcore.array import Array
from zarrcore.errors import UnsupportedError
from zarrcore.metadata.data_type import usual_document
from zarrcore.metadata.data_type.interface import with_byte_order
from zarrcore.operations.copy.blocks import Box
from zarrcore.operations.parallel import in_parallel
from zarrcore.typing import AnyArray

DEFAULT_MEMORY_NBYTES: Final = 512 << 20
_SLAB_NBYTES: Final = 64 << 20
"""The bytes that are read at once, if rows of chunks are not larger."""
_AHEAD: Final = 3
"""Parts in memory while the next ones are read and one is hashed."""

Progress = Callable[[int], None]
"""Called with the number of bytes hashed so far."""


class Digest(Protocol):
    """The interface of `hashlib`."""

    def update(self, data: Any, /) -> None: ...
    def hexdigest(self) -> str: ...


ALGORITHMS: Final[dict[str, Callable[[], Digest]]] = {"sha256": hashlib.sha256, "xxh128": xxhash.xxh128}
"""The hash functions by name. Their digests differ in length, so that a list of checksums needs not name the function."""


def checksum(
    array: Array,
    algorithm: str = "sha256",
    memory_nbytes: int = DEFAULT_MEMORY_NBYTES,
    progress: Progress | None = None,
) -> str:
    """The checksum of an array, hexadecimal.

    Args:
        array: the array.
        algorithm: a name of `ALGORITHMS`.
        memory_nbytes: memory for decoded elements. If a row of chunks along the first dimension does not fit, each of its chunks
            is decoded several times.
        progress: called after each part.

    Raises:
        CodecError: a chunk does not decode.
        StoreError: the store failed.
        UnsupportedError: an unknown algorithm, or a data type whose elements have no fixed form.

    >>> import zarrcore
    >>> array = zarrcore.create("memory://checksum").create_array("/x", shape=(2, 3), dtype="int16")
    >>> checksum(array) == hashlib.sha256(b'{"data_type":"int16","shape":[2,3]}\\n' + bytes(12)).hexdigest()
    True
    """
    if algorithm not in ALGORITHMS:
        raise UnsupportedError("algorithm", algorithm, f"is unknown; known are {', '.join(ALGORITHMS)}")
    digest = ALGORITHMS[algorithm]()
    digest.update(header(array))
    done = 0
    for values in _parts(array, memory_nbytes):
        for part in hashed_bytes(values):
            digest.update(part)
        done += values.nbytes
        if progress is not None:
            progress(done)
    return digest.hexdigest()


def _parts(array: Array, memory_nbytes: int) -> Iterator[AnyArray]:
    """The elements in C order, in parts of one or more whole rows of chunks if these fit in memory."""
    read = partial(_read, array)
    memory_nbytes = min(memory_nbytes, _AHEAD * array.most_nbytes)
    fair = memory_nbytes // _AHEAD
    row = row_nbytes(array, fair)
    if row > fair:
        yield from map(read, slabs(array, memory_nbytes))
    else:
        # The next part is read while one is hashed.
        yield from in_parallel(read, slabs(array, min(fair, max(row, _SLAB_NBYTES))), 1)


def header(array: Array) -> bytes:
    """What is hashed before the elements.

    >>> import zarrcore
    >>> header(zarrcore.create("memory://header").create_array("/x", shape=(2, 3), dtype=">i2"))
    b'{"data_type":"int16","shape":[2,3]}\\n'
    """
    told = {"data_type": usual_document(array.data_type), "shape": list(array.shape)}
    return json.dumps(told, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def hashed_bytes(values: AnyArray) -> Iterator[Any]:
    """The bytes of elements, in C order."""
    if values.dtype.kind == "T":
        yield from (_with_length(element.encode("utf-8", "surrogatepass")) for element in values.flat)
    elif values.dtype.kind == "O":
        yield from (_with_length(_object_bytes(element)) for element in values.flat)
    elif values.dtype.names is not None and values.dtype.hasobject:
        flat = values.reshape(-1)
        for number in range(len(flat)):
            for name in values.dtype.names:
                yield from hashed_bytes(flat[number : number + 1][name])
    else:
        little = np.ascontiguousarray(values.astype(with_byte_order(values.dtype, "<"), copy=False))
        yield little.reshape(-1).view("u1")


def _with_length(data: bytes) -> bytes:
    return struct.pack("<Q", len(data)) + data


def _object_bytes(element: Any) -> bytes:
    """An element of variable length: bytes, text of a structure, or a list of numbers."""
    if isinstance(element, np.ndarray):
        return b"".join(map(bytes, hashed_bytes(element)))
    if isinstance(element, str):
        return element.encode("utf-8", "surrogatepass")
    if isinstance(element, bytes | bytearray | memoryview):
        return bytes(element)
    raise UnsupportedError("data type", type(element).__name__, "has no checksum")


def _read(array: Array, box: Box) -> AnyArray:
    return array.read(box or ...)


def row_nbytes(array: Array, limit_nbytes: int) -> int:
    """The bytes of a row of chunks: along the first dimension, or along the first of which one place fits into the limit."""
    itemsize = max(1, array.itemsize)
    for axis, (length, unit) in enumerate(zip(array.shape, array.inner_chunk_shape, strict=True)):
        below = math.prod(array.shape[axis + 1 :]) * itemsize
        if below <= limit_nbytes:
            return min(length, unit) * below
    return itemsize


def slabs(array: Array, limit_nbytes: int) -> Iterator[Box]:
    """Parts of an array that follow one another in C order, each of at most ``limit_nbytes`` or of one element.

    They end at the ends of chunks along a dimension if the limit allows that.
    """
    return _slabs((), array.shape, array.inner_chunk_shape, max(1, limit_nbytes // max(1, array.itemsize)))


def _slabs(above: Box, shape: tuple[int, ...], unit: tuple[int, ...], limit: int) -> Iterator[Box]:
    """The parts at one place of the dimensions ``above``."""
    axis = len(above)
    if axis == len(shape):
        yield above
        return
    below = math.prod(shape[axis + 1 :])
    if not below:
        return
    if below > limit:
        for place in range(shape[axis]):
            yield from _slabs((*above, slice(place, place + 1)), shape, unit, limit)
        return
    step = limit // below
    if step >= unit[axis]:
        step -= step % unit[axis]
    rest = tuple(slice(0, length) for length in shape[axis + 1 :])
    for start in range(0, shape[axis], step):
        yield (*above, slice(start, min(start + step, shape[axis])), *rest)
