"""Images in the form of OME-Zarr, written by zarr-python."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import zarr

from zarrcore.typing import AnyArray

UNITS = {"t": "second", **dict.fromkeys("zyx", "micrometer")}
KINDS = {"t": "time", "c": "channel", **dict.fromkeys("zyx", "space")}
SCALES = {"t": 2.0, "c": 1.0, "z": 1.5, "y": 0.5, "x": 0.5}


def values(shape: Sequence[int], dtype: Any = "u2", seed: int = 0) -> AnyArray:
    """Numbers from 0 to 3000, or to what the type can hold."""
    most = min(3000, np.iinfo(dtype).max) if np.dtype(dtype).kind in "iu" else 3000
    return np.random.default_rng(seed).integers(0, most, shape).astype(dtype)


def write_image(
    group: zarr.Group,
    data: AnyArray,
    axes: str,
    *,
    levels: int = 3,
    chunk: int = 32,
    name: str = "",
    **metadata: Any,
) -> None:
    """Fill a group with an image; each level has every second row and column of the one before.

    Args:
        group: of Zarr v2, for OME-Zarr 0.4, or v3, for 0.5.
        data: the first level.
        axes: a letter for each dimension.
        levels: their number.
        chunk: the length of chunks along y and x; it is 1 along others.
        name: of the image.
        metadata: other members, such as ``omero``.
    """
    datasets = []
    for number in range(levels):
        step = 2**number
        part = data[(..., slice(None, None, step), slice(None, None, step))]
        chunks = (1,) * (part.ndim - 2) + (chunk, chunk)
        separator = {"separator": "/"}
        keys = {"name": "v2" if group.metadata.zarr_format == 2 else "default", **separator}
        group.create_array(str(number), data=part, chunks=chunks, chunk_key_encoding=keys)
        scale = [SCALES[axis] * (step if axis in "yx" else 1) for axis in axes]
        datasets.append(
            {"path": str(number), "coordinateTransformations": [{"type": "scale", "scale": scale}]}
        )
    told = [
        {"name": axis, "type": KINDS[axis], **({"unit": UNITS[axis]} if axis in UNITS else {})}
        for axis in axes
    ]
    entry = {"axes": told, "datasets": datasets, **({"name": name} if name else {})}
    set_ome(group, multiscales=[entry], **metadata)


def set_ome(group: zarr.Group, **metadata: Any) -> None:
    """Set metadata of OME-Zarr, at the place of the format's version."""
    if group.metadata.zarr_format == 3:
        group.attrs["ome"] = {"version": "0.5", **metadata}
        return
    for entry in (
        *metadata.get("multiscales", ()),
        *(metadata[one] for one in ("plate", "well") if one in metadata),
    ):
        entry["version"] = "0.4"
    group.attrs.update(metadata)


def new_group(path: Path, zarr_format: int = 3) -> zarr.Group:
    """A hierarchy of zarr-python."""
    with warnings.catch_warnings(action="ignore"):
        return zarr.create_group(path, zarr_format=zarr_format)
