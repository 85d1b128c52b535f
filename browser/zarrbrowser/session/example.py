"""An example for the first start, computed on the spot: a brain like that of the demonstration, whose scans need a download.

The brain is a phantom of ellipsoids, after L. A. Shepp and B. F. Logan, "The Fourier reconstruction of a head section", 1974.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

NAME: Final = "brain.zarr"
_VOLUMES, _SEED = 20, 7
_ANATOMICAL, _FUNCTIONAL = (64, 128, 96), (24, 64, 48)
_ELLIPSOIDS: Final = (
    # Brightness that is added; half axes, centre along z, y and x of a cube from −1 to 1; turned around z by so many degrees.
    (800.0, (0.90, 0.92, 0.69), (0.0, 0.0, 0.0), 0.0),
    (-500.0, (0.88, 0.874, 0.6624), (0.0, -0.0184, 0.0), 0.0),
    (-160.0, (0.41, 0.31, 0.11), (-0.1, 0.0, 0.22), 18.0),
    (-160.0, (0.41, 0.41, 0.16), (-0.1, 0.0, -0.22), -18.0),
    (160.0, (0.35, 0.25, 0.21), (-0.15, -0.35, 0.0), 0.0),
    (120.0, (0.35, 0.16, 0.16), (0.1, 0.45, 0.0), 0.0),
)
_ACTIVE: Final = ((0.30, 0.20, 0.18), (0.1, 0.55, 0.30))
"""Half axes and centre of the part whose signal follows a stimulus."""


def write_example(folder: Path) -> str:
    """Write the example into a folder unless it is there; returns its path.

    Raises:
        OSError, ZarrError: it cannot be written.
    """
    import zarrcore  # late: for a fast start

    folder.mkdir(parents=True, exist_ok=True)
    place = folder / NAME
    if place.exists():
        return str(place)
    made = folder / f".{NAME}.{os.getpid()}"
    try:
        _write(zarrcore.create(made))
        made.rename(place)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return str(place)


def _write(hierarchy: Any) -> None:
    hierarchy.root.attributes = {"title": "A phantom of a human brain", "source": "computed by zarrscope"}
    rng = np.random.default_rng(_SEED)
    anatomical = _phantom(_ANATOMICAL)
    noise = rng.normal(0, 12, anatomical.shape) * (anatomical > 0)
    hierarchy.create_array(
        "anatomical",
        data=np.clip(anatomical + noise, 0, None).astype(np.uint16),
        chunks=(32, 64, 48),
        dimension_names=("z", "y", "x"),
        attributes={"long_name": "anatomical image", "units": "1"},
    )
    still = _phantom(_FUNCTIONAL)
    active = _inside(_FUNCTIONAL, *_ACTIVE, 0.0) & (still > 0)
    stimulus = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(_VOLUMES) / 10)
    functional = still * (1 + 0.08 * active * stimulus[:, None, None, None])
    functional += rng.normal(0, 8, functional.shape) * (still > 0)
    hierarchy.create_array(
        "functional",
        data=np.clip(functional, 0, None).astype(np.uint16),
        chunks=(5, 24, 64, 48),
        dimension_names=("time", "z", "y", "x"),
        attributes={"long_name": "functional images", "units": "1"},
    )
    hierarchy.create_array(
        "derived/mean_signal",
        data=functional[:, active].mean(axis=1),
        dimension_names=("time",),
        attributes={"long_name": "mean signal of the active part", "units": "1"},
    )


def _phantom(shape: tuple[int, int, int]) -> NDArray[np.float64]:
    """The brightness of the brain on a grid."""
    total = np.zeros(shape)
    for brightness, axes, centre, angle in _ELLIPSOIDS:
        total += brightness * _inside(shape, axes, centre, angle)
    return total


def _inside(
    shape: tuple[int, int, int], axes: tuple[float, ...], centre: tuple[float, ...], degrees: float
) -> NDArray[np.bool_]:
    """Where a grid over the cube is inside an ellipsoid."""
    z, y, x = np.meshgrid(*(np.linspace(-1, 1, length) for length in shape), indexing="ij", sparse=True)
    z, y, x = z - centre[0], y - centre[1], x - centre[2]
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    along, across = x * cosine + y * sine, y * cosine - x * sine
    inside: NDArray[np.bool_] = (z / axes[0]) ** 2 + (across / axes[1]) ** 2 + (along / axes[2]) ** 2 <= 1
    return inside
