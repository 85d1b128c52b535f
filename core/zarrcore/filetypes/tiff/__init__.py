"""TIFF: planes as pages, multiscale images as OME-TIFF, maps as GeoTIFF."""

from zarrcore.filetypes.tiff.geo_image import array_as_geotiff, group_as_geotiff
from zarrcore.filetypes.tiff.geotiff import GeoTiffFile
from zarrcore.filetypes.tiff.ome_image import array_as_ome_tiff, group_as_ome_tiff
from zarrcore.filetypes.tiff.ome_tiff import OmeTiffFile
from zarrcore.filetypes.tiff.pages import TiffFile
from zarrcore.filetypes.tiff.raster_facts import RasterFacts, raster_facts

__all__ = [
    "GeoTiffFile",
    "OmeTiffFile",
    "RasterFacts",
    "TiffFile",
    "array_as_geotiff",
    "array_as_ome_tiff",
    "group_as_geotiff",
    "group_as_ome_tiff",
    "raster_facts",
]
