"""Tiles and strips of TIFF files. Internal names, never written to a store."""
