"""Volumes as groups of OME-NGFF, in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.image.levels import Image, image_of_array
from zarrbrowser.image.multiscales import image_of_group


def blocks(shape: tuple[int, ...], dtype: str = "u2") -> Any:
    """Different numbers everywhere."""
    return np.random.default_rng(7).integers(1, 1000, shape).astype(dtype)


def group(
    shape: tuple[int, ...] = (2, 3, 16, 24, 32),
    axes: str = "tczyx",
    levels: int = 2,
    chunks: tuple[int, ...] | None = None,
    channels: bool = True,
) -> FakeGroup:
    """A pyramid with a scale in micrometres, halved along y and x; each channel has a colour."""
    finest = blocks(shape)
    kinds = {"t": "time", "c": "channel"}
    told = [
        {"name": one, "type": kinds.get(one, "space")} | ({} if one in kinds else {"unit": "micrometer"})
        for one in axes
    ]
    children, datasets = {}, []
    for level in range(levels):
        step = 1 << level
        children[str(level)] = FakeArray(finest[..., ::step, ::step], tuple(axes), chunks)
        sizes = {"z": 2.0, "y": 0.5 * step, "x": 0.5 * step}
        scale = [sizes.get(one, 1.0) for one in axes]
        datasets.append(
            {"path": str(level), "coordinateTransformations": [{"type": "scale", "scale": scale}]}
        )
    document: dict[str, Any] = {"multiscales": [{"version": "0.4", "axes": told, "datasets": datasets}]}
    if channels and "c" in axes:
        colours = ("FF0000", "00FF00", "0000FF")
        document["omero"] = {"channels": [{"color": colour, "active": True} for colour in colours]}
    return FakeGroup(children, document)


def image(**told: Any) -> Image:
    made = group(**told)
    return image_of_group(made, made.find)


def image_of(
    values: Any, names: tuple[str | None, ...] | None = None, chunks: tuple[int, ...] | None = None
) -> Image:
    return image_of_array(FakeArray(values, names, chunks))
