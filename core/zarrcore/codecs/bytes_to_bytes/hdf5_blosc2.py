"""``hdf5.blosc2``: HDF5 filter 32026, a contiguous frame of Blosc2, decoded by the package blosc2.

An internal name, never written to a store. The frame is a sequence of chunks, or an array of several dimensions. imagecodecs
registers frames of arrays with numcodecs as ``imagecodecs_b2nd``, which is ``numcodecs.imagecodecs_b2nd`` here, because it is an
array → bytes codec in Zarr v3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.codecs.optional_package import optional_package
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError
from zarrcore.typing import AnyArray

_SMALL_NBYTES = 1 << 20
_HEADER_NBYTES = 32
_UNINITIALIZED = 4
B2ND_PARAMETERS = ("level", "compressor", "shuffle", "chunkshape", "blockshape", "numthreads")
"""The parameters of ``imagecodecs_b2nd``, which only encoders use."""


class Hdf5Blosc2Codec(BytesToBytesCodec):
    """A contiguous frame of Blosc2."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.blosc2",)

    def __init__(self) -> None:
        self._module: Any = optional_package("blosc2", self.name, "hdf5")

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "is_array")  # for references
        return cls()

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        try:
            return self._decoded(bytes(encoded), max_nbytes)
        except (RuntimeError, ValueError, TypeError, KeyError) as error:
            if isinstance(error, CodecError):
                raise
            raise CodecError(str(error), codec=self.name) from error

    def _decoded(self, encoded: bytes, max_nbytes: int) -> Buffer:
        array = array_of_frame(self._module, encoded, max_nbytes, self.name)
        if array is not None:
            decoded: bytes = array.tobytes()
            return decoded
        frame = self._module.schunk_from_cframe(encoded, copy=False)
        if frame.nbytes > max_nbytes:
            raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
        whole = bytearray(frame.nbytes)
        for place in range(frame.nchunks):
            _check_chunk(frame, place, self.name)
            start = place * frame.chunksize
            frame.decompress_chunk(place, memoryview(whole)[start : start + frame.chunksize])
        return whole


class ImagecodecsB2ndCodec(Hdf5Blosc2Codec):
    """A contiguous frame of Blosc2 that holds an array, whose type and shape do not matter."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.imagecodecs_b2nd",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, *B2ND_PARAMETERS)
        return cls()


def array_of_frame(module: Any, encoded: bytes, max_nbytes: int, name: str) -> AnyArray | None:
    """The array in a frame; None if it is a sequence of chunks.

    Args:
        module: the package blosc2, whose own exceptions are passed on.
        encoded: the frame.
        max_nbytes: the most bytes that are decoded.
        name: the codec, for errors.

    Raises:
        CodecError: the array is larger, or a chunk never got elements.
    """
    frame = module.schunk_from_cframe(encoded, copy=False)
    if "b2nd" not in frame.meta:
        return None
    array = module.ndarray_from_cframe(encoded, copy=False)
    # Chunks of arrays are decoded as a whole. They are filled up to whole blocks along each dimension.
    is_padded = frame.chunksize > max(_SMALL_NBYTES, max_nbytes << array.ndim)
    if (
        math.prod(array.shape) * array.dtype.itemsize > max_nbytes or is_padded
    ):  # older releases: size is in bytes
        raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=name)
    for place in range(frame.nchunks):
        _check_chunk(frame, place, name)
    return np.asarray(array[...])


def _check_chunk(frame: Any, place: int, name: str) -> None:
    """Refuse a chunk without elements: decoding it gives what the memory held before.

    The format of chunks of Blosc2, "Header": bits 4 to 6 of the last byte of an extended header.
    """
    header = frame.get_lazychunk(place)[:_HEADER_NBYTES]
    if len(header) == _HEADER_NBYTES and header[-1] >> 4 & 7 == _UNINITIALIZED:
        raise CodecError("a chunk of its frame never got elements", codec=name)
