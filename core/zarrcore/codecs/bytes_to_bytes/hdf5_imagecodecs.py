"""``hdf5.lzf`` and ``hdf5.szip``: HDF5 filters 32000 and 4, decoded by the package imagecodecs.

Internal names, never written to a store.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import integer, known
from zarrcore.errors import CodecError, UnsupportedError

_MAX_INT = 2**32 - 1
_NEEDS = "needs an optional package: pip install 'zarrscope[hdf5]'"


class _ImagecodecsCodec(BytesToBytesCodec):
    parameters: ClassVar[tuple[str, ...]] = ()

    def __init__(self, configuration: Mapping[str, Any]) -> None:
        known(configuration, *self.parameters)
        self._parameters = {
            name: integer(configuration, name, minimum=0, maximum=_MAX_INT) for name in self.parameters
        }
        try:
            self._module: Any = importlib.import_module("imagecodecs")
        except ImportError as error:
            raise UnsupportedError("codec", self.name, _NEEDS) from error

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls(configuration)

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        try:
            decoded: Buffer = self._decoded(bytes(encoded), max_nbytes)
        except Exception as error:  # each codec of imagecodecs has its own exceptions
            raise CodecError(str(error), codec=self.name) from error
        if len(decoded) > max_nbytes:
            raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
        return decoded

    def _decoded(self, encoded: bytes, max_nbytes: int) -> Any:
        raise NotImplementedError


class Hdf5LzfCodec(_ImagecodecsCodec):
    """LZF without a header."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.lzf",)

    def _decoded(self, encoded: bytes, max_nbytes: int) -> Any:
        return self._module.lzf_decode(encoded, header=False, out=max_nbytes)


class Hdf5SzipCodec(_ImagecodecsCodec):
    """Extended Rice coding, after the decoded size."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.szip",)
    parameters = ("mask", "pixels_per_block", "bits_per_pixel", "pixels_per_scanline")

    def _decoded(self, encoded: bytes, max_nbytes: int) -> Any:
        if encoded[:8] == b"\xff" * 8:  # the filter was skipped for this chunk
            return encoded[8:]
        if int.from_bytes(encoded[:4], "little") > max_nbytes:
            raise ValueError(f"more than the {max_nbytes:,} bytes expected")
        p = self._parameters
        return self._module.szip_decode(
            encoded,
            p["mask"],
            p["pixels_per_block"],
            p["bits_per_pixel"],
            p["pixels_per_scanline"],
            header=True,
        )
