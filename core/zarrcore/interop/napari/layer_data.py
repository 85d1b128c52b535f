"""Layers as napari's readers return them."""

from __future__ import annotations

from typing import Any

LayerData = tuple[Any, dict[str, Any], str]
"""The data of a layer, its keywords, and its kind: ``image`` or ``labels``."""


def hidden(layer: LayerData) -> LayerData:
    """The same layer, not visible: napari does not read it."""
    data, told, kind = layer
    return data, {**told, "visible": False}, kind
