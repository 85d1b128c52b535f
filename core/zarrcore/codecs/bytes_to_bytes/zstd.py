"""The ``zstd`` codec (RFC 8878).

Specification: zarr-extensions, "zstd". By measurement, ``zstandard`` with one state per thread decodes fastest: its stream
object decodes straight into the destination if that holds the whole frame. numcodecs' binding does so too, but
with a new state each time. Frames without their decoded size, and several frames in a row, go through a
bounded stream.

Small chunks are encoded by ``zstandard``, too. Large ones are encoded by numcodecs, whose libzstd 1.5.6 needs a quarter to two
fifths less time than the 1.5.7 of zstandard 0.25 for 1 MiB of float32 at level 3, and makes frames of the same size:
1.5.7 looks for the best place to split each block of 128 KiB.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import zstandard

from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec
from zarrcore.codecs.parameters import boolean, integer, known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.late_imports import imported

# From this size on, the stream object costs less than a copy.
_LARGE_NBYTES = 16 << 10
# From this size on, a new state for each chunk costs less than splitting its blocks.
_ENCODE_LARGE_NBYTES = 512 << 10
_PART = 0.85
"""Up to this part of a frame, decoding only its beginning is faster, although it is copied once more."""
_MIN_LEVEL, _MAX_LEVEL = -131072, 22
_RUN_LENGTH = 1
"""The type of a block that repeats one byte, which is all that it stores."""
_SKIPPABLE = frozenset(magic.to_bytes(4, "little") for magic in range(0x184D2A50, 0x184D2A60))
"""The first bytes of a frame without content (RFC 8878, 3.1.2)."""
_HAS_CHECKSUM = 1 << 2
"""The bit of a frame header's descriptor that announces a checksum after the last block."""


class ZstdCodec(BytesToBytesCodec):
    """Zstandard frames."""

    names: ClassVar[tuple[str, ...]] = ("zstd",)
    native: ClassVar[str] = "zstd"
    _decompressors = threading.local()
    _compressors = threading.local()

    def __init__(self, level: int, checksum: bool) -> None:
        self._level = level
        self._checksum = checksum

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "level", "checksum")
        return cls(integer(configuration, "level", 0), boolean(configuration, "checksum", False))

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        # numcodecs accepted any level and used the nearest existing one, so Zarr v2 documents may hold any.
        if not _MIN_LEVEL <= self._level <= _MAX_LEVEL:
            raise MetadataError(
                f"expected {_MIN_LEVEL:,} to {_MAX_LEVEL}, found {self._level:,}", member=f"{self.name}.level"
            )
        return {"level": self._level, "checksum": self._checksum}

    def native_parameters(self) -> dict[str, int | bytes]:
        return {"level": self._nearest_level, "has_checksum": int(self._checksum)}

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        try:
            announced = _announced_nbytes(encoded)
            if announced > max_nbytes:
                raise CodecError(
                    f"the header announces {announced:,} bytes; at most {max_nbytes:,} are expected",
                    codec="zstd",
                )
            if out is not None and announced == len(out) >= _LARGE_NBYTES:
                return self._into(encoded, out)
            if announced == max_nbytes and _frame_nbytes(encoded) == len(encoded):
                return self._decompressor().decompress(encoded, allow_extra_data=False)
            _check_frames(encoded)
            return self._stream(encoded, max_nbytes)
        except (zstandard.ZstdError, RuntimeError, ValueError) as error:
            if isinstance(error, CodecError):
                raise
            raise CodecError(str(error), codec="zstd") from error

    def decode_part(self, encoded: Buffer, start: int, stop: int, out: memoryview) -> bool:
        """Decode the beginning of the frame, which the rest is not needed for."""
        if not _LARGE_NBYTES <= stop <= _PART * len(out) or _announced_nbytes(encoded) != len(out):
            return False
        try:
            with self._decompressor().stream_reader(encoded, closefd=False) as stream:
                if stream.readinto(out[:stop]) != stop:
                    raise CodecError("the frame ends early", codec="zstd")
        except (zstandard.ZstdError, RuntimeError, ValueError) as error:
            if isinstance(error, CodecError):
                raise
            raise CodecError(str(error), codec="zstd") from error
        return True

    def _into(self, encoded: Buffer, out: memoryview) -> memoryview:
        _check_frames(encoded)
        with self._decompressor().stream_reader(encoded, read_across_frames=True, closefd=False) as stream:
            decoded_nbytes = stream.readinto(out)
            if decoded_nbytes != len(out) or stream.read(1):
                raise CodecError(f"another size than the {len(out):,} bytes expected", codec="zstd")
        return out

    def decode_frames(self, encoded: Sequence[Buffer], nbytes: int, out: memoryview) -> None:
        """Decode several frames, each of exactly ``nbytes``, into ``out`` one after another, by one call.

        Raises:
            CodecError: one of them does not decode to that size; the error does not say which.
        """
        if not encoded:
            return  # zstandard would divide by their number
        sizes = struct.pack(f"={len(encoded)}Q", *[nbytes] * len(encoded))
        try:
            for frame in encoded:
                if _announced_nbytes(frame) != nbytes:
                    raise CodecError(f"another size than the {nbytes:,} bytes expected", codec="zstd")
                if _frame_nbytes(frame) != len(
                    frame
                ):  # unlike other calls, the one below accepts bytes after it
                    raise CodecError("the bytes go on after the frame", codec="zstd")
            decoded = self._decompressor().multi_decompress_to_buffer([*encoded], decompressed_sizes=sizes)
        except (zstandard.ZstdError, ValueError, TypeError) as error:
            if isinstance(error, CodecError):
                raise
            raise CodecError(str(error), codec="zstd") from error
        for position in range(len(encoded)):
            out[position * nbytes : (position + 1) * nbytes] = memoryview(decoded[position])  # type: ignore[arg-type]  # the stub forgets the buffer protocol

    def _decompressor(self) -> zstandard.ZstdDecompressor:
        # Two threads must not share a decompressor, and making one costs more than decoding 8 KiB.
        try:
            decompressor: zstandard.ZstdDecompressor = self._decompressors.instance
        except AttributeError:
            decompressor = self._decompressors.instance = zstandard.ZstdDecompressor()
        return decompressor

    def _stream(self, encoded: Buffer, max_nbytes: int) -> bytes:
        with self._decompressor().stream_reader(encoded, read_across_frames=True, closefd=False) as stream:
            parts: list[bytes] = []
            decoded_nbytes = 0
            while part := stream.read(min(1 << 20, max_nbytes - decoded_nbytes + 1)):
                decoded_nbytes += len(part)
                if decoded_nbytes > max_nbytes:
                    raise CodecError(f"more than the {max_nbytes:,} bytes expected", codec="zstd")
                parts.append(part)
        if not parts and max_nbytes:
            raise CodecError("the frame ends early", codec="zstd")
        return b"".join(parts)

    def encode(self, decoded: Buffer) -> Buffer:
        try:
            if memoryview(decoded).nbytes >= _ENCODE_LARGE_NBYTES:
                # Late: reading does without numcodecs.
                large: bytes = imported("numcodecs.zstd").compress(
                    decoded, self._nearest_level, self._checksum
                )
                return large
            return self._compressor().compress(decoded)
        except (zstandard.ZstdError, RuntimeError, ValueError, OverflowError) as error:
            raise CodecError(str(error), codec="zstd") from error

    @property
    def _nearest_level(self) -> int:
        """The level itself, or for documents that hold any number, the nearest level that exists."""
        return min(max(self._level, _MIN_LEVEL), _MAX_LEVEL)

    def _compressor(self) -> zstandard.ZstdCompressor:
        # One per thread, the last one used: a compressor of a high level takes hundreds of MiB.
        wanted = (self._nearest_level, self._checksum)
        if getattr(self._compressors, "parameters", None) != wanted:
            self._compressors.parameters = wanted
            self._compressors.instance = zstandard.ZstdCompressor(level=wanted[0], write_checksum=wanted[1])
        compressor: zstandard.ZstdCompressor = self._compressors.instance
        return compressor


def _announced_nbytes(encoded: Buffer) -> int:
    """The decoded size in a frame's header; -1 if it has none.

    Raises:
        CodecError: the bytes do not begin with the header of a frame.
    """
    try:
        return zstandard.frame_content_size(encoded)
    except zstandard.ZstdError as error:
        raise CodecError("the bytes do not begin with the header of a frame", codec="zstd") from error


def _check_frames(encoded: Buffer) -> None:
    """Refuse bytes that end within a frame: a stream object is content once it has all elements, even without the checksum.

    Raises:
        ZstdError: something else than a frame follows a frame.
        CodecError: the last frame is cut.
    """
    frames, position, limit = memoryview(encoded), 0, len(encoded)
    while position < limit:
        position += _frame_nbytes(frames[position:])
    if position > limit:
        raise CodecError("the frame ends early", codec="zstd")


def _frame_nbytes(encoded: Buffer) -> int:
    """The length of the frame that bytes begin with, from the headers of its blocks (RFC 8878, 3.1.1), or of a skippable one.

    Raises:
        ZstdError: they do not begin with a frame.
        CodecError: the frame is longer than the bytes.
    """
    if bytes(encoded[:4]) in _SKIPPABLE:
        return 8 + int.from_bytes(encoded[4:8], "little")
    position, limit = zstandard.frame_header_size(encoded), len(encoded)
    is_last = 0
    while not is_last:
        if position + 3 > limit:
            raise CodecError("the frame ends early", codec="zstd")
        header = encoded[position] | encoded[position + 1] << 8 | encoded[position + 2] << 16
        is_last, kind = header & 1, header >> 1 & 3
        position += 3 + (1 if kind == _RUN_LENGTH else header >> 3)
    return position + (4 if encoded[4] & _HAS_CHECKSUM else 0)
