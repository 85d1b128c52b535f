"""Zarr v3 as accepted: its documents, parsed and written."""
