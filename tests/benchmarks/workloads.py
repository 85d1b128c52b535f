"""The workloads: arrays that zarr-python writes once, with common shapes and codecs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import zarr
from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec

EDGE = 512
POINTS = 100_000

WRITE = "write"
SELECTIONS: dict[str, Callable[[int], Any]] = {
    "whole": lambda _: ...,
    "plane": lambda edge: edge // 2,
    "column": lambda edge: (slice(None), slice(None), edge // 2),
    "strided": lambda _: (slice(None, None, 3),) * 3,
    "backwards": lambda _: (slice(None, None, -1),) * 3,
    "points": lambda edge: tuple(np.random.default_rng(0).integers(0, edge, (3, POINTS))),
}
"""The selection of each kind of reading, for an edge of so many elements. A column is a plane across the last dimension."""


@dataclass(frozen=True)
class Workload:
    """One array."""

    name: str
    describes: str
    zarr_format: int
    dtype: str
    edge: int
    parameters: Callable[[], dict[str, Any]]

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is measured."""
        most = ("whole", "plane", "column")
        return (*({"w2": SELECTIONS, "w5": (*most, "points")}.get(self.name, most)), WRITE)


WORKLOADS = (
    Workload(
        "w1",
        "float32, 64³ chunks, uncompressed",
        3,
        "f4",
        EDGE,
        lambda: {"chunks": (64,) * 3, "compressors": None},
    ),
    Workload(
        "w2",
        "float32, 64³, blosc lz4 shuffle",
        3,
        "f4",
        EDGE,
        lambda: {"chunks": (64,) * 3, "compressors": BloscCodec(cname="lz4", shuffle="shuffle")},
    ),
    Workload(
        "w3",
        "float32, 64³, zstd 3",
        3,
        "f4",
        EDGE,
        lambda: {"chunks": (64,) * 3, "compressors": ZstdCodec(level=3)},
    ),
    Workload(
        "w4",
        "float32, 64³, gzip 5",
        3,
        "f4",
        EDGE,
        lambda: {"chunks": (64,) * 3, "compressors": GzipCodec(level=5)},
    ),
    Workload(
        "w5",
        "float32, 256³ shards of 32³ zstd",
        3,
        "f4",
        EDGE,
        lambda: {"chunks": (32,) * 3, "shards": (256,) * 3, "compressors": ZstdCodec(level=3)},
    ),
    Workload(
        "w6",
        "v2 uint16, 1×512×512, blosc lz4",
        2,
        "u2",
        EDGE,
        lambda: {"chunks": (1, EDGE, EDGE), "compressors": numcodecs.Blosc("lz4")},
    ),
    Workload(
        "w7",
        "uint16 256³, 16³, zstd",
        3,
        "u2",
        256,
        lambda: {"chunks": (16,) * 3, "compressors": ZstdCodec(level=3)},
    ),
    Workload(
        "w8",
        "uint8 mask, 64³, blosc zstd",
        3,
        "u1",
        EDGE,
        lambda: {"chunks": (64,) * 3, "compressors": BloscCodec(cname="zstd", clevel=5, shuffle="noshuffle")},
    ),
)


def field() -> np.ndarray:
    """Smooth in two directions, with noise: compresses like data of instruments."""
    axis = np.linspace(0, 6, EDGE, dtype="f4")
    noise = np.random.default_rng(0).normal(0, 0.01, (EDGE,) * 3).astype("f4")
    smooth = np.sin(axis)[:, None, None] * np.cos(2 * axis)[None, :, None] + np.sin(3 * axis)[None, None, :]
    return np.round(smooth + noise, 3).astype("f4")


def write_missing(folder: Path, workloads: tuple[Workload, ...]) -> None:
    """Write the arrays that are not in ``folder`` yet."""
    missing = [workload for workload in workloads if not (folder / workload.name / "done").exists()]
    if not missing:
        return
    values = field()
    arrays = {"f4": values, "u2": ((values + 2) * 8000).astype("u2"), "u1": (values > 0.5).astype("u1")}
    for workload in missing:
        data = arrays[workload.dtype]
        data = data[: workload.edge, : workload.edge, : workload.edge]
        path = folder / workload.name
        array = zarr.create_array(
            path / "array.zarr",
            shape=data.shape,
            dtype=workload.dtype,
            zarr_format=workload.zarr_format,
            overwrite=True,
            **workload.parameters(),
        )
        array[...] = data
        (path / "done").touch()
