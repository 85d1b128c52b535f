"""Arrays in memory, and their files as other programs get them."""

from __future__ import annotations

from typing import Any

import numpy as np
import zarr

import zarrcore


def made(data: np.ndarray, names: list[str] | None = None, **options: Any) -> zarrcore.Array:
    store: dict[str, Any] = {}
    zarr.create_array(store, data=data, dimension_names=names, **options)
    values = {key: value.to_bytes() for key, value in store.items()}
    return zarrcore.open_hierarchy(zarrcore.stores.MemoryStore(values=values))["/"]


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 2 if dtype == "?" else 120, shape).astype(dtype)


def whole(array: zarrcore.Array, suffix: str, selection: Any = ...) -> bytes:
    file = zarrcore.virtual_file(array, selection, suffix)
    content = bytes(file.read(0, file.size + 1))
    assert len(content) == file.size
    return content
