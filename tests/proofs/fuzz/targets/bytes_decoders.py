"""Every bytes → bytes decoder: CodecError, or at most the bytes that were asked for, equal to those of another implementation."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import imagecodecs
import numcodecs
import numpy as np
import zstandard

from tests.core.codecs.cases import spec_of
from tests.proofs.fuzz.chains import ON_BYTES, Chain
from zarrcore.codecs.interface import BytesToBytesCodec
from zarrcore.codecs.registry import make_codec
from zarrcore.errors import CodecError, UnsupportedError

_MAX_NBYTES = 4096
_SIZES = (_MAX_NBYTES, 0, 1, 48, 96, 97, 191, 192, 193)


@cache
def _codec(number: int) -> BytesToBytesCodec:
    chain = ON_BYTES[number]
    codec = make_codec(chain.codec, "codecs[1]")
    assert isinstance(codec, BytesToBytesCodec)
    return codec.for_array(spec_of(chain.array))


def check(data: bytes) -> None:
    """The first byte is the codec, the second the size that is expected; the rest is what it decodes."""
    if len(data) < 2:
        return
    number, max_nbytes, encoded = data[0] % len(ON_BYTES), _SIZES[data[1] % len(_SIZES)], data[2:]
    codec = _codec(number)
    found = _decoded(lambda: codec.decode(encoded, max_nbytes))
    out = bytearray(b"\xaa" * max_nbytes)
    into = _decoded(lambda: codec.decode(encoded, max_nbytes, memoryview(out)))
    assert into == found or found is None or len(found) != max_nbytes, "another value if the place is given"
    assert (into is None) == (found is None) or found is None or len(found) != max_nbytes
    if found is None:
        return
    assert len(found) <= max_nbytes
    theirs = _theirs(ON_BYTES[number], encoded)
    assert theirs is None or theirs == found, f"{codec.name}: {found!r} instead of {theirs!r}"


def _decoded(decode: Callable[[], Any]) -> bytes | None:
    try:
        return bytes(decode())
    except (CodecError, UnsupportedError):
        return None


def _theirs(chain: Chain, encoded: bytes) -> bytes | None:
    """What another implementation reads; None if it refuses the bytes."""
    name = chain.codec.name.removeprefix("numcodecs.")
    try:
        match name:
            case "gzip":
                return gzip.decompress(encoded)
            case "zlib":
                return zlib.decompress(encoded)
            case "bz2":
                return bz2.decompress(encoded)
            case "lzma":
                told = chain.codec.configuration
                raw = told["format"] == lzma.FORMAT_RAW
                return lzma.decompress(encoded, told["format"], None, told["filters"] if raw else None)
            case "zstd":
                frame = zstandard.ZstdDecompressor().decompressobj()
                whole = frame.decompress(encoded)
                return whole if frame.eof and not frame.unused_data else None
            case "crc32" | "crc32c" | "adler32" | "fletcher32" | "jenkins_lookup3" | "shuffle":
                if not chain.codec.name.startswith("numcodecs."):
                    return encoded[:-4]
                theirs = numcodecs.get_codec({"id": name, **chain.codec.configuration}).decode(encoded)
                return np.asarray(theirs).tobytes()
    except Exception:  # noqa: BLE001  # each has its own
        return None
    return None


def examples() -> Iterable[bytes]:
    """What each codec encodes, for two expected sizes."""
    for number in range(len(ON_BYTES)):
        codec = _codec(number)
        for size, values in ((0, b"abc" * 32), (7, bytes(range(192)))):
            if codec.can_encode:
                yield bytes([number, size]) + bytes(codec.encode(values))
            elif codec.name == "numcodecs.imagecodecs_b2nd" and hasattr(imagecodecs, "b2nd_encode"):
                yield bytes([number, size]) + bytes(imagecodecs.b2nd_encode(np.frombuffer(values, "u1")))
