"""Conventions: what groups and arrays stand for, read from metadata into one vocabulary."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zarrcore.conventions.axis import Axis
    from zarrcore.conventions.geo import Product, Pyramid, Raster, georeference_of, pyramid_image
    from zarrcore.conventions.georeference import CoordinateReferenceSystem, Georeference
    from zarrcore.conventions.hdmf import Link, TypedObject, links_of
    from zarrcore.conventions.image import (
        Channel,
        Colour,
        Label,
        Level,
        MultiscaleImage,
        channel_colour,
    )
    from zarrcore.conventions.image_collections import (
        Acquisition,
        Field,
        ImageCollection,
        Member,
        Plate,
        PlateWell,
        Well,
    )
    from zarrcore.conventions.interface import Convention, Find, Meaning
    from zarrcore.conventions.level_geometry import no_levels
    from zarrcore.conventions.matlab import MatlabVariable
    from zarrcore.conventions.n5_pyramids import may_be_pyramid
    from zarrcore.conventions.ome.collections import label_paths
    from zarrcore.conventions.ome.image import single_level
    from zarrcore.conventions.registry import CONVENTIONS, image_of, inferred, is_image, meaning, recognise
    from zarrcore.conventions.tables import (
        AnnotatedMatrix,
        Column,
        SparseMatrix,
        SpatialData,
        SpatialElement,
        Table,
        column_values,
        sparse_block,
    )
    from zarrcore.conventions.units import format_quantity, in_centimetres, is_length, power_of_ten, symbol
    from zarrcore.conventions.variable import Dataset, Variable

__all__ = [
    "CONVENTIONS",
    "Acquisition",
    "AnnotatedMatrix",
    "Axis",
    "Channel",
    "Colour",
    "Column",
    "Convention",
    "CoordinateReferenceSystem",
    "Dataset",
    "Field",
    "Find",
    "Georeference",
    "ImageCollection",
    "Label",
    "Level",
    "Link",
    "MatlabVariable",
    "Meaning",
    "Member",
    "MultiscaleImage",
    "Plate",
    "PlateWell",
    "Product",
    "Pyramid",
    "Raster",
    "SparseMatrix",
    "SpatialData",
    "SpatialElement",
    "Table",
    "TypedObject",
    "Variable",
    "Well",
    "channel_colour",
    "column_values",
    "format_quantity",
    "georeference_of",
    "image_of",
    "in_centimetres",
    "inferred",
    "is_image",
    "is_length",
    "label_paths",
    "links_of",
    "may_be_pyramid",
    "meaning",
    "no_levels",
    "power_of_ten",
    "pyramid_image",
    "recognise",
    "single_level",
    "sparse_block",
    "symbol",
]

# The module of each name, imported on first use: a window needs the symbols of units long before it has a node.
_MODULES = {
    "axis": ("Axis",),
    "geo": ("Product", "Pyramid", "Raster", "georeference_of", "pyramid_image"),
    "georeference": ("CoordinateReferenceSystem", "Georeference"),
    "hdmf": ("Link", "TypedObject", "links_of"),
    "image": ("Channel", "Colour", "Label", "Level", "MultiscaleImage", "channel_colour"),
    "image_collections": ("Acquisition", "Field", "ImageCollection", "Member", "Plate", "PlateWell", "Well"),
    "interface": ("Convention", "Find", "Meaning"),
    "level_geometry": ("no_levels",),
    "ome.collections": ("label_paths",),
    "ome.image": ("single_level",),
    "matlab": ("MatlabVariable",),
    "n5_pyramids": ("may_be_pyramid",),
    "registry": ("CONVENTIONS", "image_of", "inferred", "is_image", "meaning", "recognise"),
    "tables": (
        "AnnotatedMatrix",
        "Column",
        "SparseMatrix",
        "SpatialData",
        "SpatialElement",
        "Table",
        "column_values",
        "sparse_block",
    ),
    "units": ("format_quantity", "in_centimetres", "is_length", "power_of_ten", "symbol"),
    "variable": ("Dataset", "Variable"),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'zarrcore.conventions' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
