"""Zarr v2."""
