"""The ``blosc`` codec: the Blosc 1 container.

Specification: zarr-specs, "Blosc codec" (version 1.0); the container: c-blosc, README_CHUNK_FORMAT. c-blosc trusts the
sizes in the header, so each of them is checked before the call. numcodecs uses c-blosc's own threads and global
state in the main thread only. In other threads, such as zarrcore's, calls are independent and release the GIL.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import choice, integer, known
from zarrcore.errors import CodecError, UnsupportedError
from zarrcore.late_imports import imported

blosc = imported("numcodecs.blosc")

_HEADER = struct.Struct("<BBBBIII")
_MEMCPYED = 0x02
_SNAPPY = 2
_COMPRESSORS = ("lz4", "lz4hc", "blosclz", "snappy", "zlib", "zstd")
_SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")
_MAX_TYPE_NBYTES = 255
_MAX_BLOCK_NBYTES = 2**31 - 1
_FEW_BLOCKS = 64
_PART = 0.75
"""Up to this part of the blocks, decoding only these is faster, although their encoded bytes are copied."""


class BloscCodec(BytesToBytesCodec):
    """Blocks that are shuffled and compressed, with a header that says how."""

    names: ClassVar[tuple[str, ...]] = ("blosc",)
    native: ClassVar[str] = "blosc"

    def __init__(
        self, cname: str, clevel: int, shuffle: str | None, type_nbytes: int | None, block_nbytes: int
    ) -> None:
        self._cname = cname
        self._clevel = clevel
        self._shuffle = shuffle
        self._type_nbytes = type_nbytes
        self._block_nbytes = block_nbytes

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        # jzarr 0.4 stored the number of its threads, which does not affect the bytes.
        known(configuration, "cname", "clevel", "shuffle", "typesize", "blocksize", "nthreads", "numThreads")
        return cls(
            choice(configuration, "cname", _COMPRESSORS, "lz4"),
            integer(configuration, "clevel", 5, minimum=0, maximum=9),
            _shuffle(configuration),
            integer(configuration, "typesize", minimum=1) if "typesize" in configuration else None,
            integer(configuration, "blocksize", 0, minimum=0, maximum=_MAX_BLOCK_NBYTES),
        )

    def for_array(self, spec: ArraySpec) -> Self:
        return self.from_configuration(self._spelled_out(spec))

    def _spelled_out(self, spec: ArraySpec) -> dict[str, Any]:
        # Blosc treats elements larger than its size field as bytes.
        type_nbytes = self._type_nbytes or spec.dtype.itemsize
        if type_nbytes > _MAX_TYPE_NBYTES or spec.dtype.hasobject or spec.dtype.kind == "T":
            type_nbytes = 1
        return {
            "cname": self._cname,
            "clevel": self._clevel,
            "shuffle": self._shuffle or ("bitshuffle" if type_nbytes == 1 else "shuffle"),
            "typesize": type_nbytes,
            "blocksize": self._block_nbytes,
        }

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        if self._cname not in blosc.list_compressors():
            raise UnsupportedError("compressor", self._cname, "is not in this build of Blosc")
        return self._spelled_out(spec)

    def native_parameters(self) -> dict[str, int | bytes]:
        return {
            "level": self._clevel,
            "shuffle": _SHUFFLES.index(self._shuffle or "shuffle"),
            "type_nbytes": self._type_nbytes or 1,
            "block_nbytes": self._block_nbytes,
            "compressor": self._cname.encode(),
        }

    def encode(self, decoded: Buffer) -> Buffer:
        shuffle = _SHUFFLES.index(self._shuffle or "shuffle")
        try:
            encoded: bytes = blosc.compress(
                decoded,
                self._cname.encode(),
                self._clevel,
                shuffle,
                self._block_nbytes,
                self._type_nbytes or 1,
            )
        except (RuntimeError, ValueError, OverflowError) as error:
            raise CodecError(str(error), codec="blosc") from error
        return encoded

    def decode_part(self, encoded: Buffer, start: int, stop: int, out: memoryview) -> bool:
        """Decode a container of only those blocks that are needed."""
        if stop - start > _PART * len(out) or _checked_nbytes(encoded, len(out)) != len(out):
            return False
        version, format_, flags, type_nbytes, nbytes, block_nbytes, encoded_nbytes = _HEADER.unpack_from(
            encoded
        )
        if flags & _MEMCPYED:
            out[start:stop] = memoryview(encoded)[_HEADER.size + start : _HEADER.size + stop]
            return True
        count, first, last = -(-nbytes // block_nbytes), start // block_nbytes, -(-stop // block_nbytes)
        if last == count and nbytes % block_nbytes:
            first = min(first, count - 2)  # no container is smaller than its blocks
        if first < 0 or last - first > _PART * count:
            return False
        starts = np.frombuffer(encoded, "<u4", count, _HEADER.size)
        needed = starts[first:last]
        begin, behind = int(needed.min()), starts[starts > needed.max()]
        end = int(behind.min()) if len(behind) else encoded_nbytes
        place = slice(first * block_nbytes, min(last * block_nbytes, nbytes))
        table = needed - begin + (_HEADER.size + needed.nbytes)
        sizes = (place.stop - place.start, block_nbytes, _HEADER.size + needed.nbytes + end - begin)
        header = _HEADER.pack(version, format_, flags, type_nbytes, *sizes)
        container = b"".join((header, table.tobytes(), memoryview(encoded)[begin:end]))
        self.decode(container, place.stop - place.start, out[place])
        return True

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        decoded_nbytes = _checked_nbytes(encoded, max_nbytes)
        if decoded_nbytes == 0:
            return b""
        try:
            if out is not None and len(out) == decoded_nbytes:
                blosc.decompress(encoded, out)
                return out
            decoded: bytes = blosc.decompress(encoded)
        except (RuntimeError, ValueError) as error:
            raise CodecError(_explained(encoded, error), codec="blosc") from error
        return decoded


def _shuffle(configuration: Mapping[str, Any]) -> str | None:
    """By name, or by the number of Zarr v2; None: chosen by the element size."""
    value = configuration.get("shuffle", -1)
    if isinstance(value, int) and not isinstance(value, bool) and -1 <= value <= 2:
        return None if value == -1 else _SHUFFLES[value]
    return choice(configuration, "shuffle", _SHUFFLES, None)


def _explained(encoded: Buffer, error: Exception) -> str:
    if encoded[2] >> 5 == _SNAPPY and "snappy" not in blosc.list_compressors():
        return "compressed with snappy, which this build of Blosc does not have"
    return str(error)


def _checked_nbytes(encoded: Buffer, max_nbytes: int) -> int:
    if len(encoded) < _HEADER.size:
        raise CodecError(
            f"{len(encoded)} bytes are fewer than the {_HEADER.size} of the header", codec="blosc"
        )
    version, _, flags, type_nbytes, nbytes, block_nbytes, encoded_nbytes = _HEADER.unpack_from(encoded)
    if nbytes > max_nbytes:
        raise CodecError(
            f"the header announces {nbytes:,} bytes; at most {max_nbytes:,} are expected", codec="blosc"
        )
    # z5 before 2020 also stored the spare room that c-blosc asks for.
    if not encoded_nbytes <= len(encoded) <= encoded_nbytes + _HEADER.size:
        raise CodecError(
            f"the header announces {encoded_nbytes:,} bytes, found {len(encoded):,}", codec="blosc"
        )
    if (
        version not in (1, 2)
        or type_nbytes == 0
        or (nbytes and not 0 < block_nbytes <= max(nbytes, type_nbytes))
    ):
        raise CodecError("the header is not that of a Blosc 1 container", codec="blosc")
    if flags & _MEMCPYED:
        if encoded_nbytes != nbytes + _HEADER.size:
            raise CodecError("stored bytes of another size than the header announces", codec="blosc")
    elif nbytes:
        _check_block_starts(memoryview(encoded)[:encoded_nbytes], -(-nbytes // block_nbytes))
    return int(nbytes)


def _check_block_starts(encoded: Buffer, blocks: int) -> None:
    first = _HEADER.size + 4 * blocks
    if first > len(encoded):
        raise CodecError(f"the header breaks off within the table of {blocks:,} blocks", codec="blosc")
    if blocks <= _FEW_BLOCKS:  # where NumPy takes longer for its calls than for the numbers
        starts = struct.unpack_from(f"<{blocks}I", encoded, _HEADER.size)
        lowest, highest = min(starts), max(starts)
    else:
        table = np.frombuffer(encoded, "<u4", blocks, _HEADER.size)
        lowest, highest = int(table.min()), int(table.max())
    if lowest < first or highest > len(encoded) - 4:
        raise CodecError("a block starts outside the container", codec="blosc")
