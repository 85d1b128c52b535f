"""napari without its window: a viewer's model, which slices layers as the window does."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from zarrcore.typing import AnyArray

RELEASE = tuple(int(part) for part in version("napari").split(".")[:2])
"""The first that places arrays of xarray and has today's colours of channels is (0, 9)."""


@cache
def napari() -> Any:
    """The package; its import warns about its own dependencies."""
    with warnings.catch_warnings(action="ignore"):
        import napari
        import napari.settings

        napari.settings.get_settings(None)  # defaults, so that the user's own settings do not matter
        import napari.components
        import napari.layers
        import napari.plugins

        napari.plugins._initialize_plugins()  # as the window does
    return napari


def shown(layers: Iterable[tuple[Any, dict[str, Any], str]]) -> Any:
    """A viewer with layers as a reader returns them."""
    viewer = napari().components.ViewerModel()
    for layer in layers:
        viewer.add_layer(napari().layers.Layer.create(*layer))
    return viewer


def picture(layer: Any) -> AnyArray:
    """The elements that a layer shows now."""
    return np.asarray(layer._slice.image.raw)


def opened(path: Path | str, **options: Any) -> Any:
    """A viewer that opened a path with zarrscope's plug-in, which napari finds by its manifest."""
    viewer = napari().components.ViewerModel()
    viewer.open(path, plugin="zarrscope", **options)
    return viewer
