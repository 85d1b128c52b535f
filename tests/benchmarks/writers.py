"""The writers that are compared: each opens an empty array and returns a function that writes all of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.readers import FUSED

Write = Callable[[np.ndarray], Any]


def open_zarrscope(path: Path, zarr_format: int) -> Write:
    import zarrcore

    array: Any = zarrcore.open_hierarchy(path, mode="r+", format=f"v{zarr_format}")["/"]
    return lambda values: array.write(..., values)


def open_tensorstore(path: Path, zarr_format: int) -> Write:
    import tensorstore

    driver = "zarr3" if zarr_format == 3 else "zarr"
    # By default it synchronises each file with the disk, unlike all other writers here.
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": f"{path}/", "file_io_sync": False}}
    array = tensorstore.open(spec).result()
    return lambda values: array.write(values).result()


def open_zarr_python(
    path: Path, zarr_format: int, pipeline: str = "zarr.core.codec_pipeline.BatchedCodecPipeline"
) -> Write:
    import zarr

    zarr.config.set({"codec_pipeline.path": pipeline})
    array = zarr.open_array(path, mode="r+", zarr_format=zarr_format)
    return lambda values: array.__setitem__(..., values)


def open_zarr_python_fused(path: Path, zarr_format: int) -> Write:
    return open_zarr_python(path, zarr_format, "zarr.core.codec_pipeline.FusedCodecPipeline")


def open_zarrs(path: Path, zarr_format: int) -> Write:
    import zarrs  # noqa: F401 - importing registers its pipeline

    return open_zarr_python(path, zarr_format, "zarrs.ZarrsCodecPipeline")


_WRITERS = {
    "zarrscope": open_zarrscope,
    "tensorstore": open_tensorstore,
    "zarrs": open_zarrs,
    "zarr-python": open_zarr_python,
    FUSED: open_zarr_python_fused,
}


def opener(name: str) -> Callable[[Path, int], Write]:
    """How one of them opens an array; other packages are not imported."""
    return _WRITERS[name]
