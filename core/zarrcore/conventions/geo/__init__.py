"""Conventions of geospatial data: GeoZarr and its parts (``proj:``, ``spatial:``, multiscales), ndpyramid, EOPF."""

from zarrcore.conventions.cf.grid_mapping import plane_dimensions
from zarrcore.conventions.geo.eopf import EOPF, Product
from zarrcore.conventions.geo.georeference import georeference_of, stated_grid
from zarrcore.conventions.geo.pyramids import PYRAMIDS, Pyramid, level_paths, pyramid_image
from zarrcore.conventions.geo.raster import GEOZARR, Raster

__all__ = [
    "EOPF",
    "GEOZARR",
    "PYRAMIDS",
    "Product",
    "Pyramid",
    "Raster",
    "georeference_of",
    "level_paths",
    "plane_dimensions",
    "pyramid_image",
    "stated_grid",
]
