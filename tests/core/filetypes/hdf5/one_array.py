"""A hierarchy of one array."""

from __future__ import annotations

from typing import Any

import numpy as np

import zarrcore


def array_of(data: np.ndarray, data_type: Any = None, **options: Any) -> zarrcore.Array:
    hierarchy = zarrcore.create("memory://")
    kind = data.dtype if data_type is None else data_type
    options.setdefault("chunks", tuple(2 for _ in data.shape))
    array = hierarchy.create_array("/a", shape=data.shape, dtype=kind, **options)
    array[...] = data
    return array


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    return (
        found.dtype == expected.dtype
        and found.shape == expected.shape
        and found.tobytes() == expected.tobytes()
    )
