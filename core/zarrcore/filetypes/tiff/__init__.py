"""TIFF: planes as pages, and multiscale images as OME-TIFF."""

from zarrcore.filetypes.tiff.ome_image import array_as_ome_tiff, group_as_ome_tiff
from zarrcore.filetypes.tiff.ome_tiff import OmeTiffFile
from zarrcore.filetypes.tiff.pages import TiffFile

__all__ = ["OmeTiffFile", "TiffFile", "array_as_ome_tiff", "group_as_ome_tiff"]
