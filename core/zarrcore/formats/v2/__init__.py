"""Zarr v2: its documents, parsed and written."""
