"""Chains of codecs that the engine decodes, and values for them: also for a program that starts with little."""

from __future__ import annotations

from typing import Any

import numpy as np

ZSTD = {"name": "zstd", "configuration": {"level": 1}}
BLOSC = {"name": "blosc", "configuration": {"cname": "lz4", "blocksize": 256}}
BITS = {"name": "blosc", "configuration": {"cname": "zstd", "shuffle": "bitshuffle", "typesize": 2}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}
SHUFFLE = {"name": "numcodecs.shuffle", "configuration": {"elementsize": 2}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
TURN = {"name": "transpose", "configuration": {"order": [2, 0, 1]}}
CHAINS: list[list[Any]] = [
    ["bytes"],
    [ZSTD],
    [BLOSC],
    [BITS],
    [GZIP],
    ["numcodecs.zlib"],
    ["numcodecs.lz4"],
    ["crc32c"],
    ["crc32c", ZSTD],
    [ZSTD, "crc32c"],
    [SHUFFLE, GZIP],
    [SHUFFLE, "crc32c", "numcodecs.lz4", "crc32c"],
    [BIG],
    [TURN, BIG, BLOSC],
    [TURN, "bytes", ZSTD],
    [SHUFFLE, GZIP, "numcodecs.fletcher32"],
]
SHAPE = (21, 34, 40)
DTYPES = ("<u2", "<f4", "<c16", "<M8[s]")


def values_of(dtype: str) -> np.ndarray:
    """Values that compress, and differ from place to place."""
    numbers = np.arange(np.prod(SHAPE)).reshape(SHAPE) // 3 % 251
    return numbers.astype("i8").astype(dtype) if dtype[1] == "M" else numbers.astype(dtype)
