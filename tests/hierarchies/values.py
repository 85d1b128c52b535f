"""Values for arrays under test: the same arguments give the same values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np


def values(dtype: Any, shape: Sequence[int], seed: int = 0) -> np.ndarray:
    """Any bits that the data type can hold: NaNs with payloads, NaT, text beyond ASCII."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng([seed, crc32(dtype.str.encode()), *shape])
    if dtype.names is not None:
        out = np.zeros(shape, dtype)
        for number, name in enumerate(dtype.names):
            field = dtype[name]
            out[name] = values(field.base, (*shape, *field.shape), seed + number + 1)
        return out
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "SU":
        words = np.array(
            ["", "a", "zarr", "x" * 40, "naïve"[:3], "0"]
            if dtype.kind == "S"
            else ["", "é", "漢字", "🧠", "y" * 40]
        )
        if dtype.kind == "S":
            words = np.char.encode(words, "latin-1")
        return rng.choice(words, shape).astype(dtype)
    raw = rng.integers(0, 256, (int(np.prod(shape)) * dtype.itemsize,), np.uint8)
    return raw.view(dtype.newbyteorder("=")).reshape(shape).astype(dtype)


def ramp(dtype: Any, shape: Sequence[int]) -> np.ndarray:
    """Smooth values, which compress well."""
    return (np.arange(int(np.prod(shape))) // 3 % 101).reshape(shape).astype(dtype)
