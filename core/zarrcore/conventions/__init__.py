"""Conventions: what groups and arrays stand for, read from metadata into one vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zarrcore.conventions.axis import Axis as Axis
    from zarrcore.conventions.coordinate_arrays import coordinate_array as coordinate_array
    from zarrcore.conventions.geo import Product as Product
    from zarrcore.conventions.geo import Pyramid as Pyramid
    from zarrcore.conventions.geo import Raster as Raster
    from zarrcore.conventions.geo import georeference_of as georeference_of
    from zarrcore.conventions.geo import pyramid_image as pyramid_image
    from zarrcore.conventions.georeference import CoordinateReferenceSystem as CoordinateReferenceSystem
    from zarrcore.conventions.georeference import Georeference as Georeference
    from zarrcore.conventions.hdmf import Link as Link
    from zarrcore.conventions.hdmf import TypedObject as TypedObject
    from zarrcore.conventions.hdmf import links_of as links_of
    from zarrcore.conventions.image import Channel as Channel
    from zarrcore.conventions.image import Colour as Colour
    from zarrcore.conventions.image import Label as Label
    from zarrcore.conventions.image import Level as Level
    from zarrcore.conventions.image import MultiscaleImage as MultiscaleImage
    from zarrcore.conventions.image import channel_colour as channel_colour
    from zarrcore.conventions.image_around import names_along as names_along
    from zarrcore.conventions.image_collections import Acquisition as Acquisition
    from zarrcore.conventions.image_collections import Field as Field
    from zarrcore.conventions.image_collections import ImageCollection as ImageCollection
    from zarrcore.conventions.image_collections import Member as Member
    from zarrcore.conventions.image_collections import Plate as Plate
    from zarrcore.conventions.image_collections import PlateWell as PlateWell
    from zarrcore.conventions.image_collections import Well as Well
    from zarrcore.conventions.interface import Convention as Convention
    from zarrcore.conventions.interface import Find as Find
    from zarrcore.conventions.interface import Meaning as Meaning
    from zarrcore.conventions.level_geometry import no_levels as no_levels
    from zarrcore.conventions.matlab import MatlabVariable as MatlabVariable
    from zarrcore.conventions.n5_arrays import n5_image as n5_image
    from zarrcore.conventions.n5_pyramids import may_be_pyramid as may_be_pyramid
    from zarrcore.conventions.nexus import NexusData as NexusData
    from zarrcore.conventions.nexus import NexusObject as NexusObject
    from zarrcore.conventions.nexus import default_data as default_data
    from zarrcore.conventions.nexus import default_signal as default_signal
    from zarrcore.conventions.nexus.axes import further_axes as further_axes
    from zarrcore.conventions.nexus.layout import uncertainties as uncertainties
    from zarrcore.conventions.nexus.scaling import corrected_values as corrected_values
    from zarrcore.conventions.nexus.scaling import scaling_of as scaling_of
    from zarrcore.conventions.ome.collections import label_paths as label_paths
    from zarrcore.conventions.ome.image import image_named as image_named
    from zarrcore.conventions.ome.image import single_level as single_level
    from zarrcore.conventions.registry import conventions as conventions
    from zarrcore.conventions.registry import image_of as image_of
    from zarrcore.conventions.registry import inferred as inferred
    from zarrcore.conventions.registry import is_image as is_image
    from zarrcore.conventions.registry import meaning as meaning
    from zarrcore.conventions.registry import recognise as recognise
    from zarrcore.conventions.tables import AnnotatedMatrix as AnnotatedMatrix
    from zarrcore.conventions.tables import Column as Column
    from zarrcore.conventions.tables import SparseMatrix as SparseMatrix
    from zarrcore.conventions.tables import SpatialData as SpatialData
    from zarrcore.conventions.tables import SpatialElement as SpatialElement
    from zarrcore.conventions.tables import Table as Table
    from zarrcore.conventions.tables import column_values as column_values
    from zarrcore.conventions.tables import sparse_block as sparse_block
    from zarrcore.conventions.units import format_quantity as format_quantity
    from zarrcore.conventions.units import in_centimetres as in_centimetres
    from zarrcore.conventions.units import is_length as is_length
    from zarrcore.conventions.units import power_of_ten as power_of_ten
    from zarrcore.conventions.units import symbol as symbol
    from zarrcore.conventions.variable import Dataset as Dataset
    from zarrcore.conventions.variable import Variable as Variable
else:
    from zarrcore.lazy_exports import lazy_exports

    # A window needs the symbols of units long before it has a node.
    __getattr__, __dir__, __all__ = lazy_exports(
        __name__,
        {
            "axis": "Axis",
            "coordinate_arrays": "coordinate_array",
            "geo": "Product Pyramid Raster georeference_of pyramid_image",
            "georeference": "CoordinateReferenceSystem Georeference",
            "hdmf": "Link TypedObject links_of",
            "image": "Channel Colour Label Level MultiscaleImage channel_colour",
            "image_around": "names_along",
            "image_collections": "Acquisition Field ImageCollection Member Plate PlateWell Well",
            "interface": "Convention Find Meaning",
            "level_geometry": "no_levels",
            "matlab": "MatlabVariable",
            "n5_arrays": "n5_image",
            "n5_pyramids": "may_be_pyramid",
            "nexus": "NexusData NexusObject default_data default_signal",
            "nexus.axes": "further_axes",
            "nexus.layout": "uncertainties",
            "nexus.scaling": "corrected_values scaling_of",
            "ome.collections": "label_paths",
            "ome.image": "image_named single_level",
            "registry": "conventions image_of inferred is_image meaning recognise",
            "tables": """
                AnnotatedMatrix Column SparseMatrix SpatialData SpatialElement Table column_values
                sparse_block
            """,
            "units": "format_quantity in_centimetres is_length power_of_ten symbol",
            "variable": "Dataset Variable",
        },
    )
