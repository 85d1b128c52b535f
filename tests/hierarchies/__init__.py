"""Hierarchies in Zarr v2 and v3, written for the tests by zarr-python, an independent implementation.

``write_v3(root)`` and ``write_v2(root)`` fill a directory and return the exact content of each array, as NumPy
arrays in C order and native byte order, by node path. The data are pseudo-random but always the same. Features of
the specification that zarr-python cannot write (a NaN with payload, raw bits) are added to the metadata documents
afterwards.
"""

from __future__ import annotations

import os

from tests.hierarchies import either, v2, v3
from tests.hierarchies.collection import write_collection
from tests.hierarchies.values import ramp, values
from tests.hierarchies.writer import ATTRIBUTES, CORE_TYPES, Expected, HierarchyWriter

__all__ = [
    "ATTRIBUTES",
    "CORE_TYPES",
    "Expected",
    "ramp",
    "values",
    "write_collection",
    "write_v2",
    "write_v3",
]


def write_v3(root: str | os.PathLike[str]) -> Expected:
    """Write a Zarr v3 hierarchy with every core data type and codec, and various chunks, shards and fill values."""
    hierarchy = HierarchyWriter(root, 3)
    v3.write_types(hierarchy)
    v3.write_spellings(hierarchy)
    v3.write_codecs(hierarchy)
    v3.write_shards(hierarchy)
    either.write_shapes(hierarchy)
    either.write_fills(hierarchy)
    v3.write_keys(hierarchy)
    either.write_names(hierarchy)
    return hierarchy.expected


def write_v2(root: str | os.PathLike[str]) -> Expected:
    """Write a Zarr v2 hierarchy with every kind of data type, compressor, filter, order and key separator."""
    hierarchy = HierarchyWriter(root, 2)
    v2.write_types(hierarchy)
    v2.write_compressors(hierarchy)
    v2.write_filters(hierarchy)
    either.write_shapes(hierarchy)
    either.write_fills(hierarchy)
    v2.write_layouts(hierarchy)
    either.write_names(hierarchy)
    return hierarchy.expected
