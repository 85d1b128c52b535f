"""Chunks that HDF5 compressed by LZF more than imagecodecs expects.

The codec ``imagecodecs_lzf`` of such chunks has no header that states the decoded size. imagecodecs then reserves a multiple of
the encoded size, and does not decode chunks that were made smaller. Most of these are at the edge of an array, and filled up with
zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from zarrcore.array import Array
from zarrcore.codecs import ArraySpec, BytesToBytesCodec, Pipeline, is_fill
from zarrcore.codecs.imagecodecs_package import imagecodecs_package
from zarrcore.codecs.registry import make_codec
from zarrcore.errors import UnsupportedError
from zarrcore.formats import Format
from zarrcore.metadata import NamedConfiguration
from zarrcore.operations.reference.common_codecs import hdf5_codecs
from zarrcore.stores.interface import BytesLike

LZF: Final = "imagecodecs_lzf"
RATIO: Final = 8
"""How many times as large as an encoded chunk imagecodecs takes a decoded one to be at most."""
MAX_NBYTES: Final = 64 << 20
"""The most bytes of an array that are copied because of this."""
_OF_SAME_SIZE: Final = ("numcodecs.shuffle", "numcodecs.imagecodecs_bitshuffle")
_CHECKSUM: Final = "numcodecs.fletcher32"
_CHECKSUM_NBYTES: Final = 4
_RUN: Final = 32


class LzfChunks:
    """The chunks of an array with the filter LZF.

    Args:
        array: the array.

    Raises:
        UnsupportedError: LZF is not the only compression.
    """

    def __init__(self, array: Array) -> None:
        self._array = array
        metadata = array.metadata
        codecs = hdf5_codecs(metadata, Format.V2).codecs
        place = next(place for place, codec in enumerate(codecs) if codec.name == LZF)
        self._spec = ArraySpec(metadata.chunk_grid.chunk_shape, metadata.data_type.dtype, metadata.fill_value)
        self._all, self._before = (Pipeline(part, self._spec) for part in (codecs, codecs[:place]))
        self._after = _on_bytes(codecs[place + 1 :])
        before, after = codecs[1:place], codecs[place + 1 :]
        decoded = self._spec.nbytes + _added_nbytes(before)
        self.least_nbytes = decoded // RATIO + 1 + _added_nbytes(after)
        """The least size of encoded chunks that are decoded."""
        self._copied_nbytes = 0

    def repacked(self, encoded: BytesLike, index: tuple[int, ...]) -> bytes | None:
        """A chunk that is too small, encoded again; None if it has only the fill value, as a missing chunk has.

        Args:
            encoded: the stored bytes.
            index: of the chunk.

        Raises:
            CodecError: the chunk is broken.
            UnsupportedError: there are too many such chunks.
        """
        chunk = self._all.decode(encoded)
        metadata = self._array.metadata
        starts = metadata.chunk_grid.chunk_origin(index)
        inside = tuple(slice(length - start) for start, length in zip(starts, metadata.shape, strict=True))
        if is_fill(chunk[inside], metadata.fill_value):
            return None
        data = loosely_packed(bytes(self._before.encode(chunk)))
        for codec in self._after:
            data = bytes(codec.encode(data))
        self._copied_nbytes += len(data)
        if self._copied_nbytes > MAX_NBYTES:
            raise UnsupportedError(
                "codec",
                LZF,
                f"decodes no chunks that hdf5.lzf made more than {RATIO} times smaller, and there are too many to copy",
            )
        return data


def loosely_packed(data: bytes) -> bytes:
    """Bytes encoded by LZF, but more than an eighth as many.

    The last eighth is stored as it is.

    >>> len(loosely_packed(bytes(8000))) > 1000
    True
    """
    first = len(data) - len(data) // RATIO - 1
    packed = imagecodecs_package(LZF).lzf_encode(data[:first], header=False) if first > 0 else b""
    runs = (data[start : start + _RUN] for start in range(max(0, first), len(data), _RUN))
    return bytes(packed) + b"".join(bytes((len(run) - 1,)) + run for run in runs)


def _on_bytes(codecs: Sequence[NamedConfiguration]) -> list[BytesToBytesCodec]:
    made = [make_codec(codec, "codecs") for codec in codecs]
    return [codec for codec in made if isinstance(codec, BytesToBytesCodec)]


def _added_nbytes(codecs: Sequence[NamedConfiguration]) -> int:
    """How many bytes other filters add."""
    nbytes = 0
    for codec in codecs:
        if codec.name == _CHECKSUM:
            nbytes += _CHECKSUM_NBYTES
        elif codec.name not in _OF_SAME_SIZE:
            raise UnsupportedError("codec", codec.name, f"with {LZF} cannot be described by references")
    return nbytes
