"""TIFF files as multiscale groups: OME-TIFF, ImageJ, GeoTIFF, pyramids and plain files."""
