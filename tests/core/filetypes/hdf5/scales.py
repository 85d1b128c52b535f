"""Hierarchies with named dimensions, and the scales of a dataset."""

from __future__ import annotations

import h5py

import zarrcore


def hierarchy_of(**arrays: tuple[tuple[int, ...], list[str | None] | None]) -> zarrcore.Hierarchy:
    hierarchy = zarrcore.create("memory://")
    for name, (shape, names) in arrays.items():
        hierarchy.create_array(f"/{name}", shape=shape, dtype="int16", dimension_names=names)
    return hierarchy


def scales(dataset: h5py.Dataset) -> list[str]:
    """The names of the scales of each dimension, as HDF5's own functions find them."""
    return [scale[0].name.strip("/") for scale in dataset.dims]
