"""Filters of HDF5 as codecs, and the chunks that skipped some of them.

HDF5 skips an optional filter for a chunk that it would not shrink, and notes that in the chunk's filter mask. Zarr has one chain
of codecs for all chunks. Such a chunk is therefore given to it as if the skipped filters had been applied.
"""

from __future__ import annotations

import bz2
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from zarrcore.late_imports import from_extra, imported
from zarrcore.stores.hdf5.bitshuffle import default_block, shuffled
from zarrcore.stores.hdf5.layout import Filter
from zarrcore.stores.virtual.file_reader import BrokenFileError

Values = Sequence[int]
"""The parameters of a filter."""

_BLOSC_NAMES: Final = ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")
_SZIP: Final = ("mask", "pixels_per_block", "bits_per_pixel", "pixels_per_scanline")
_BLOCK: Final = 32
_MOST_DIMENSIONS: Final = 8
"""Of arrays of Blosc2."""


def codec_of(filter_: Filter) -> dict[str, Any]:
    """The codec that undoes a filter; one with an unknown name if there is none."""
    least, make = _CODECS.get(filter_.number, (0, lambda _: None))
    codec = make(filter_.values) if len(filter_.values) >= least else None
    name = f" ({filter_.name})" if filter_.name else ""
    return codec or _named(f"HDF5 filter {filter_.number}{name}")


def _nbit(values: Values) -> dict[str, Any] | None:
    return _named("hdf5.nbit", values=list(values)) if len(values) >= 5 or values[1] else None


def _bitshuffle(values: Values) -> dict[str, Any] | None:
    name, block = {0: "none", 2: "lz4", 3: "zstd"}.get(_at(values, 4, 0)), _at(values, 3, 0)
    if name is None:
        return None
    return _named("hdf5.bitshuffle", elementsize=values[2], blocksize=block, compression=name)


def _blosc(values: Values) -> dict[str, Any]:
    name = dict(enumerate(_BLOSC_NAMES)).get(_at(values, 6, 0), "blosclz")
    return _named("numcodecs.blosc", cname=name, clevel=5, shuffle=1, blocksize=0)


def _at(values: Values, place: int, default: int) -> int:
    return values[place] if len(values) > place else default


def _named(name: str, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration}


_CODECS: Final[Mapping[int, tuple[int, Callable[[Values], dict[str, Any] | None]]]] = {
    1: (0, lambda v: _named("numcodecs.zlib", level=min(9, _at(v, 0, 6)))),
    2: (0, lambda v: _named("numcodecs.shuffle", elementsize=_at(v, 0, 1))),
    3: (0, lambda _: _named("numcodecs.fletcher32")),
    4: (4, lambda v: _named("hdf5.szip", **dict(zip(_SZIP, v, strict=False)))),
    5: (3, _nbit),
    6: (8, lambda v: _named("hdf5.scaleoffset", values=list(v))),
    307: (0, lambda v: _named("numcodecs.bz2", level=v[0] if _at(v, 0, 0) in range(1, 10) else 9)),
    32000: (0, lambda _: _named("hdf5.lzf")),
    32001: (4, _blosc),
    32004: (0, lambda _: _named("hdf5.lz4")),
    32008: (3, _bitshuffle),
    32015: (0, lambda v: _named("zstd", level=v[0] if _at(v, 0, 0) in range(1, 23) else 3, checksum=False)),
    32026: (0, lambda v: _named("hdf5.blosc2", is_array=has_shape_of_blosc2(v))),
}
"""By the number of the filter: how many values it needs, and the codec for its values; None for values without one."""


def without_skips(data: bytes, filters: Sequence[Filter], skipped: int, chunk_nbytes: int) -> bytes:
    """A chunk as if no filter had been skipped.

    Raises:
        BrokenFileError: that is not possible for one of its filters.
    """
    first = next(place for place in range(len(filters)) if skipped >> place & 1)
    # Filters after the first one that was skipped must be undone, to be applied again to what the skipped one makes.
    for place in reversed(range(first, len(filters))):
        if not skipped >> place & 1:
            data = undo(data, filters[place], chunk_nbytes)
    for filter_ in filters[first:]:
        data = _apply(data, filter_)
    return data


def unfiltered(data: bytes, filters: Sequence[Filter], skipped: int, chunk_nbytes: int) -> bytes:
    """The bytes of a chunk before its filters, for elements that lie elsewhere.

    Raises:
        BrokenFileError: they cannot be undone.
    """
    for place in reversed(range(len(filters))):
        if not skipped >> place & 1:
            data = undo(data, filters[place], chunk_nbytes)
    return data


def undo(data: bytes, filter_: Filter, chunk_nbytes: int) -> bytes:
    """The bytes before one filter.

    Raises:
        BrokenFileError: they are broken, or the filter cannot be undone here.
    """
    numcodecs = imported("numcodecs")
    try:
        match filter_.number:
            case 1:
                stream = zlib.decompressobj()
                decoded = stream.decompress(data, chunk_nbytes + 64)
                if not stream.eof:  # its checksum comes last
                    raise ValueError("a stream of deflate is truncated, or too long")
                return decoded
            case 2:
                whole = len(data) - len(data) % max(1, _at(filter_.values, 0, 1))
                return bytes(numcodecs.Shuffle(_at(filter_.values, 0, 1)).decode(data[:whole])) + data[whole:]
            case 3:
                return bytes(numcodecs.Fletcher32().decode(data))
            case 307:
                stream_bz2 = bz2.BZ2Decompressor()
                decoded = stream_bz2.decompress(data, chunk_nbytes + 64)
                if not stream_bz2.eof:  # its checksum comes last
                    raise ValueError("a stream of bzip2 is truncated, or too long")
                return decoded
            case 32000:
                return _without_lzf(data, chunk_nbytes)
            case 32015:
                return _without_zstd(data, chunk_nbytes)
    except (zlib.error, OSError, ValueError, RuntimeError) as error:
        raise BrokenFileError(f"a chunk does not decode: {error}") from error
    raise BrokenFileError(
        f"a chunk needs HDF5 filter {filter_.number} {filter_.name} undone where that is not supported"
    )


def _without_lzf(data: bytes, nbytes: int) -> bytes:
    return bytes(from_extra("imagecodecs", "a chunk compressed by LZF", "hdf5").lzf_decode(data, out=nbytes))


def _without_zstd(data: bytes, nbytes: int) -> bytes:
    """The bytes of one frame, whose header says their number."""
    import zstandard

    try:
        told = zstandard.frame_content_size(data)
        if told < 0:
            raise ValueError("a frame of zstd does not say its size")
        if told > nbytes + 64:
            raise ValueError(f"a chunk of {nbytes:,} bytes claims {told:,} of them")
        return zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


def _with_blosc2(data: bytes, values: Values) -> bytes:
    """A frame of Blosc2, which has the shape of a chunk if the filter was told it."""
    blosc2 = from_extra("blosc2", "a chunk compressed by Blosc2", "hdf5")
    shape, item = tuple(values[8:]), values[2] if len(values) > 2 else 1
    if not has_shape_of_blosc2(values) or math.prod(shape) * item != len(data):
        return bytes(blosc2.SChunk(data=data, cparams={"clevel": 0}).to_cframe())
    elements = np.frombuffer(data, f"S{item}").reshape(
        shape
    )  # imagecodecs does not read arrays of void types
    return bytes(blosc2.asarray(elements, chunks=shape, cparams={"clevel": 0}).to_cframe())


def has_shape_of_blosc2(values: Values) -> bool:
    """Whether the Blosc2 filter was told the shape of chunks, so that its frames hold arrays."""
    return len(values) > 7 and 1 < values[7] <= _MOST_DIMENSIONS and len(values) == 8 + values[7]


def _apply(data: bytes, filter_: Filter) -> bytes:
    """What a filter makes of bytes, as fast as it can: nothing is compressed."""
    numcodecs = imported("numcodecs")
    values = filter_.values
    match filter_.number:
        case 1:
            return zlib.compress(data, 0)
        case 2:
            whole = len(data) - len(data) % max(1, _at(values, 0, 1))
            return bytes(numcodecs.Shuffle(_at(values, 0, 1)).encode(data[:whole])) + data[whole:]
        case 3:
            return bytes(numcodecs.Fletcher32().encode(data))
        case 307:
            return bz2.compress(data, 1)
        case 32008 if not _at(values, 4, 0):
            item = max(1, _at(values, 2, 1))
            return shuffled(data, item, _at(values, 3, 0) or default_block(item))
        case 32026:
            return _with_blosc2(data, values)
        case 4 | 5 | 32008:  # sizes that no chunk has: our codecs take what follows as it is
            return b"\xff" * 8 + data
        case 6:
            return (8 * values[4]).to_bytes(4, "little") + b"\x08" + bytes(16) + data
        case 32000:
            blocks = (data[i : i + _BLOCK] for i in range(0, len(data), _BLOCK))
            return b"".join(bytes((len(block) - 1,)) + block for block in blocks)
        case 32001:
            return bytes(numcodecs.Blosc(clevel=0).encode(data))
        case 32015:
            return bytes(numcodecs.Zstd(level=1).encode(data))
        case 32004:
            size = max(1, len(data)).to_bytes(4, "big")
            return len(data).to_bytes(8, "big") + size + size + data
    raise BrokenFileError(
        f"a chunk was stored without HDF5 filter {filter_.number} {filter_.name}, which is not supported"
    )
