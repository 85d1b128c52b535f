"""The readers that are compared: each opens an array and returns a function that reads a selection of it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Read = Callable[[Any], np.ndarray]


def open_zarrscope(path: Path, zarr_format: int) -> Read:
    import zarrcore

    return zarrcore.open(path, format=f"v{zarr_format}")["/"].__getitem__


def open_tensorstore(path: Path, zarr_format: int) -> Read:
    import tensorstore

    driver = "zarr3" if zarr_format == 3 else "zarr"
    array = tensorstore.open({"driver": driver, "kvstore": f"file://{path}/"}).result()
    return lambda selection: array[selection].read().result()


def open_zarr_python(path: Path, zarr_format: int) -> Read:
    import zarr

    zarr.config.set({"codec_pipeline.path": "zarr.core.codec_pipeline.BatchedCodecPipeline"})
    return zarr.open_array(path, mode="r", zarr_format=zarr_format).__getitem__


def open_zarrs(path: Path, zarr_format: int) -> Read:
    import zarr
    import zarrs  # noqa: F401 - importing registers its pipeline

    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
    return zarr.open_array(path, mode="r", zarr_format=zarr_format).__getitem__


_READERS = {
    "zarrscope": ("zarrcore", open_zarrscope),
    "tensorstore": ("tensorstore", open_tensorstore),
    "zarrs": ("zarrs", open_zarrs),
    "zarr-python": ("zarr", open_zarr_python),
}


def installed() -> dict[str, Callable[[Path, int], Read]]:
    """The readers whose packages are installed, zarrcore first."""
    return {name: opener for name, (package, opener) in _READERS.items() if importlib.util.find_spec(package)}
