"""Stores, formats, codecs, arrays and virtual files of Zarr hierarchies."""
