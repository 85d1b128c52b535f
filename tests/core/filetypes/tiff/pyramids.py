"""Images in levels according to OME-NGFF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import zarr

import zarrcore
from tests.core.filetypes.images import numbers

AXES = [
    {"name": "t", "type": "time", "unit": "second"},
    {"name": "c", "type": "channel"},
    {"name": "z", "type": "space", "unit": "micrometer"},
    {"name": "y", "type": "space", "unit": "nanometer"},
    {"name": "x", "type": "space", "unit": "nanometer"},
]
CHANNELS = [{"label": "DAPI", "color": "0000FF"}, {"label": "größe <&>", "color": "00ff00"}]


def ngff(axes: list[dict[str, str]], levels: int) -> dict[str, Any]:
    steps = {"t": 2.0, "c": 1.0, "z": 0.5, "y": 65.0, "x": 65.0}
    datasets = []
    for level in range(levels):
        scale = [steps[axis["name"]] * (2**level if axis["name"] in "yx" else 1) for axis in axes]
        transformations = [{"type": "scale", "scale": scale}]
        datasets.append({"path": str(level), "coordinateTransformations": transformations})
    return {
        "multiscales": [{"version": "0.4", "name": "nuclei", "axes": axes, "datasets": datasets}],
        "omero": {"channels": CHANNELS},
    }


def written(
    path: Path, levels: list[np.ndarray], attributes: dict[str, Any], zarr_format: int = 3, **options: Any
) -> zarrcore.Group:
    """A group of levels as other programs write it, and labels below it."""
    group = zarr.open_group(path, mode="w", zarr_format=zarr_format)
    for number, data in enumerate(levels):
        group.create_array(str(number), data=data, **options)
    group.create_group("labels").create_array("cells", data=np.zeros((4, 4), "u1"))
    group.attrs.update({"ome": attributes} if zarr_format == 3 else attributes)
    return zarrcore.open_hierarchy(path)["/"]


def halved(shape: tuple[int, ...], dtype: str, levels: int) -> list[np.ndarray]:
    """Levels whose elements are not averages, so that no level can be mistaken for another."""
    shapes = [(*shape[:-2], -(-shape[-2] // 2**n), -(-shape[-1] // 2**n)) for n in range(levels)]
    return [numbers(one, dtype) + np.array(number).astype(dtype) for number, one in enumerate(shapes)]
