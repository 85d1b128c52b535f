"""The readers that are compared: each opens an array and returns a function that reads a selection of it."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Read = Callable[[Any], np.ndarray]

FUSED = "zarr-python fused"
"""zarr-python with its second codec pipeline, which newer releases have and use only if told to."""


def is_of_points(selection: Any) -> bool:
    """Whether a selection has an array of indices per dimension."""
    return isinstance(selection, tuple) and isinstance(selection[0], np.ndarray)


def open_zarrscope(path: Path, zarr_format: int) -> Read:
    import zarrcore

    array: Any = zarrcore.open_hierarchy(path, format=f"v{zarr_format}")["/"]
    return lambda selection: array.vindex[selection] if is_of_points(selection) else array[selection]


def open_tensorstore(path: Path, zarr_format: int) -> Read:
    import tensorstore

    driver = "zarr3" if zarr_format == 3 else "zarr"
    array = tensorstore.open({"driver": driver, "kvstore": f"file://{path}/"}).result()

    def read(selection: Any) -> np.ndarray:
        part = array.vindex[selection] if is_of_points(selection) else array[selection]
        return part.read().result()

    return read


def open_zarr_python(
    path: Path, zarr_format: int, pipeline: str = "zarr.core.codec_pipeline.BatchedCodecPipeline"
) -> Read:
    import zarr

    zarr.config.set({"codec_pipeline.path": pipeline})
    array = zarr.open_array(path, mode="r", zarr_format=zarr_format)

    def read(selection: Any) -> np.ndarray:
        if is_of_points(selection):
            return array.vindex[selection]
        parts = selection if isinstance(selection, tuple) else (selection,)
        if any(isinstance(part, slice) and (part.step or 1) < 0 for part in parts):
            return array[...][selection]  # it does not read backwards
        return array[selection]

    return read


def open_zarr_python_fused(path: Path, zarr_format: int) -> Read:
    return open_zarr_python(path, zarr_format, "zarr.core.codec_pipeline.FusedCodecPipeline")


def open_zarrs(path: Path, zarr_format: int) -> Read:
    import zarrs  # noqa: F401 - importing registers its pipeline

    return open_zarr_python(path, zarr_format, "zarrs.ZarrsCodecPipeline")


_READERS = {
    "zarrscope": ("zarrcore", open_zarrscope),
    "tensorstore": ("tensorstore", open_tensorstore),
    "zarrs": ("zarrs", open_zarrs),
    "zarr-python": ("zarr", open_zarr_python),
    FUSED: ("zarr", open_zarr_python_fused),
}


def is_installed(name: str, package: str) -> bool:
    """Whether a library can be compared: its package is installed, and has what the name says."""
    if importlib.util.find_spec(package) is None:
        return False
    return name != FUSED or hasattr(importlib.import_module("zarr.core.codec_pipeline"), "FusedCodecPipeline")


def installed() -> dict[str, Callable[[Path, int], Read]]:
    """The readers whose packages are installed, zarrcore first."""
    return {name: opener for name, (package, opener) in _READERS.items() if is_installed(name, package)}


def opener(name: str) -> Callable[[Path, int], Read]:
    """How one of them opens an array; other packages are not imported."""
    return _READERS[name][1]
