"""Pipelines and encoded chunks for tests of broken bytes."""

from __future__ import annotations

import gzip
import zlib

import numcodecs
import numpy as np
import zstandard

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero

VALUES = np.arange(1000, dtype="<f4").reshape(10, 100)


LITTLE = NamedConfiguration("bytes", {"endian": "little"})


def pipeline(*codecs: NamedConfiguration | str, shape: tuple[int, ...] = VALUES.shape) -> Pipeline:
    named = [NamedConfiguration(codec) if isinstance(codec, str) else codec for codec in codecs]
    return Pipeline(named, ArraySpec(shape, VALUES.dtype, zero(VALUES.dtype)))


def encoded(codec: str, data: bytes = VALUES.tobytes()) -> bytes:
    match codec:
        case "gzip":
            return gzip.compress(data)
        case "numcodecs.zlib":
            return zlib.compress(data)
        case "zstd":
            return zstandard.compress(data)
        case "blosc":
            return numcodecs.Blosc("lz4").encode(data)
        case "crc32c":
            return bytes(numcodecs.get_codec({"id": "crc32c"}).encode(data))
        case _:
            return bytes(numcodecs.get_codec({"id": codec.removeprefix("numcodecs.")}).encode(data))
