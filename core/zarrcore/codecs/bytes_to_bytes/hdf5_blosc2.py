"""``hdf5.blosc2``: HDF5 filter 32026, a contiguous frame of Blosc2, decoded by the package blosc2.

An internal name, never written to a store. The frame is a sequence of chunks, or an array of several dimensions.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import known
from zarrcore.errors import CodecError, UnsupportedError

_SMALL_NBYTES = 1 << 20
_NEEDS = "needs an optional package: pip install 'zarrscope[hdf5]'"


class Hdf5Blosc2Codec(BytesToBytesCodec):
    """A contiguous frame of Blosc2."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.blosc2",)

    def __init__(self) -> None:
        try:
            self._module: Any = importlib.import_module("blosc2")
        except ImportError as error:
            raise UnsupportedError("codec", self.name, _NEEDS) from error

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration)
        return cls()

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        try:
            return self._decoded(bytes(encoded), max_nbytes)
        except (RuntimeError, ValueError, TypeError, KeyError) as error:
            if isinstance(error, CodecError):
                raise
            raise CodecError(str(error), codec=self.name) from error

    def _decoded(self, encoded: bytes, max_nbytes: int) -> Buffer:
        frame = self._module.schunk_from_cframe(encoded, copy=False)
        array = self._module.ndarray_from_cframe(encoded, copy=False) if "b2nd" in frame.meta else None
        nbytes = frame.nbytes if array is None else math.prod(array.shape) * array.dtype.itemsize
        # Chunks of arrays are decoded as a whole. They are filled up to whole blocks along each dimension.
        is_padded = array is not None and frame.chunksize > max(_SMALL_NBYTES, max_nbytes << array.ndim)
        if nbytes > max_nbytes or is_padded:
            raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
        if array is not None:
            decoded: bytes = array[...].tobytes()
            return decoded
        whole = bytearray(nbytes)
        for place in range(frame.nchunks):
            start = place * frame.chunksize
            frame.decompress_chunk(place, memoryview(whole)[start : start + frame.chunksize])
        return whole
