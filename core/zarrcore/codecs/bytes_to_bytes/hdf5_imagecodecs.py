"""``hdf5.lzf`` and ``hdf5.szip``: HDF5 filters 32000 and 4, decoded by the package imagecodecs.

Internal names, never written to a store.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import Buffer, BytesToBytesCodec
from zarrcore.codecs.optional_package import failure, optional_package
from zarrcore.codecs.parameters import integer, known
from zarrcore.errors import CodecError, MetadataError

_MAX_INT = 2**32 - 1
SKIPPED = b"\xff" * 8
"""A size that no chunk has: what follows was not encoded by szip."""
_MSB, _NEAREST_NEIGHBOUR = 16, 32  # options of szip
_AEC_MSB, _AEC_PREPROCESS = 4, 8  # the same in the library of imagecodecs
_ALLOWED = {
    "pixels_per_block": range(2, 33, 2),
    "bits_per_pixel": (*range(1, 25), 32, 64),
    "pixels_per_scanline": range(1, 4097),
}
_LEAST_BLOCK = 8


class _ImagecodecsCodec(BytesToBytesCodec):
    parameters: ClassVar[tuple[str, ...]] = ()

    def __init__(self, configuration: Mapping[str, Any]) -> None:
        known(configuration, *self.parameters)
        self._parameters = {
            name: integer(configuration, name, minimum=0, maximum=_MAX_INT) for name in self.parameters
        }
        self._module: Any = optional_package("imagecodecs", self.name, "hdf5")

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls(configuration)

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        try:
            decoded: Buffer = self._decoded(bytes(encoded), max_nbytes)
        except Exception as error:
            raise failure(error, self.name) from error
        if len(decoded) > max_nbytes:
            raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec=self.name)
        return decoded

    @abstractmethod
    def _decoded(self, encoded: bytes, max_nbytes: int) -> Any:
        """The decoded bytes."""


class Hdf5LzfCodec(_ImagecodecsCodec):
    """LZF without a header."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.lzf",)

    def _decoded(self, encoded: bytes, max_nbytes: int) -> Any:
        return self._module.lzf_decode(encoded, header=False, out=max_nbytes)


class Hdf5SzipCodec(_ImagecodecsCodec):
    """Extended Rice coding, after the decoded size. Numbers of 32 and 64 bits are coded as planes of bytes."""

    names: ClassVar[tuple[str, ...]] = ("hdf5.szip",)
    parameters = ("mask", "pixels_per_block", "bits_per_pixel", "pixels_per_scanline")

    def __init__(self, configuration: Mapping[str, Any]) -> None:
        super().__init__(configuration)
        self._mask, self._block, self._bits, self._line = (self._parameters[name] for name in self.parameters)
        for name, allowed in _ALLOWED.items():
            if self._parameters[name] not in allowed:
                raise MetadataError(f"szip does not have {self._parameters[name]}", member=name)

    def _decoded(self, encoded: bytes, max_nbytes: int) -> Any:
        if encoded[:8] == SKIPPED:  # the filter was skipped for this chunk
            return encoded[8:]
        nbytes = int.from_bytes(encoded[:4], "little")
        if nbytes > max_nbytes:
            raise ValueError(f"more than the {max_nbytes:,} bytes expected")
        decode = self._of_small_blocks if self._block < _LEAST_BLOCK else self._of_blocks
        return decode(encoded, nbytes)

    def _of_blocks(self, encoded: bytes, nbytes: int) -> Any:
        is_planes = self._bits in (32, 64)
        bits = 8 if is_planes else self._bits
        item = 1 if bits <= 8 else 2 if bits <= 16 else 4
        if nbytes % (self._bits // 8 if is_planes else item):
            raise ValueError(f"{nbytes:,} bytes is not a whole number of elements")
        blocks = -(-self._line // self._block)
        count, stored_line = nbytes // item, blocks * self._block  # whole blocks are stored
        lines = -(-count // self._line)
        stored = bytearray(lines * stored_line * item)
        decoded = self._module.aec_decode(
            encoded[4:],
            bitspersample=bits,
            flags=(_AEC_MSB if self._mask & _MSB else 0)
            | (_AEC_PREPROCESS if self._mask & _NEAREST_NEIGHBOUR else 0),
            blocksize=self._block,
            rsi=blocks,
            out=stored,
        )
        if len(decoded) < len(stored) - (stored_line - count + (lines - 1) * self._line) * item:
            raise ValueError("the blocks end early")
        elements = np.frombuffer(stored, f"u{item}").reshape(lines, stored_line)[:, : self._line]
        whole = elements.reshape(-1)[:count].view("u1")
        return whole.reshape(self._bits // 8, -1).T.tobytes() if is_planes else whole.data

    def _of_small_blocks(self, encoded: bytes, nbytes: int) -> Any:
        # Only the other decoder takes them. Where a chunk ends early it gives what its memory held, but zeros if they follow.
        found, expected = (
            bytes(self._module.szip_decode(encoded + rest, *self._parameters.values(), header=True))
            for rest in (b"", bytes(2 * nbytes))
        )
        if found != expected:
            raise ValueError("the blocks end early")
        return found
